import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageRESTHub
import MoorageSupport
import TestSupport
import Testing

@Suite(.ownThreads) struct `A change that the server does not take` {
    private func device() async throws -> (Device, FakeAPI) {
        let api = FakeAPI([
            "todos": FakeCollection([#"{"id":"a","title":"Milk","done":false}"#]),
            "orders": FakeCollection(),
        ])
        let device = try await Device(api, [Todo.self, Order.self])
        try await device.sync()
        return (device, api)
    }

    @Test(arguments: [
        "UPDATE todo SET title = 'Mine'", "DELETE FROM todo",
        "INSERT INTO todo(id, title) VALUES ('b', 'B')",
    ])
    func `is refused, and others go`(change: String) async throws {
        let (device, api) = try await device()
        try await device.execute(change)
        try await device.execute("INSERT INTO \"order\"(id, customer) VALUES ('o', 'Ada')")
        api.breaking { $0.method != "GET" && $0.path.hasPrefix("todos") ? .status(405) : nil }
        try await device.sync()
        #expect(try await device.refused.map(\.code) == [.readOnly])
        #expect(try await device.rows("SELECT id, title FROM todo") == ["a Milk"])
        #expect(api.rows("orders").keys.sorted() == ["o"])
        #expect(device.replica.status.isCaughtUp)
    }

    @Test func `waits where nobody knows whether the collection is there`() async throws {
        let api = FakeAPI(["todos": FakeCollection()])
        let device = try await Settings.$todo.withValue(RESTSettings(fetching: .never)) {
            try await Device(api, [Todo.self])
        }
        try await device.execute("INSERT INTO todo(id, title) VALUES ('b', 'B')")
        api.breaking { _ in .status(405) }
        let error = await #expect(throws: ReplicaError.self) { try await device.sync() }
        #expect(error?.hubCode == .notFound)
    }
}

@Suite(.ownThreads) struct `A model that is only fetched` {
    private func device(
        _ texts: [String] = [#"{"id":"a","title":"Milk","done":false}"#]
    ) async throws -> (Device, FakeAPI) {
        let api = FakeAPI(["todos": FakeCollection(texts), "orders": FakeCollection()])
        let device = try await Settings.$todo.withValue(RESTSettings(sending: .never)) {
            try await Device(api, [Todo.self, Order.self])
        }
        try await device.sync()
        return (device, api)
    }

    @Test(arguments: [
        "UPDATE todo SET title = 'Mine', pinned = 1", "DELETE FROM todo",
        "INSERT INTO todo(id, title) VALUES ('b', 'B')",
    ])
    func `undoes changes, and sends none`(change: String) async throws {
        let (device, api) = try await device()
        _ = api.takeLog()
        try await device.execute(change)
        try await device.sync()
        #expect(try await device.refused.map(\.code) == [.readOnly])
        #expect(try await device.rows("SELECT id, title FROM todo") == ["a Milk"])
        #expect(Set(api.takeLog()) == ["GET todos", "GET orders"])
        try await device.sync()
        #expect(try await device.replica.verify().isEmpty)
    }

    @Test func `leaves the app's own columns alone`() async throws {
        let (device, api) = try await device()
        _ = api.takeLog()
        try await device.execute("UPDATE todo SET pinned = 1")
        try await device.sync()
        api.put("todos", #"{"id":"a","title":"Oats","done":false}"#)
        try await device.sync()
        #expect(try await device.refused.isEmpty)
        #expect(try await device.rows("SELECT title, pinned FROM todo") == ["Oats 1"])
        #expect(!api.takeLog().contains("GET todos/a"))
    }

    @Test func `gets what changed at the server meanwhile`() async throws {
        let (device, api) = try await device()
        try await device.execute("UPDATE todo SET title = 'Mine'")
        api.put("todos", #"{"id":"a","title":"Oats","done":false}"#)
        try await device.sync()
        #expect(try await device.rows("SELECT title FROM todo") == ["Oats"])
    }

    @Test func `lets no other change of its group go`() async throws {
        let (device, api) = try await device()
        let replica = device.replica
        try await device.database.write { db in
            try replica.group(db) {
                try db.execute(sql: "UPDATE todo SET title = 'Mine'")
                try db.execute(sql: "INSERT INTO \"order\"(id, customer) VALUES ('o', 'Ada')")
            }
        }
        try await device.sync()
        #expect(Set(try await device.refused.map(\.code)) == [.readOnly, .group])
        #expect(api.rows("orders").isEmpty)
        #expect(try await device.rows("SELECT id FROM \"order\"").isEmpty)
    }

    @Test func `undoes changes of its children`() async throws {
        let text = #"{"id":"o","customer":"Ada","lines":[{"id":"l","product":"Tea","count":1}]}"#
        let api = FakeAPI(["orders": FakeCollection([text])])
        let settings = RESTSettings(
            sending: .never, children: [.embedded(Line.self, as: "lines")])
        let device = try await Settings.$order.withValue(settings) {
            try await Device(api, [Order.self])
        }
        try await device.sync()
        try await device.execute("UPDATE line SET count = 2")
        try await device.execute(
            "INSERT INTO line(id, orderId, product, count) VALUES ('m', 'o', 'Jam', 1)")
        try await device.sync()
        #expect(try await device.rows("SELECT id, orderId, count FROM line") == ["l o 1"])
        #expect(try await device.refused.count == 2)
        try await device.execute("DELETE FROM \"order\"")
        try await device.sync()
        try await device.sync()
        #expect(try await device.rows("SELECT id, orderId, count FROM line") == ["l o 1"])
        #expect(api.requests("PUT").isEmpty && api.requests("DELETE").isEmpty)
    }
}

@Suite(.ownThreads) struct `A column that the record does not know` {
    @Test(arguments: [403, 404, 503])
    func `is changed without a request about the row`(status: Int) async throws {
        let api = FakeAPI([
            "todos": FakeCollection([#"{"id":"a","title":"Milk","done":false}"#])
        ])
        let device = try await Device(api, [Todo.self])
        try await device.sync()
        api.breaking { $0.path == "todos/a" ? .status(status) : nil }
        try await device.execute("UPDATE todo SET pinned = 1")
        try await device.sync()
        #expect(try await device.rows("SELECT title, pinned FROM todo") == ["Milk 1"])
        #expect(try await device.refused.isEmpty)
        #expect(device.replica.status.pendingCount == 0)
    }

    @Test func `goes with a change of others, and stays`() async throws {
        let api = FakeAPI([
            "todos": FakeCollection([#"{"id":"a","title":"Milk","done":false}"#])
        ])
        let device = try await Device(api, [Todo.self])
        try await device.sync()
        try await device.execute("UPDATE todo SET pinned = 1, note = NULL, title = 'Mine'")
        try await device.sync()
        #expect(api.rows("todos")["a"]?.contains("Mine") == true)
        #expect(try await device.rows("SELECT title, pinned FROM todo") == ["Mine 1"])
    }
}
