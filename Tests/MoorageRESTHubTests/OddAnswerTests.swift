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

private func device(
    _ settings: RESTSettings, _ texts: [String] = [], limits: RESTLimits = RESTLimits(),
    _ configure: (inout FakeCollection) -> Void = { _ in }
) async throws -> (Device, FakeAPI) {
    let api = FakeAPI(["todos": FakeCollection(texts, configure)])
    let device = try await Settings.$todo.withValue(settings) {
        try await Device(api, [Todo.self], limits: limits)
    }
    return (device, api)
}

private let ways: [(RESTFetching, FakeCollection.Listing)] = [
    (.list(), .array), (.changes(), .feed(3)),
]

@Suite(.ownThreads) struct `A row that comes while the app changes it` {
    /// The app sets a column of its own while the list is on its way.
    @Test(arguments: 0..<ways.count)
    func `is not missed for a column of the app`(way: Int) async throws {
        let (device, api) = try await device(RESTSettings(fetching: ways[way].0), [todo("a")]) {
            $0.listing = ways[way].1
        }
        try await device.sync()
        api.put("todos", todo("a", "Theirs"))
        let database = device.database
        let isDone = Counter(1)
        api.breaking { request in
            guard request.path.hasPrefix("todos"), isDone.next() == 0 else { return nil }
            try? database.write { try $0.execute(sql: "UPDATE todo SET pinned = 1") }
            return nil
        }
        for _ in 0..<4 { try await device.sync() }
        #expect(try await device.rows("SELECT title, pinned FROM todo") == ["Theirs 1"])
        #expect(try await device.replica.verify().isEmpty)
    }

    @Test(arguments: 0..<ways.count)
    func `is not missed where it was deleted`(way: Int) async throws {
        let (device, api) = try await device(RESTSettings(fetching: ways[way].0), [todo("a")]) {
            $0.listing = ways[way].1
        }
        try await device.sync()
        api.delete("todos", "a")
        let database = device.database
        let isDone = Counter(1)
        api.breaking { request in
            guard request.path.hasPrefix("todos"), isDone.next() == 0 else { return nil }
            try? database.write { try $0.execute(sql: "UPDATE todo SET pinned = 1") }
            return nil
        }
        for _ in 0..<4 { try await device.sync() }
        #expect(try await device.rows("SELECT title, pinned FROM todo").isEmpty)
        #expect(try await device.replica.verify().isEmpty)
    }

    @Test(arguments: 0..<ways.count)
    func `is not missed where changes are undone`(way: Int) async throws {
        var limits = RESTLimits()
        limits.maximumChanges = 1
        let settings = RESTSettings(fetching: ways[way].0, sending: .never)
        let (device, api) = try await device(settings, [todo("a"), todo("b")], limits: limits) {
            $0.listing = ways[way].1
        }
        try await device.sync()
        api.put("todos", todo("a", "Theirs"))
        api.put("todos", todo("b", "Theirs"))
        try await device.execute("UPDATE todo SET title = 'Mine'")
        for _ in 0..<5 { try await device.sync() }
        #expect(
            try await device.rows("SELECT id, title FROM todo ORDER BY id")
                == ["a Theirs", "b Theirs"])
    }
}

@Suite(.ownThreads) struct `A request that is sent again` {
    @Test func `is not taken by a page of the network`() async throws {
        let (device, api) = try await device(RESTSettings(lostAnswers: .idempotencyKey))
        api.state.withLock { $0.honoursKeys = true }
        try await device.execute("INSERT INTO todo(id, title) VALUES ('a', 'Milk')")
        api.breakingOnce("POST", .lost)
        await #expect(throws: ReplicaError.self) { try await device.sync() }
        api.breaking { $0.method == "POST" ? .status(200, body: "<html>Sign in</html>") : nil }
        _ = try? await device.sync()
        api.breaking(nil)
        try await device.sync()
        try await device.sync()
        #expect(api.rows("todos").count == 1)
        #expect(try await device.rows("SELECT id FROM todo") == ["a"])
    }

