import Foundation
import Moorage
import MoorageCore
import MoorageRESTHub
import MoorageSupport
import TestSupport
import Testing

@Suite(.ownThreads) struct `What a device sends to an API` {
    private func api(_ configure: (inout FakeCollection) -> Void = { _ in }) -> FakeAPI {
        FakeAPI(["todos": FakeCollection([], configure)])
    }

    private static let milk = "INSERT INTO todo(id, title) VALUES ('a', 'Milk')"

    @Test func `a new row goes by POST, with the record as JSON`() async throws {
        let api = api()
        let device = try await Device(api, [Todo.self])
        try await device.execute(Self.milk)
        try await device.sync()
        #expect(api.rows("todos") == ["a": #"{"done":false,"id":"a","title":"Milk"}"#])
        let post = try #require(api.requests("POST").first)
        #expect(post.path == "todos")
        #expect(post.headers["content-type"] == "application/json")
        #expect(post.headers["idempotency-key"]?.count == 32)
        #expect(device.replica.status.isCaughtUp)
        #expect(try await device.refused.isEmpty)
    }

    @Test func `an update reads the row, and goes by PUT with its version`() async throws {
        let api = api()
        let device = try await Device(api, [Todo.self])
        try await device.execute(Self.milk)
        try await device.sync()
        _ = api.takeLog()
        try await device.execute("UPDATE todo SET done = 1 WHERE id = 'a'")
        try await device.sync()
        #expect(api.rows("todos") == ["a": #"{"done":true,"id":"a","title":"Milk"}"#])
        let put = try #require(api.requests("PUT").first)
        #expect(put.headers["if-match"] == "\"1\"")
        #expect(api.takeLog() == ["GET todos/a", "PUT todos/a", "GET todos"])
    }

