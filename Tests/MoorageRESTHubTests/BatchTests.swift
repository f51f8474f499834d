import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageRESTHub
import TestSupport
import Testing

@Suite(.ownThreads) struct `Several changes in one request` {
    private func device(
        _ settings: RESTSettings = RESTSettings(batch: RESTBatch(path: "batch", maximum: 3)),
        _ rows: [String] = []
    ) async throws -> (Device, FakeAPI) {
        let api = FakeAPI(["todos": FakeCollection(rows)])
        let device = try await Settings.$todo.withValue(settings) {
            try await Device(api, [Todo.self])
        }
        return (device, api)
    }

    @Test func `go in batches, and each has an answer of its own`() async throws {
        let (device, api) = try await device()
        api.change("todos") {
            $0.refuses = { $0["title"]?.plain == "T3" ? (422, "No.") : nil }
        }
        for number in 1...5 {
            try await device.execute(
                "INSERT INTO todo(id, title) VALUES ('\(number)', 'T\(number)')")
        }
        try await device.sync()
        #expect(api.takeLog() == ["POST batch", "POST batch", "GET todos"])
        #expect(api.rows("todos").keys.sorted() == ["1", "2", "4", "5"])
        #expect(
            try await device.refused.map(\.message) == ["No."])
        #expect(try await device.rows("SELECT id FROM todo").count == 4)
    }

    @Test func `carry updates and deletions with the rows' versions`() async throws {
        let rows = (1...3).map { #"{"id":"\#($0)","title":"T\#($0)","done":false}"# }
        let (device, api) = try await device(
            RESTSettings(batch: RESTBatch(path: "batch")), rows)
        try await device.sync()
        try await device.execute(
            "UPDATE todo SET done = 1 WHERE id < '3'; DELETE FROM todo WHERE id = '3'")
        // Somebody is faster with one of them.
        let left = Counter(1)
        api.breaking { request in
            if request.path == "batch", left.next() == 0 {
                api.put("todos", #"{"id":"2","title":"Theirs","done":false}"#)
            }
            return nil
        }
        try await device.sync()
        #expect(api.rows("todos").keys.sorted() == ["1", "2"])
        #expect(api.rows("todos")["2"] == #"{"done":true,"id":"2","title":"Theirs"}"#)
        #expect(api.requests("POST").count == 1)
        #expect(api.requests("PUT").map(\.path) == ["todos/2"])
    }

    @Test func `wait as a whole where one of them has to`() async throws {
        let (device, api) = try await device()
        for number in 1...3 {
            try await device.execute(
                "INSERT INTO todo(id, title) VALUES ('\(number)', 'T\(number)')")
        }
        api.change("todos") { $0.refuses = { $0["id"]?.plain == "2" ? (503, "") : nil } }
        await #expect(throws: ReplicaError.self) { try await device.sync() }
        #expect(api.rows("todos").count == 2)
        api.change("todos") { $0.refuses = nil }
        _ = api.takeLog()
        try await device.reopen()
        try await device.sync()
        #expect(api.rows("todos").count == 3)
        #expect(try await device.refused.isEmpty)
        #expect(try await device.conflicts.isEmpty)
        // The two that were answered are not sent again.
        #expect(api.takeLog() == ["GET todos/2", "POST todos", "GET todos"])
    }

    @Test func `are sent one by one where the batch is refused as a whole`() async throws {
        let (device, api) = try await device()
        for number in 1...2 {
            try await device.execute(
                "INSERT INTO todo(id, title) VALUES ('\(number)', 'T\(number)')")
        }
        api.breaking { $0.path == "batch" ? .status(422) : nil }
        try await device.sync()
        #expect(api.rows("todos").count == 2)
    }

    @Test func `with too few results are looked for`() async throws {
        let (device, api) = try await device()
        for number in 1...2 {
            try await device.execute(
                "INSERT INTO todo(id, title) VALUES ('\(number)', 'T\(number)')")
        }
        api.breaking {
            $0.path == "batch" ? .status(200, body: #"{"results":[{"status":201}]}"#) : nil
        }
        let error = await #expect(throws: ReplicaError.self) { try await device.sync() }
        #expect(error?.hubCode == .malformed)
        api.breaking(nil)
        try await device.sync()
        #expect(api.rows("todos").count == 2)
    }

    @Test func `of a group are refused where they take several requests`() async throws {
        let (device, api) = try await device()
        try await device.execute("INSERT INTO todo(id, title) VALUES ('0', 'T')")
        try await device.database.write { [replica = device.replica] db in
            try replica.group(db) {
                try db.execute(sql: "INSERT INTO todo(id, title) VALUES ('1', 'T')")
                try db.execute(sql: "INSERT INTO todo(id, title) VALUES ('2', 'T')")
            }
        }
        try await device.sync()
        #expect(api.rows("todos").keys.sorted() == ["0"])
        #expect(try await device.refused.map(\.code) == [.group, .group])
        #expect(try await device.rows("SELECT id FROM todo") == ["0"])
        for change in try await device.refused { try await device.replica.dismiss(change) }
        try await device.database.write { [replica = device.replica] db in
            try replica.group(db) {
                try db.execute(sql: "INSERT INTO todo(id, title) VALUES ('3', 'T')")
            }
        }
        try await device.sync()
        #expect(api.rows("todos").keys.sorted() == ["0", "3"])
    }
}
