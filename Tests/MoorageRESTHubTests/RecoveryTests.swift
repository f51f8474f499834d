import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageRESTHub
import MoorageSupport
import TestSupport
import Testing

@Suite(.ownThreads) struct `After an answer that got lost` {
    private static let milk = "INSERT INTO todo(id, title) VALUES ('a', 'Milk')"

    /// Fails one sync, and ends the process.
    private func fail(_ device: Device) async throws {
        await #expect(throws: ReplicaError.self) { try await device.sync() }
        try await device.reopen()
        device.api.breaking(nil)
    }

    @Test(arguments: [RESTSettings.LostAnswers.lookUp, .idempotencyKey])
    func `a new row is there once`(lost: RESTSettings.LostAnswers) async throws {
        let api = FakeAPI(["todos": FakeCollection()])
        api.state.withLock { $0.honoursKeys = lost == .idempotencyKey }
        let device = try await Settings.$todo.withValue(RESTSettings(lostAnswers: lost)) {
            try await Device(api, [Todo.self])
        }
        try await device.execute(Self.milk)
        api.breakingOnce("POST", .answerLost)
        try await fail(device)
        _ = api.takeLog()
        try await device.sync()
        #expect(api.rows("todos").count == 1)
        let log = api.takeLog()
        #expect(log == [lost == .lookUp ? "GET todos/a" : "POST todos", "GET todos"])
        #expect(try await device.conflicts.isEmpty)
        #expect(try await device.refused.isEmpty)
    }

    @Test func `a new row whose request got lost is sent again`() async throws {
        let api = FakeAPI(["todos": FakeCollection()])
        let device = try await Device(api, [Todo.self])
        try await device.execute(Self.milk)
        api.breakingOnce("POST", .lost)
        try await fail(device)
        try await device.sync()
        #expect(api.rows("todos").count == 1)
        let keys = api.requests("POST").map { $0.headers["idempotency-key"] }
        #expect(keys.count == 2 && keys[0] == keys[1])
    }

