import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageRESTHub
import TestSupport
import Testing

@Suite(.ownThreads) struct `A row that both sides changed` {
    private static let row = #"{"id":"a","title":"Milk","done":false,"note":"1"}"#

    /// A device that changes title and note while the server has another title and `done`.
    private func meet(_ settings: RESTSettings) async throws -> (Device, FakeAPI) {
        let api = FakeAPI(["todos": FakeCollection()])
        let device = try await Settings.$todo.withValue(settings) {
            try await Device(api, [Todo.self])
        }
        // From the answer to this the device knows the version.
        try await device.execute("INSERT INTO todo(id, title, note) VALUES ('a', 'Milk', '1')")
        try await device.sync()
        api.put("todos", #"{"id":"a","title":"Theirs","done":true,"note":"1"}"#)
        try await device.execute("UPDATE todo SET title = 'Mine', note = '2'")
        try await device.sync()
        return (device, api)
    }

    private static let both = [
        RESTSettings.Detection.reading, RESTSettings.Detection.byServer,
    ]

    @Test(arguments: both)
    func `goes by column, and to the server where both changed one`(
        detection: RESTSettings.Detection
    ) async throws {
        let (device, api) = try await meet(RESTSettings(detection: detection))
        #expect(api.requests("PUT").count == (detection == .byServer ? 2 : 1))
        #expect(
            api.rows("todos")["a"] == #"{"done":true,"id":"a","note":"2","title":"Theirs"}"#)
        #expect(try await device.rows("SELECT title, done, note FROM todo") == ["Theirs 1 2"])
        let conflict = try #require(try await device.conflicts.first)
        #expect(conflict.mine == ["title": .text("Mine")])
        #expect(conflict.base == ["title": .text("Milk")])
        #expect(conflict.theirs == ["title": .text("Theirs")])
        #expect(conflict.result == ["title": .text("Theirs")])
        #expect(try await device.refused.isEmpty)
    }

    @Test func `goes by column, and to the device where the app says so`() async throws {
        let (device, api) = try await meet(RESTSettings(conflicts: .byColumn(else: .mine)))
        #expect(api.rows("todos")["a"] == #"{"done":true,"id":"a","note":"2","title":"Mine"}"#)
        // What was overwritten is listed, too.
        let conflict = try #require(try await device.conflicts.first)
        #expect(conflict.theirs == ["title": .text("Theirs")])
        #expect(conflict.result == ["title": .text("Mine")])
    }

    @Test func `stays as the device has it`() async throws {
        let (device, api) = try await meet(RESTSettings(conflicts: .mine))
        #expect(api.rows("todos")["a"] == #"{"done":false,"id":"a","note":"2","title":"Mine"}"#)
        #expect(try await device.conflicts.first?.theirs?["title"] == .text("Theirs"))
    }

    @Test func `stays as the server has it`() async throws {
        let (device, api) = try await meet(RESTSettings(conflicts: .theirs))
        #expect(api.rows("todos")["a"] == #"{"done":true,"id":"a","note":"1","title":"Theirs"}"#)
        #expect(try await device.rows("SELECT title, done, note FROM todo") == ["Theirs 1 1"])
        #expect(try await device.conflicts.first?.mine?["title"] == .text("Mine"))
        let conflict = try #require(try await device.conflicts.first)
        try await device.replica.reapply(conflict)
        try await device.sync()
        #expect(api.rows("todos")["a"] == #"{"done":false,"id":"a","note":"2","title":"Mine"}"#)
    }

    @Test func `is decided by the app`() async throws {
        let rule = RESTConflictRule.decided(by: "longer") { (conflict: RESTConflict<Todo>) in
            guard var row = conflict.mine, conflict.base?.title == "Milk",
                conflict.columns == ["title"]
            else { return .theirs }
            row.title = conflict.theirs.title + " and " + row.title
            row.done = conflict.theirs.done
            return .row(row)
        }
        let (device, api) = try await meet(RESTSettings(conflicts: rule))
        #expect(
            api.rows("todos")["a"]
                == #"{"done":true,"id":"a","note":"2","title":"Theirs and Mine"}"#)
        #expect(try await device.conflicts.first?.rule == "handler longer")
    }

    @Test func `is refused if the app's rule fails`() async throws {
        let rule = RESTConflictRule.decided { (_: RESTConflict<Todo>) in
            throw CancellationError()
        }
        let (device, api) = try await meet(RESTSettings(conflicts: rule))
        #expect(
            api.rows("todos")["a"] == #"{"done":true,"id":"a","note":"1","title":"Theirs"}"#)
        #expect(try await device.refused.map(\.code) == [.rule])
        #expect(try await device.rows("SELECT title, note FROM todo") == ["Theirs 1"])
    }

    @Test func `is read again if it changes between reading and writing`() async throws {
        let api = FakeAPI(["todos": FakeCollection([Self.row])])
        let device = try await Device(api, [Todo.self])
        try await device.sync()
        let left = Counter(2)
        api.breaking { request in
            if request.method == "PUT", left.next() >= 0 {
                api.put("todos", #"{"id":"a","title":"Milk","done":true,"note":"1"}"#)
            }
            return nil
        }
        try await device.execute("UPDATE todo SET note = '2'")
        try await device.sync()
        #expect(api.requests("PUT").count == 3)
        #expect(api.rows("todos")["a"] == #"{"done":true,"id":"a","note":"2","title":"Milk"}"#)
    }

    @Test func `is written without a weak version`() async throws {
        let api = FakeAPI(["todos": FakeCollection([Self.row]) { $0.hasWeakETags = true }])
        let device = try await Device(api, [Todo.self])
        try await device.sync()
        try await device.execute("UPDATE todo SET note = '2'")
        try await device.sync()
        #expect(api.requests("PUT").map { $0.headers["if-match"] } == [nil])
        #expect(try await device.refused.isEmpty)
    }

    @Test func `and that the server deleted is refused, with the whole row`() async throws {
        let api = FakeAPI(["todos": FakeCollection([Self.row])])
        let device = try await Device(api, [Todo.self])
        try await device.sync()
        api.delete("todos", "a")
        try await device.execute("UPDATE todo SET note = '2'")
        try await device.sync()
        let refused = try #require(try await device.refused.first)
        #expect(refused.code == .gone)
        #expect(refused.row?["title"] == .text("Milk"))
        #expect(try await device.rows("SELECT * FROM todo").isEmpty)
        try await device.replica.retry(refused)
        try await device.sync()
        #expect(api.rows("todos")["a"] == #"{"done":false,"id":"a","note":"2","title":"Milk"}"#)
    }

    @Test(arguments: [RESTConflictRule.Side.mine, .theirs])
    func `and that the device deleted goes by the rule`(side: RESTConflictRule.Side) async throws {
        let api = FakeAPI(["todos": FakeCollection([Self.row])])
        let device = try await Settings.$todo.withValue(
            RESTSettings(conflicts: .byColumn(else: side))
        ) { try await Device(api, [Todo.self]) }
        try await device.sync()
        api.put("todos", #"{"id":"a","title":"Theirs","done":true,"note":"1"}"#)
        try await device.execute("DELETE FROM todo")
        try await device.sync()
        #expect(api.rows("todos").isEmpty == (side == .mine))
        #expect(
            try await device.rows("SELECT title FROM todo") == (side == .mine ? [] : ["Theirs"]))
        #expect(try await device.conflicts.map(\.kind) == [.delete])
        #expect(try await device.conflicts.first?.theirs?["title"] == .text("Theirs"))
    }

    @Test func `and that both inserted goes by the rule`() async throws {
        let api = FakeAPI(["todos": FakeCollection([])])
        let device = try await Device(api, [Todo.self])
        try await device.execute("INSERT INTO todo(id, title, note) VALUES ('a', 'Mine', '1')")
        api.put("todos", #"{"id":"a","title":"Theirs","done":true}"#)
        try await device.sync()
        #expect(try await device.rows("SELECT title, done, note FROM todo") == ["Theirs 1 -"])
        #expect(try await device.conflicts.first?.mine?["title"] == .text("Mine"))
        #expect(api.requests("PUT").isEmpty)
    }

    @Test func `a 409 about something else refuses the change`() async throws {
        let api = FakeAPI(["todos": FakeCollection([Self.row])])
        let device = try await Device(api, [Todo.self])
        try await device.sync()
        api.change("todos") { $0.refuses = { _ in (409, "The title is taken.") } }
        try await device.execute("UPDATE todo SET title = 'Beer'")
        try await device.execute("INSERT INTO todo(id, title) VALUES ('b', 'Beer')")
        try await device.sync()
        #expect(try await device.refused.map(\.code) == [.unique, .unique])
        #expect(try await device.rows("SELECT id, title FROM todo") == ["a Milk"])
    }
}