    @Test func `members that the record does not know stay`() async throws {
        let api = api()
        api.put("todos", #"{"id":"a","title":"Milk","done":false,"color":"red","note":"2 l"}"#)
        let device = try await Device(api, [Todo.self])
        try await device.sync()
        try await device.execute("UPDATE todo SET note = NULL, title = 'Soy milk'")
        try await device.sync()
        #expect(
            api.rows("todos")["a"]
                == #"{"color":"red","done":false,"id":"a","note":null,"title":"Soy milk"}"#)
    }

    @Test func `columns that the record does not know stay here`() async throws {
        let api = api()
        let device = try await Device(api, [Todo.self])
        try await device.execute(Self.milk)
        try await device.execute("UPDATE todo SET pinned = 1")
        try await device.sync()
        _ = api.takeLog()
        try await device.execute("UPDATE todo SET pinned = 2")
        try await device.sync()
        #expect(api.requests("PUT").isEmpty)
        #expect(try await device.rows("SELECT title, pinned FROM todo") == ["Milk 2"])
        api.put("todos", #"{"id":"a","title":"Oats","done":false}"#)
        try await device.sync()
        #expect(try await device.rows("SELECT title, pinned FROM todo") == ["Oats 2"])
    }

    @Test func `a deletion of a row that is gone is done`() async throws {
        let api = api()
        let device = try await Device(api, [Todo.self])
        try await device.execute(Self.milk)
        try await device.sync()
        try await device.execute("DELETE FROM todo")
        api.breakingOnce("GET", .status(404))
        try await device.sync()
        #expect(try await device.refused.isEmpty)
        api.breaking(nil)
        try await device.sync()
        // The server had it all the time.
        #expect(try await device.rows("SELECT title FROM todo") == ["Milk"])
        try await device.execute("DELETE FROM todo")
        try await device.sync()
        #expect(api.rows("todos").isEmpty)
    }

    @Test(arguments: [(400, "check"), (403, "permission"), (413, "tooLarge"), (422, "check")])
    func `a refused row is listed with the server's reason`(status: Int, code: String) async throws
    {
        let api = api { $0.refuses = { _ in (status, "Not today.") } }
        let device = try await Device(api, [Todo.self])
        try await device.execute(Self.milk)
        try await device.sync()
        let refused = try await device.refused
        #expect(refused.map(\.code.rawValue) == [code])
        #expect(refused.first?.message == "Not today.")
        #expect(refused.first?.after["title"] == .text("Milk"))
        #expect(try await device.rows("SELECT * FROM todo").isEmpty)
        #expect(device.replica.status.isCaughtUp)
        api.change("todos") { $0.refuses = nil }
        for change in refused { try await device.replica.retry(change) }
        try await device.sync()
        #expect(api.rows("todos").count == 1)
    }

    @Test func `a refused update brings the server's row back`() async throws {
        let api = api()
        let device = try await Device(api, [Todo.self])
        try await device.execute(Self.milk)
        try await device.sync()
        api.change("todos") { $0.refuses = { _ in (422, "No.") } }
        try await device.execute("UPDATE todo SET title = 'Beer'")
        try await device.sync()
        #expect(try await device.refused.map(\.after) == [["title": .text("Beer")]])
        #expect(try await device.rows("SELECT title FROM todo") == ["Milk"])
    }

    @Test(arguments: [408, 425, 429, 500, 502, 503])
    func `a server that cannot answer now is asked again`(status: Int) async throws {
        let api = api()
        let device = try await Device(api, [Todo.self])
        try await device.execute(Self.milk)
        api.breaking { _ in .status(status, headers: ["Retry-After": "17"]) }
        let error = await #expect(throws: ReplicaError.self) { try await device.sync() }
        #expect(error?.hubCode == .busy)
        #expect((error?.cause as? HubError)?.retryAfter == .seconds(17))
        #expect(device.replica.status.pendingCount == 1)
        api.breaking(nil)
        try await device.sync()
        #expect(api.rows("todos").count == 1)
    }

    @Test func `an answer without a row is enough`() async throws {
        let api = api { $0.answersRows = false }
        let device = try await Device(api, [Todo.self])
        try await device.execute(Self.milk)
        try await device.sync()
        #expect(try await device.rows("SELECT id, title, done FROM todo") == ["a Milk 0"])
    }

    @Test func `what the server makes of a row comes back`() async throws {
        let api = api { collection in
            collection.transform = { $0.with("title", .string("MILK")) }
        }
        let device = try await Device(api, [Todo.self])
        try await device.execute(Self.milk)
        try await device.sync()
        #expect(try await device.rows("SELECT title FROM todo") == ["MILK"])
        #expect(try await device.conflicts.isEmpty)
    }

    @Test func `new rows can go by PUT to their own path`() async throws {
        let api = api()
        try await Settings.$todo.withValue(RESTSettings(inserts: .put)) {
            let device = try await Device(api, [Todo.self])
            try await device.execute("INSERT INTO todo(id, title) VALUES ('a/ü?', 'Milk')")
            try await device.sync()
            #expect(api.rows("todos").keys.sorted() == ["a/ü?"])
            #expect(api.requests("PUT").first?.path == "todos/a%2F%C3%BC%3F")
            #expect(api.requests("PUT").first?.headers["if-none-match"] == "*")
        }
    }

    @Test func `a token that has expired is asked for again`() async throws {
        let api = api()
        api.state.withLock { $0.token = "new" }
        let asked = Locked<[String?]>([])
        let device = try await Device(
            api, [Todo.self],
            credentials: .token { refused in
                asked.withLock { $0.append(refused) }
                return refused == nil ? "old" : "new"
            })
        try await device.execute(Self.milk)
        try await device.sync()
        #expect(api.rows("todos").count == 1)
        #expect(asked.withLock { $0.prefix(2) } == [nil, "old"])
        api.state.withLock { $0.token = "newer" }
        let error = await #expect(throws: ReplicaError.self) { try await device.sync() }
        #expect(error?.hubCode == .unauthorized)
    }

    @Test func `rows that are only sent are never fetched`() async throws {
        let api = api()
        try await Settings.$todo.withValue(RESTSettings(fetching: .never)) {
            let device = try await Device(api, [Todo.self])
            try await device.execute(Self.milk)
            try await device.sync()
            try await device.execute("UPDATE todo SET done = 1")
            try await device.sync()
            #expect(api.rows("todos") == ["a": #"{"done":true,"id":"a","title":"Milk"}"#])
            try await device.execute("DELETE FROM todo")
            try await device.sync()
            #expect(api.rows("todos").isEmpty)
            #expect(api.requests("GET").isEmpty)
        }
    }

    @Test func `rows that exist already can be sent`() async throws {
        let api = api()
        let first = try await Device(api, [])
        try await first.execute(Self.milk)
        let device = try await Device(
            api, [Todo.self], database: first.database, firstContact: .upload)
        try await device.sync()
        #expect(api.rows("todos").count == 1)
    }
}