    @Test(arguments: [RESTSettings.LostAnswers.lookUp, .idempotencyKey])
    func `a row whose id the server makes is there once`(
        lost: RESTSettings.LostAnswers
    ) async throws {
        let api = FakeAPI(["people": FakeCollection { $0.makesIDs = true }])
        api.state.withLock { $0.honoursKeys = lost == .idempotencyKey }
        let device = try await Settings.$person.withValue(
            RESTSettings(ids: .server, lostAnswers: lost)
        ) { try await Device(api, [Person.self]) }
        // Two rows that nobody can tell apart.
        try await device.execute("INSERT INTO person(name) VALUES ('Ada'), ('Ada')")
        for _ in 0..<2 {
            let left = Counter(1)
            api.breaking { $0.method == "POST" && left.next() == 0 ? .answerLost : nil }
            try await fail(device)
        }
        try await device.sync()
        #expect(api.rows("people").count == 2)
        #expect(
            try await device.rows("SELECT id, name FROM person ORDER BY id") == [
                "100 Ada", "101 Ada",
            ])
    }

    @Test func `an update is not merged with itself`() async throws {
        let api = FakeAPI([
            "todos": FakeCollection([#"{"id":"a","title":"Milk","done":false}"#])
        ])
        let device = try await Settings.$todo.withValue(
            RESTSettings(conflicts: .byColumn(else: .mine))
        ) { try await Device(api, [Todo.self]) }
        try await device.sync()
        api.put("todos", #"{"id":"a","title":"Theirs","done":false}"#)
        try await device.execute("UPDATE todo SET title = 'Mine'")
        api.breakingOnce("PUT", .answerLost)
        try await fail(device)
        _ = api.takeLog()
        try await device.sync()
        #expect(api.takeLog() == ["GET todos/a", "GET todos"])
        // What the request overwrote is listed all the same.
        #expect(try await device.conflicts.map { $0.theirs?["title"] } == [.text("Theirs")])
    }

    @Test func `a deletion is done`() async throws {
        let api = FakeAPI([
            "todos": FakeCollection([#"{"id":"a","title":"Milk","done":false}"#])
        ])
        let device = try await Device(api, [Todo.self])
        try await device.sync()
        try await device.execute("DELETE FROM todo")
        api.breakingOnce("DELETE", .answerLost)
        try await fail(device)
        try await device.sync()
        #expect(api.rows("todos").isEmpty)
        #expect(try await device.refused.isEmpty)
    }

    @Test func `changes that the server took are not sent again`() async throws {
        let api = FakeAPI(["people": FakeCollection { $0.makesIDs = true }])
        let device = try await Device(api, [Person.self])
        try await device.execute("INSERT INTO person(name) VALUES ('Ada'), ('Bo'), ('Cy')")
        let left = Counter(2)
        api.breaking { $0.method == "POST" && left.next() < 0 ? .lost : nil }
        try await fail(device)
        try await device.execute("UPDATE person SET name = name || '!'")
        try await device.catchUp()
        #expect(
            try await device.rows("SELECT id, name FROM person ORDER BY id")
                == ["100 Ada!", "101 Bo!", "102 Cy!"])
        #expect(api.rows("people").count == 3)
        #expect(try await device.rows("SELECT * FROM _moorage_rest_request").count <= 3)
        try await device.sync()
        #expect(try await device.rows("SELECT * FROM _moorage_rest_request").isEmpty)
    }

    @Test func `a file that is opened again goes on`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "app.db").path
        let api = FakeAPI(["people": FakeCollection { $0.makesIDs = true }])
        api.breakingOnce("POST", .answerLost)
        for isFirst in [true, false] {
            let pool = try DatabasePool(path: path)
            if isFirst { try await pool.write { try $0.execute(sql: Device.schema) } }
            let hub = RESTHub(FakeAPI.address, [Person.self], in: pool, transport: api)
            let replica = try await hub.replica(options: Device.options)
            if isFirst {
                try await pool.write { db in
                    try db.execute(sql: "INSERT INTO person(name) VALUES ('Ada')")
                }
                await #expect(throws: ReplicaError.self) { try await replica.sync() }
            } else {
                try await replica.sync()
                let ids = try await pool.read {
                    try Int64.fetchAll($0, sql: "SELECT id FROM person")
                }
                #expect(ids == [100])
            }
            try pool.close()
        }
        #expect(api.rows("people").count == 1)
    }

    @Test func `a row that was deleted before its answer is deleted there`() async throws {
        let api = FakeAPI(["people": FakeCollection { $0.makesIDs = true }])
        let device = try await Device(api, [Person.self])
        try await device.execute("INSERT INTO person(name) VALUES ('Ada')")
        api.breakingOnce("POST", .answerLost)
        try await fail(device)
        try await device.execute("DELETE FROM person")
        try await device.catchUp()
        #expect(api.rows("people").isEmpty)
        #expect(try await device.rows("SELECT * FROM person").isEmpty)
    }
}

@Suite(.ownThreads) struct `Ids that the server makes` {
    @Test func `replace those of the device, also in references`() async throws {
        let api = FakeAPI(["people": FakeCollection { $0.makesIDs = true }])
        let device = try await Device(api, [Person.self])
        try await device.execute("INSERT INTO person(id, name) VALUES (1, 'Ada')")
        try await device.execute("INSERT INTO person(id, name, boss) VALUES (2, 'Bo', 1)")
        try await device.execute("INSERT INTO person(id, name, boss) VALUES (3, 'Cy', 2)")
        try await device.sync()
        #expect(
            try await device.rows("SELECT id, name, boss FROM person ORDER BY id")
                == ["100 Ada -", "101 Bo 100", "102 Cy 101"])
        #expect(api.rows("people")["102"] == #"{"boss":101,"id":102,"name":"Cy"}"#)
        #expect(api.requests("POST").allSatisfy { !$0.body.contains(#""id""#) })
    }

    @Test func `leave alone what has the device's id at the server`() async throws {
        let api = FakeAPI([
            "people": FakeCollection([#"{"id":1,"name":"Old","boss":null}"#]) {
                $0.makesIDs = true
            }
        ])
        let device = try await Device(api, [Person.self])
        try await device.execute("INSERT INTO person(id, name) VALUES (1, 'Ada'), (2, 'Bo')")
        // The list comes first, and its row has no place yet.
        api.breaking { $0.method == "POST" ? .status(503) : nil }
        _ = try? await device.sync()
        api.breaking(nil)
        try await device.sync()
        try await device.sync()
        #expect(
            try await device.rows("SELECT id, name FROM person ORDER BY id")
                == ["1 Old", "100 Ada", "101 Bo"])
        #expect(api.rows("people").count == 3)
    }

    @Test func `a later edit follows the row`() async throws {
        let api = FakeAPI(["people": FakeCollection { $0.makesIDs = true }])
        let device = try await Device(api, [Person.self])
        try await device.execute("INSERT INTO person(id, name) VALUES (1, 'Ada')")
        let isDone = Counter(1)
        let database = device.database
        api.breaking { request in
            guard request.method == "POST", isDone.next() == 0 else { return nil }
            try? database.write { db in
                try db.execute(sql: "UPDATE person SET name = 'Ada L.' WHERE id = 1")
                try db.execute(sql: "INSERT INTO person(id, name, boss) VALUES (2, 'Bo', 1)")
            }
            return nil
        }
        try await device.catchUp()
        #expect(
            try await device.rows("SELECT id, name, boss FROM person ORDER BY id")
                == ["100 Ada L. -", "101 Bo 100"])
        #expect(api.rows("people")["100"]?.contains("Ada L.") == true)
    }

    @Test func `come from the address where the answer has no row`() async throws {
        let api = FakeAPI([
            "people": FakeCollection {
                $0.makesIDs = true
                $0.answersRows = false
            }
        ])
        let device = try await Device(api, [Person.self])
        try await device.execute("INSERT INTO person(id, name) VALUES (1, 'Ada')")
        try await device.sync()
        #expect(try await device.rows("SELECT id, name FROM person") == ["100 Ada"])
    }
}
