import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageRESTHub
import MoorageSupport
import TestSupport
import Testing

@Suite(.ownThreads) struct `References to rows that the server does not have` {
    private func device(_ texts: [String] = []) async throws -> (Device, FakeAPI) {
        let api = FakeAPI(["people": FakeCollection(texts) { $0.makesIDs = true }])
        return (try await Device(api, [Person.self]), api)
    }

    @Test func `never name another row of the server`() async throws {
        let (device, api) = try await device()
        api.change("people") { people in
            people.refuses = { json in
                json["name"]?.plain == "Bad" ? (422, "No such name.") : nil
            }
        }
        try await device.execute("INSERT INTO person(id, name) VALUES (1, 'Bad')")
        try await device.execute("INSERT INTO person(id, name, boss) VALUES (2, 'Bo', 1)")
        // Another client's row has the number that the device gave to its own.
        api.put("people", #"{"id":1,"name":"Old","boss":null}"#)
        try await device.catchUp()
        #expect(!api.rows("people").values.contains { $0.contains(#""boss":1"#) })
        let codes = Set(try await device.refused.map(\.code))
        #expect(codes == [.check, .foreignKey])
    }

    /// The device's number of a refused row is another row's at the server. An edit that came
    /// meanwhile does not belong to that one.
    @Test func `never let an edit of a refused row change another one`() async throws {
        let (device, api) = try await device()
        let database = device.database
        let isDone = Counter(1)
        api.breaking { request in
            guard request.method == "POST", isDone.next() == 0 else { return nil }
            // Somebody else's row gets the number, and the user goes on with the refused one.
            api.put("people", #"{"id":1,"name":"Old","boss":null}"#)
            api.put("people", #"{"id":7,"name":"Head","boss":null}"#)
            try? database.write { db in
                try db.execute(sql: "UPDATE person SET boss = 1 WHERE id = 1")
            }
            return .status(422, body: #"{"detail":"No such name."}"#)
        }
        try await device.execute("INSERT INTO person(id, name) VALUES (1, 'Bad')")
        try await device.catchUp()
        try await device.catchUp()
        #expect(api.rows("people")["1"] == #"{"boss":null,"id":1,"name":"Old"}"#)
        #expect(
            try await device.rows("SELECT id, name, boss FROM person WHERE id = 1") == ["1 Old -"])
    }

    @Test func `are refused where they go in a circle`() async throws {
        let (device, api) = try await device()
        api.put("people", #"{"id":1,"name":"Old","boss":null}"#)
        try await device.execute("INSERT INTO person(id, name, boss) VALUES (1, 'Ada', 1)")
        try await device.catchUp()
        #expect(!api.rows("people").values.contains { $0.contains(#""boss":1"#) })
        let codes = try await device.refused.map(\.code)
        #expect(codes == [.foreignKey])
        #expect(try await device.rows("SELECT id, name, boss FROM person") == ["1 Old -"])
    }
}

@Suite(.ownThreads) struct `What a request says` {
    private struct Visit: Codable, FetchableRecord, PersistableRecord, Sendable, Uploadable {
        static let databaseTableName = "visit"
        static let path = "todos"
        var id: String
        var title: String
        var at: Date
    }

    @Test func `has members that nobody changed as the server sent them`() async throws {
        let api = FakeAPI([
            "todos": FakeCollection([
                #"{"id":"a","title":"Milk","at":"2026-01-02T03:04:05.123456Z"}"#
            ])
        ])
        let database = try DatabaseQueue()
        try await database.write { db in
            try db.execute(
                sql: "CREATE TABLE visit(id TEXT PRIMARY KEY NOT NULL, title TEXT, at DATETIME)")
        }
        let hub = RESTHub(FakeAPI.address, [Visit.self], in: database, transport: api)
        let replica = try await hub.replica(options: Device.options)
        try await replica.sync()
        try await database.write { try $0.execute(sql: "UPDATE visit SET title = 'Oats'") }
        try await replica.sync()
        #expect(
            api.rows("todos")["a"]
                == #"{"at":"2026-01-02T03:04:05.123456Z","id":"a","title":"Oats"}"#)
    }

    @Test func `is no blind one as long as the row's version is unknown`() async throws {
        let api = FakeAPI([
            "todos": FakeCollection([#"{"id":"a","title":"Milk","done":false}"#])
        ])
        let device = try await Settings.$todo.withValue(RESTSettings(detection: .byServer)) {
            try await Device(api, [Todo.self])
        }
        try await device.sync()
        // The list has no ETag of a row. Somebody else goes on with it.
        api.put("todos", #"{"id":"a","title":"Milk","done":false,"note":"Theirs"}"#)
        try await device.execute("UPDATE todo SET title = 'Mine'")
        try await device.sync()
        #expect(
            api.rows("todos")["a"]
                == #"{"done":false,"id":"a","note":"Theirs","title":"Mine"}"#)
    }

    @Test func `has another idempotency key for what is sent once more`() async throws {
        let milk = #"{"id":"a","title":"Milk","done":false}"#
        let api = FakeAPI(["todos": FakeCollection([milk]) { $0.hasETags = false }])
        api.state.withLock { $0.honoursKeys = true }
        let device = try await Device(api, [Todo.self])
        try await device.sync()
        try await device.execute("UPDATE todo SET title = 'Mine'")
        api.breakingOnce("PUT", .answerLost)
        await #expect(throws: ReplicaError.self) { try await device.sync() }
        // It arrived, and somebody set the row back.
        api.put("todos", milk)
        try await device.sync()
        let there = api.rows("todos")["a"]
        #expect(there == #"{"done":false,"id":"a","title":"Mine"}"#)
        #expect(try await device.rows("SELECT title FROM todo") == ["Mine"])
    }

    /// After a migration the batch is made again, with the edits since.
    @Test(arguments: [FakeAPI.Fault.answerLost, .lost])
    func `is no conflict with the one before`(fault: FakeAPI.Fault) async throws {
        let api = FakeAPI([
            "todos": FakeCollection([
                #"{"id":"a","title":"Milk","done":false}"#,
                #"{"id":"b","title":"Bread","done":false}"#,
            ])
        ])
        let device = try await Device(api, [Todo.self])
        try await device.sync()
        try await device.execute("UPDATE todo SET title = 'Mine' WHERE id = 'a'")
        try await device.execute("UPDATE todo SET title = 'Rye' WHERE id = 'b'")
        let count = Counter(1)
        api.breaking { $0.method == "PUT" && count.next() == 0 ? fault : nil }
        await #expect(throws: ReplicaError.self) { try await device.sync() }
        try await device.execute("UPDATE todo SET title = 'Newer' WHERE id = 'a'")
        try await device.execute("ALTER TABLE todo DROP COLUMN pinned")
        try await device.reopen()
        for _ in 0..<2 { try await device.catchUp() }
        let titles = try await device.rows("SELECT title FROM todo ORDER BY id")
        #expect(titles == ["Newer", "Rye"])
        #expect(api.rows("todos")["a"]?.contains("Newer") == true)
        #expect(try await device.conflicts.isEmpty)
    }

    @Test func `lists a conflict once, also where the request got lost`() async throws {
        let api = FakeAPI([
            "todos": FakeCollection([#"{"id":"a","title":"Milk","done":false}"#])
        ])
        let device = try await Settings.$todo.withValue(
            RESTSettings(conflicts: .byColumn(else: .mine))
        ) { try await Device(api, [Todo.self]) }
        try await device.sync()
        api.put("todos", #"{"id":"a","title":"Theirs","done":false}"#)
        try await device.execute("UPDATE todo SET title = 'Mine'")
        api.breakingOnce("PUT", .lost)
        await #expect(throws: ReplicaError.self) { try await device.sync() }
        try await device.sync()
        #expect(api.rows("todos")["a"]?.contains("Mine") == true)
        #expect(try await device.conflicts.map { $0.theirs?["title"] } == [.text("Theirs")])
    }
}

@Suite(.ownThreads) struct `What an answer says` {
    @Test func `of elements that others deleted removes them, also after a write`() async throws {
        let lines = (1...2).map { #"{"id":"l\#($0)","product":"Tea","count":1}"# }
        let api = FakeAPI([
            "orders": FakeCollection([
                #"{"id":"o","customer":"Ada","lines":[\#(lines[0]),\#(lines[1])]}"#
            ])
        ])
        let device = try await Device(api, [Order.self])
        try await device.sync()
        api.put("orders", #"{"id":"o","customer":"Ada","lines":[\#(lines[0])]}"#)
        try await device.execute("UPDATE \"order\" SET customer = 'Bo'")
        for _ in 0..<2 { try await device.sync() }
        #expect(try await device.rows("SELECT id FROM line") == ["l1"])
    }

    private struct Named: Codable, FetchableRecord, PersistableRecord, Sendable, Uploadable {
        static let databaseTableName = "named"
        static let path = "todos"
        static let rest = RESTSettings(ids: .server)
        var id: String
        var title: String
    }

    @Test(arguments: ["/api/todos/12345", "/api/todos/12345/", "/api/todos/12345?x=1"])
    func `in its address is an id of the key's type`(location: String) async throws {
        let api = FakeAPI(["todos": FakeCollection()])
        let database = try DatabaseQueue()
        try await database.write { db in
            try db.execute(
                sql: "CREATE TABLE named(id TEXT PRIMARY KEY NOT NULL, title TEXT NOT NULL)")
            try db.execute(sql: "INSERT INTO named VALUES ('x', 'Milk')")
        }
        let hub = RESTHub(FakeAPI.address, [Named.self], in: database, transport: api)
        let replica = try await hub.replica(firstContact: .upload, options: Device.options)
        api.breaking { request in
            guard request.method == "POST" else { return nil }
            api.put("todos", #"{"id":"12345","title":"Milk"}"#)
            return .status(201, headers: ["Location": location])
        }
        try await replica.sync()
        #expect(try await replica.refusedChanges.fetch().isEmpty)
        let ids = try await database.read { try String.fetchAll($0, sql: "SELECT id FROM named") }
        #expect(ids == ["12345"])
    }

    @Test func `of another row makes none on the device`() async throws {
        let api = FakeAPI([
            "todos": FakeCollection([#"{"id":"a","title":"Milk","done":false}"#]) {
                $0.listing = .feed(3)
            }
        ])
        let device = try await Settings.$todo.withValue(RESTSettings(fetching: .changes())) {
            try await Device(api, [Todo.self])
        }
        try await device.sync()
        try await device.execute("UPDATE todo SET title = 'Mine'")
        api.breaking { request in
            guard request.method == "PUT" else { return nil }
            api.put("todos", request.body)
            return .status(200, body: #"{"id":"job-7","title":"queued","done":true}"#)
        }
        try await device.sync()
        #expect(try await device.rows("SELECT id, title FROM todo") == ["a Mine"])
    }

    /// As PostgreSQL writes a UUID that Foundation wrote.
    @Test func `may write the id in other letters, also after a lost answer`() async throws {
        let api = FakeAPI([
            "todos": FakeCollection {
                $0.transform = { $0.with("id", .string($0["id"]?.plain?.lowercased() ?? "")) }
            }
        ])
        let device = try await Device(api, [Todo.self])
        let id = "5F0C9A1E-0000-4000-8000-00000000000A"
        try await device.execute("INSERT INTO todo(id, title) VALUES ('\(id)', 'Milk')")
        let isLost = Counter(1)
        api.breaking { request in
            if request.path == "todos/\(id)", let row = api.rows("todos").values.first {
                return .status(200, body: row)
            }
            return request.method == "POST" && isLost.next() == 0 ? .answerLost : nil
        }
        await #expect(throws: ReplicaError.self) { try await device.sync() }
        try await device.sync()
        // The device keeps its own letters.
        #expect(try await device.rows("SELECT id FROM todo") == [id])
        #expect(try await device.refused.isEmpty)
        #expect(api.rows("todos").count == 1)
    }

    @Test(arguments: [true, false])
    func `refuses what nobody can read, and the row comes back`(isFeed: Bool) async throws {
        let api = FakeAPI([
            "todos": FakeCollection([#"{"id":"a","title":"Milk","done":false}"#]) {
                $0.listing = isFeed ? .feed(3) : .array
                $0.hasListETag = true
            }
        ])
        let device = try await Settings.$todo.withValue(
            RESTSettings(fetching: isFeed ? .changes() : .list())
        ) { try await Device(api, [Todo.self]) }
        try await device.sync()
        try await device.execute("UPDATE todo SET title = 'Mine'")
        api.breaking { $0.path == "todos/a" ? .status(403) : nil }
        try await device.sync()
        #expect(try await device.refused.map(\.code) == [.permission])
        api.breaking(nil)
        try await device.sync()
        #expect(try await device.rows("SELECT title FROM todo") == ["Milk"])
    }
}
