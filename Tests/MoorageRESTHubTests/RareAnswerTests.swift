import Foundation
import GRDB
import Moorage
import MoorageCore
@testable import MoorageRESTHub
import MoorageSupport
import TestSupport
import Testing

private func todo(_ id: String, _ title: String = "T") -> String {
    #"{"id":"\#(id)","title":"\#(title)","done":false}"#
}

private struct Meter: Codable, FetchableRecord, PersistableRecord, Sendable {
    static let databaseTableName = "meter"
    var id: String
    var count: UInt64
    var extra: UInt?
}

extension Meter: Uploadable { static let path = "meters" }

private struct OldThing: Codable, FetchableRecord, PersistableRecord, Sendable {
    static let databaseTableName = "thing"
    var id: String
    var name: String
}

extension OldThing: Uploadable { static let path = "things" }

private struct Thing: Codable, FetchableRecord, PersistableRecord, Sendable {
    static let databaseTableName = "thing"
    var id: String
    var name: String
    var size: Int
}

extension Thing: Uploadable { static let path = "things" }

@Suite(.ownThreads) struct `Rare answers of an API` {
    /// The version of the row is another one each time that it is read.
    @Test func `refuses what the server always refuses`() async throws {
        let api = FakeAPI(["todos": FakeCollection([todo("a")])])
        let device = try await Device(api, [Todo.self])
        try await device.sync()
        let count = Counter(1_000)
        api.breaking { request in
            switch (request.method, request.path) {
            case ("GET", "todos/a"):
                .status(200, headers: ["ETag": "\"\(count.next())\""], body: todo("a"))
            case ("PUT", _): .status(409, body: #"{"detail":"The title is taken."}"#)
            default: nil
            }
        }
        try await device.execute("UPDATE todo SET title = 'Mine'")
        _ = try? await device.sync()
        #expect(try await device.refused.map(\.message) == ["The title is taken."])
        #expect(device.replica.status.isCaughtUp)
    }

    @Test func `keeps a query of the API's address`() {
        let client = RESTClient(
            http: PlainHTTP(
                url: URL(string: "https://a.example/v1?key=1")!, credentials: nil,
                transport: FakeAPI([:]), allowsPlainHTTP: false, maximumAnswerBytes: 1_000),
            headers: [])
        #expect(
            client.address("users", query: [("page", "2")])?.absoluteString
                == "https://a.example/v1/users?key=1&page=2")
        #expect(
            client.address("users", id: "a")?.absoluteString
                == "https://a.example/v1/users/a?key=1")
    }

    @Test(arguments: ["18446744073709551615", "9223372036854775808"])
    func `withholds a number that SQLite cannot store`(number: String) async throws {
        let api = FakeAPI([
            "meters": FakeCollection([
                #"{"id":"a","count":\#(number)}"#, #"{"id":"b","count":7,"extra":\#(number)}"#,
                #"{"id":"c","count":8}"#,
            ])
        ])
        let database = try DatabaseQueue()
        try await database.write {
            try $0.execute(
                sql:
                    "CREATE TABLE meter(id TEXT PRIMARY KEY NOT NULL, count INTEGER, extra INTEGER)"
            )
        }
        let device = try await Device(api, [Meter.self], database: database)
        try await device.sync()
        #expect(try await device.rows("SELECT id, count FROM meter") == ["c 8"])
    }

    /// The server cuts a text, or the fraction of a time. Without an idempotency key nobody finds
    /// the row that arrived.
    @Test func `doubles a row that the server changed`() async throws {
        let api = FakeAPI([
            "people": FakeCollection {
                $0.makesIDs = true
                $0.transform = { $0.with("name", .string(($0["name"]?.plain ?? "").lowercased())) }
            }
        ])
        let device = try await Device(api, [Person.self])
        try await device.execute("INSERT INTO person(name) VALUES ('Ada')")
        api.breakingOnce("POST", .answerLost)
        _ = try? await device.sync()
        api.breaking(nil)
        try await device.sync()
        // docs/limitations.md says so.
        #expect(api.rows("people").count == 2)
    }

    @Test(arguments: [RESTSettings.Sending.changes, .never], [true, false])
    func `brings what came for a parent while the app set its own column`(
        sending: RESTSettings.Sending, isFeed: Bool
    ) async throws {
        func order(_ customer: String, _ product: String) -> String {
            """
            {"id":"o","customer":"\(customer)","lines":[{"id":"l","product":"\(product)",\
            "count":1}]}
            """
        }
        let api = FakeAPI([
            "orders": FakeCollection([order("Ada", "Tea")]) {
                $0.listing = isFeed ? .feed(3) : .array
            }
        ])
        let database = try DatabaseQueue()
        try await database.write {
            try $0.execute(
                sql: Device.schema + """
                    ;ALTER TABLE "order" ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
                    ALTER TABLE line ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
                    """)
        }
        let settings = RESTSettings(
            fetching: isFeed ? .changes() : .list(), sending: sending,
            children: [.embedded(Line.self, as: "lines")])
        let device = try await Settings.$order.withValue(settings) {
            try await Device(api, [Order.self], database: database)
        }
        try await device.sync()
        api.put("orders", order("Bo", "Jam"))
        let isDone = Counter(1)
        api.breaking { request in
            guard request.path.hasPrefix("orders"), isDone.next() == 0 else { return nil }
            try? database.write {
                try $0.execute(sql: "UPDATE \"order\" SET pinned = 1; UPDATE line SET pinned = 2")
            }
            return nil
        }
        for _ in 0..<4 { try await device.sync() }
        #expect(try await device.rows("SELECT customer, pinned FROM \"order\"") == ["Bo 1"])
        #expect(try await device.rows("SELECT product, pinned FROM line") == ["Jam 2"])
        #expect(api.requests("PUT").isEmpty)
        #expect(try await device.refused.isEmpty)
        _ = api.takeLog()
        try await device.sync()
        #expect(api.takeLog() == [isFeed ? "GET orders?since=2" : "GET orders"])
        #expect(device.replica.status.isCaughtUp)
    }

    @Test(arguments: [true, false])
    func `removes a parent that went while the app set its own column`(
        isFeed: Bool
    ) async throws {
        let text = #"{"id":"o","customer":"A","lines":[{"id":"l","product":"T","count":1}]}"#
        let api = FakeAPI([
            "orders": FakeCollection([text]) {
                $0.listing = isFeed ? .feed(3) : .array
            }
        ])
        let database = try DatabaseQueue()
        try await database.write {
            try $0.execute(
                sql: Device.schema
                    + ";ALTER TABLE line ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0")
        }
        for sending in [RESTSettings.Sending.changes, .never] {
            let settings = RESTSettings(
                fetching: isFeed ? .changes() : .list(), sending: sending,
                children: [.embedded(Line.self, as: "lines")])
            let device = try await Settings.$order.withValue(settings) {
                try await Device(api, [Order.self], database: database)
            }
            api.put("orders", text)
            try await device.sync()
            try await device.sync()
            #expect(try await device.rows("SELECT id FROM line") == ["l"])
            api.delete("orders", "o")
            let isDone = Counter(1)
            api.breaking { request in
                guard request.path.hasPrefix("orders"), isDone.next() == 0 else { return nil }
                try? database.write { try $0.execute(sql: "UPDATE line SET pinned = pinned + 1") }
                return nil
            }
            for _ in 0..<4 { try await device.sync() }
            #expect(try await device.rows("SELECT id FROM \"order\"").isEmpty)
            #expect(try await device.rows("SELECT id FROM line").isEmpty)
        }
    }

    /// A version of the app has one more member than the one whose request got lost.
    @Test func `meet a row that was sent without a member`() async throws {
        let api = FakeAPI([
            "things": FakeCollection { $0.transform = { $0.with("size", .number("1")) } }
        ])
        let database = try DatabaseQueue()
        try await database.write {
            try $0.execute(
                sql: "CREATE TABLE thing(id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL)")
        }
        let old = try await Device(api, [OldThing.self], database: database)
        try await old.execute("INSERT INTO thing VALUES ('a', 'A')")
        api.breakingOnce("POST", .answerLost)
        _ = try? await old.sync()
        // The process is gone.
        try await old.execute("UPDATE _moorage_rest_request SET owner = '0 gone'")
        try await old.execute("ALTER TABLE thing ADD COLUMN size INTEGER NOT NULL DEFAULT 1")
        let new = try await Device(api, [Thing.self], database: database)
        for _ in 0..<3 { _ = try? await new.sync() }
        #expect(try await new.rows("SELECT * FROM thing") == ["a A 1"])
        #expect(api.rows("things").count == 1)
        // The batch does not have the new column either, so nobody can say whether it is that row.
        let messages = try await new.refused.map(\.message)
        #expect(
            messages == ["The row and its JSON do not fit. The member size is missing."])
    }

    /// The whole scan takes several exchanges, and each asks for no more than it may.
    @Test func `asks for rows that stay only once in a scan`() async throws {
        let texts = (100..<200).map { todo("\($0)") }
        let api = FakeAPI(["todos": FakeCollection(texts) { $0.listing = .pages(200) }])
        let device = try await Settings.$todo.withValue(RESTSettings(fetching: .pages())) {
            try await Device(api, [Todo.self])
        }
        try await device.sync()
        for _ in 0..<12 {
            let left = Counter(30)
            api.breaking { request in
                if request.path == "todos" {
                    return .status(200, body: "{\"items\":[\(todo("100"))]}")
                }
                return left.next() < 0 ? .status(429, headers: ["Retry-After": "60"]) : nil
            }
            _ = try? await device.sync()
        }
        #expect(try await device.rows("SELECT id FROM todo") == ["100"])
        #expect(device.replica.status.isCaughtUp)
    }

    @Test func `keeps a group with a column of the app`() async throws {
        let api = FakeAPI(["todos": FakeCollection([todo("a"), todo("b")])])
        let device = try await Device(api, [Todo.self])
        try await device.sync()
        let replica = device.replica
        try await device.database.write { db in
            try replica.group(db) {
                try db.execute(sql: "UPDATE todo SET pinned = 1 WHERE id = 'a'")
                try db.execute(sql: "UPDATE todo SET title = 'Mine' WHERE id = 'b'")
            }
        }
        try await device.sync()
        #expect(try await device.refused.isEmpty)
        #expect(api.rows("todos")["b"]?.contains("Mine") == true)
    }
}