    /// A server answers 409 while it still works on the first one.
    @Test func `waits for the first one`() async throws {
        let api = FakeAPI(["people": FakeCollection { $0.makesIDs = true }])
        api.state.withLock { $0.honoursKeys = true }
        let device = try await Settings.$person.withValue(
            RESTSettings(ids: .server, lostAnswers: .idempotencyKey)
        ) { try await Device(api, [Person.self]) }
        try await device.execute("INSERT INTO person(name) VALUES ('Ada')")
        api.breakingOnce("POST", .answerLost)
        await #expect(throws: ReplicaError.self) { try await device.sync() }
        let busy = FakeAPI.Fault.status(409, body: #"{"detail":"in progress"}"#)
        let left = Counter(2)
        api.breaking { $0.method == "POST" && left.next() >= 0 ? busy : nil }
        _ = try? await device.sync()
        api.breaking(nil)
        try await device.sync()
        try await device.sync()
        #expect(try await device.refused.isEmpty)
        #expect(try await device.rows("SELECT id, name FROM person") == ["100 Ada"])
    }

    @Test(arguments: [405, 404, 403], ["PUT", "DELETE"])
    func `goes again where nobody can read the row`(status: Int, method: String) async throws {
        let (device, api) = try await device(RESTSettings(fetching: .never))
        try await device.execute("INSERT INTO todo(id, title) VALUES ('a', 'Milk')")
        try await device.sync()
        try await device.execute(
            method == "PUT" ? "UPDATE todo SET title = 'Oats'" : "DELETE FROM todo")
        let isDone = Counter(1)
        api.breaking { request in
            if request.method == "GET" { return .status(status) }
            return request.method == method && isDone.next() == 0 ? .lost : nil
        }
        await #expect(throws: ReplicaError.self) { try await device.sync() }
        try await device.sync()
        #expect(try await device.refused.isEmpty)
        let expected =
            method == "PUT" ? ["a": #"{"done":false,"id":"a","title":"Oats"}"#] : [:]
        #expect(api.rows("todos") == expected)
    }
}

@Suite(.ownThreads) struct `Rows that are missing` {
    @Test func `go although the server limits requests`() async throws {
        let texts = (100..<250).map { todo("\($0)") }
        let (device, api) = try await device(RESTSettings(fetching: .pages()), texts) {
            $0.listing = .pages(200)
        }
        try await device.sync()
        for id in 101..<250 { api.delete("todos", "\(id)") }
        for _ in 0..<6 {
            let left = Counter(60)
            api.breaking { request in
                request.path.hasPrefix("todos/") && left.next() < 0
                    ? .status(429, headers: ["Retry-After": "60"]) : nil
            }
            _ = try? await device.sync()
        }
        #expect(try await device.rows("SELECT id FROM todo") == ["100"])
        #expect(device.replica.status.isCaughtUp)
    }

    /// A server that marks deleted rows leaves them out of the list, and answers them by their
    /// address.
    @Test func `go after three lists, also with an ETag`() async throws {
        let (device, api) = try await device(RESTSettings(), [todo("a"), todo("b")]) {
            $0.hasListETag = true
        }
        try await device.sync()
        api.delete("todos", "b")
        api.breaking { $0.path == "todos/b" ? .status(200, body: todo("b")) : nil }
        for _ in 0..<6 { try await device.sync() }
        #expect(try await device.rows("SELECT id FROM todo") == ["a"])
    }

    @Test func `are found by a feed for a key of a type that SQLite does not know`() async throws {
        let api = FakeAPI([
            "tags": FakeCollection([#"{"id":"x1","text":"T"}"#, #"{"id":"12","text":"U"}"#]) {
                $0.listing = .feed(3)
            }
        ])
        let database = try DatabaseQueue()
        try await database.write {
            try $0.execute(sql: "CREATE TABLE tag(id STRING PRIMARY KEY NOT NULL, text TEXT)")
        }
        let device = try await Device(api, [Tag.self], database: database)
        try await device.sync()
        #expect(try await device.rows("SELECT * FROM tag ORDER BY id") == ["12 U", "x1 T"])
        api.delete("tags", "x1")
        api.delete("tags", "12")
        try await device.sync()
        #expect(try await device.rows("SELECT * FROM tag") == [])
    }
}

private struct Tag: Codable, FetchableRecord, PersistableRecord, Sendable {
    static let databaseTableName = "tag"
    var id: String
    var text: String
}

extension Tag: Uploadable {
    static let path = "tags"
    static let rest = RESTSettings(fetching: .changes())
}

@Suite(.ownThreads) struct `A server that forgets a position` {
    @Test(arguments: [400, 404, 410, 422, 416])
    func `is read again`(status: Int) async throws {
        let (device, api) = try await device(RESTSettings(fetching: .changes()), [todo("a")]) {
            $0.listing = .feed(3)
        }
        try await device.sync()
        api.put("todos", todo("b"))
        api.breaking { $0.path.contains("since=") ? .status(status) : nil }
        _ = try? await device.sync()
        api.breaking { $0.path.contains("since=1") ? .status(status) : nil }
        _ = try? await device.sync()
        #expect(try await device.rows("SELECT id FROM todo ORDER BY id") == ["a", "b"])
    }

    /// The last row comes again each time.
    @Test func `or includes it comes to rest`() async throws {
        let (device, api) = try await device(RESTSettings(fetching: .changes()))
        api.breaking { _ in .status(200, body: "{\"items\":[\(todo("a"))],\"next\":\"7\"}") }
        _ = try? await device.sync()
        try await device.sync()
        #expect(device.replica.status.isCaughtUp)
    }
}

@Suite(.ownThreads) struct `A row that the server does not take` {
    /// What nobody knows the outcome of comes before what others changed.
    @Test func `with a 500 keeps the rows of others away until it does`() async throws {
        let (device, api) = try await device(RESTSettings())
        try await device.execute("INSERT INTO todo(id, title) VALUES ('a', 'Milk')")
        api.breaking { $0.method == "POST" ? .status(500) : nil }
        api.put("todos", todo("b"))
        for _ in 0..<2 {
            await #expect(throws: ReplicaError.self) { try await device.sync() }
            #expect(try await device.rows("SELECT id FROM todo") == ["a"])
        }
        api.breaking(nil)
        try await device.sync()
        #expect(try await device.rows("SELECT id FROM todo ORDER BY id") == ["a", "b"])
    }

    /// Its parent is not there, so the server answers that.
    @Test func `with a 404 does not keep others waiting`() async throws {
        let (device, api) = try await device(RESTSettings())
        try await device.sync()
        try await device.execute("INSERT INTO todo(id, title) VALUES ('a', 'Bad'), ('b', 'B')")
        api.breaking { $0.method == "POST" && $0.body.contains("Bad") ? .status(404) : nil }
        _ = try? await device.sync()
        _ = try? await device.sync()
        #expect(api.rows("todos").keys.sorted() == ["b"])
        #expect(try await device.refused.count == 1)
    }
}

@Suite(.ownThreads) struct `Times and texts of other programs` {
    @Test(arguments: [
        "2026-03-01T10:00:00.123456+00:00", "2026-03-01T10:00:00.123456Z", "2026-03-01T10:00:00Z",
        "2026-03-01T10:00:00+02:00", "2026-03-01T10:00:00.1234567Z",
        "2026-03-01 10:00:00", "2026-03-01T10:00:00", "2026-03-01T10:00:00.123456",
        "2026-03-01 10:00:00+00:00",
    ])
    func `are times`(text: String) {
        #expect(UpdateTime(text).date != nil)
    }

    @Test func `may have a NUL`() async throws {
        let text = #"{"id":"a","title":"x\u0000y","done":false}"#
        let (device, api) = try await device(RESTSettings(), [text])
        try await device.sync()
        try await device.sync()
        #expect(device.replica.status.isCaughtUp)
        try await device.execute("UPDATE todo SET done = 1")
        try await device.sync()
        #expect(api.rows("todos")["a"] == #"{"done":true,"id":"a","title":"x\u0000y"}"#)
    }
}

@Suite(.ownThreads) struct `An answer to a PUT` {
    @Test func `counts with the id in other letters`() async throws {
        let id = "0A6F2B34-5C7D-4E8F-9A0B-1C2D3E4F5A6B"
        let (device, api) = try await device(RESTSettings()) {
            $0.hasUUIDs = true
            $0.transform = { $0.with("note", .string("made")) }
        }
        try await device.execute("INSERT INTO todo(id, title) VALUES ('\(id)', 'Milk')")
        try await device.sync()
        try await device.execute("UPDATE todo SET title = 'Oats', note = NULL")
        api.breaking { request in
            request.path == "todos" ? .status(503, headers: ["Retry-After": "60"]) : nil
        }
        _ = try? await device.sync()
        #expect(try await device.rows("SELECT title, note FROM todo") == ["Oats made"])
    }
}
