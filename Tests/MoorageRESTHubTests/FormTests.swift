import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageRESTHub
import TestSupport
import Testing

private struct Note: Codable, FetchableRecord, PersistableRecord, Sendable {
    static let databaseTableName = "note"
    var id: String
    var text: String
}

extension Note: Uploadable { static let path = "notes/" }

/// Forms of APIs other than plain JSON by `PUT`.
@Suite(.ownThreads) struct `Requests in the API's form` {
    private static let milk = "INSERT INTO todo(id, title) VALUES ('a', 'Milk')"
    private static let row = #"{"at":"10:00.5","done":false,"id":"a","note":"2 l","title":"Milk"}"#

    private func device(
        _ settings: RESTSettings, _ texts: [String] = [],
        _ configure: (inout FakeCollection) -> Void = { _ in }
    ) async throws -> (Device, FakeAPI) {
        let api = FakeAPI(["todos": FakeCollection(texts, configure)])
        let device = try await Settings.$todo.withValue(settings) {
            try await Device(api, [Todo.self])
        }
        return (device, api)
    }

    // MARK: PATCH

    @Test(arguments: [
        (RESTSettings.Updates.patch, "application/json"),
        (.mergePatch, "application/merge-patch+json"),
    ])
    func `have only what changed with PATCH`(updates: RESTSettings.Updates, type: String)
        async throws
    {
        let (device, api) = try await device(RESTSettings(updates: updates), [Self.row]) {
            $0.updates = "PATCH"
        }
        try await device.sync()
        try await device.execute("UPDATE todo SET done = 1, note = NULL")
        try await device.sync()
        let patch = try #require(api.requests("PATCH").first)
        #expect(patch.path == "todos/a")
        #expect(JSON(patch.body).canonical == #"{"done":true,"note":null}"#)
        #expect(patch.headers["content-type"] == type)
        #expect(patch.headers["if-match"] == "\"1\"")
        #expect(
            api.rows("todos")["a"]
                == #"{"at":"10:00.5","done":true,"id":"a","note":null,"title":"Milk"}"#)
        #expect(try await device.rows("SELECT title, done, note FROM todo") == ["Milk 1 -"])
        try await device.execute("INSERT INTO todo(id, title) VALUES ('b', 'Tea')")
        try await device.sync()
        #expect(api.requests("POST").first?.headers["content-type"] == "application/json")
        #expect(api.rows("todos").count == 2)
    }

    @Test func `are found after a lost answer to PATCH`() async throws {
        let (device, api) = try await device(RESTSettings(updates: .patch), [Self.row]) {
            $0.updates = "PATCH"
        }
        try await device.sync()
        try await device.execute("UPDATE todo SET done = 1")
        api.breakingOnce("PATCH", .answerLost)
        _ = try? await device.sync()
        api.breaking(nil)
        try await device.reopen()
        try await device.catchUp()
        #expect(api.requests("PATCH").count == 1)
        #expect(try await device.rows("SELECT title, done FROM todo") == ["Milk 1"])
        #expect(try await device.conflicts.isEmpty)
    }

    @Test func `have only what changed where the server detects conflicts`() async throws {
        let settings = RESTSettings(updates: .patch, detection: .byServer)
        let (device, api) = try await device(settings, [Self.row]) { $0.updates = "PATCH" }
        try await device.sync()
        api.put("todos", Self.row.replacingOccurrences(of: "2 l", with: "3 l"))
        try await device.execute("UPDATE todo SET done = 1")
        _ = api.takeLog()
        try await device.sync()
        #expect(api.requests("PATCH").map(\.body) == [#"{"done":true}"#])
        #expect(try await device.rows("SELECT done, note FROM todo") == ["1 3 l"])
    }

    @Test func `have only what changed in a batch, too`() async throws {
        let settings = RESTSettings(updates: .patch, batch: RESTBatch(path: "todos/batch"))
        let (device, api) = try await device(
            settings, [Self.row, Self.row.replacingOccurrences(of: #""a""#, with: #""b""#)]
        ) { $0.updates = "PATCH" }
        try await device.sync()
        try await device.execute("UPDATE todo SET done = 1")
        try await device.sync()
        let batch = try #require(api.requests("POST").first)
        #expect(batch.body.contains(#""method":"PATCH""#))
        #expect(batch.body.contains(#""body":{"done":true}"#))
        #expect(api.rows("todos").values.allSatisfy { $0.contains(#""done":true"#) })
    }

    // MARK: Members

    @Test func `leave out what the record does not know`() async throws {
        let accepts: Set = ["id", "title", "done", "note"]
        let (device, api) = try await device(RESTSettings(body: .known), [Self.row]) {
            $0.accepts = accepts
        }
        try await device.sync()
        try await device.execute("UPDATE todo SET done = 1, note = NULL")
        try await device.sync()
        #expect(try await device.refused.isEmpty)
        #expect(
            api.rows("todos")["a"] == #"{"done":true,"id":"a","note":null,"title":"Milk"}"#)
    }

    @Test func `leave it out of children, too`() async throws {
        let order = """
            {"customer":"Ada","id":"o","lines":[{"count":1,"id":"l","product":"Nails","url":"/l"}],\
            "url":"/o"}
            """
        let api = FakeAPI(["orders": FakeCollection([order])])
        let settings = RESTSettings(
            body: .known, children: [.embedded(Line.self, as: "lines")])
        let device = try await Settings.$order.withValue(settings) {
            try await Device(api, [Order.self])
        }
        try await device.sync()
        try await device.execute("UPDATE \"order\" SET customer = 'Bo'")
        try await device.sync()
        #expect(
            api.requests("PUT").map { JSON($0.body).canonical } == [
                #"{"customer":"Bo","id":"o","lines":[{"count":1,"id":"l","product":"Nails"}]}"#
            ])
    }

    @Test func `can have the row in a member`() async throws {
        let (device, api) = try await device(RESTSettings(requestEnvelope: "todo")) {
            $0.envelope = "todo"
        }
        try await device.execute(Self.milk)
        try await device.sync()
        try await device.execute("UPDATE todo SET done = 1")
        try await device.sync()
        #expect(
            api.requests("POST").map { JSON($0.body).canonical }
                == [#"{"todo":{"done":false,"id":"a","title":"Milk"}}"#])
        #expect(api.rows("todos") == ["a": #"{"done":true,"id":"a","title":"Milk"}"#])
    }

    /// A transport of the app's own between the two.
    private struct Adapter: HTTPTransport {
        let base: FakeAPI

        func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
            let isUpdate = request.method == "PUT"
            let answer = try await base.send(
                HTTPTransportRequest(
                    method: isUpdate ? "PATCH" : request.method, url: request.url,
                    headers: request.headers, body: request.body))
            return isUpdate
                ? HTTPTransportResponse(status: 200, headers: ["ETag": "\"9\""], body: []) : answer
        }
    }

    @Test func `can be changed by a transport of the app's own`() async throws {
        let api = FakeAPI(["todos": FakeCollection([Self.row]) { $0.updates = "PATCH" }])
        let database = try DatabaseQueue()
        try await database.write { try $0.execute(sql: Device.schema) }
        let replica = try await RESTHub(
            FakeAPI.address, [Todo.self], in: database, transport: Adapter(base: api)
        ).replica(options: Device.options)
        try await replica.sync()
        try await database.write { try $0.execute(sql: "UPDATE todo SET done = 1") }
        try await replica.sync()
        #expect(api.requests("PATCH").count == 1)
        #expect(api.rows("todos")["a"]?.contains(#""done":true"#) == true)
    }

    // MARK: Addresses and headers

    @Test func `keep the slash at the end of a path`() async throws {
        let api = FakeAPI(["notes": FakeCollection()])
        let database = try DatabaseQueue()
        try await database.write {
            try $0.execute(
                sql: "CREATE TABLE note(id TEXT PRIMARY KEY NOT NULL, text TEXT NOT NULL)")
        }
        let device = try await Device(api, [Note.self], database: database)
        try await device.execute("INSERT INTO note VALUES ('a', 'Tea')")
        try await device.sync()
        try await device.execute("UPDATE note SET text = 'Pie'")
        try await device.sync()
        #expect(
            api.takeLog() == [
                "POST notes/", "GET notes/", "GET notes/a/", "PUT notes/a/",
                "GET notes/",
            ])
    }

    private static func hub(
        _ api: FakeAPI, _ database: DatabaseQueue, _ headers: [String: String],
        _ credentials: HubCredentials? = nil, scheme: String = "Bearer"
    ) -> RESTHub {
        RESTHub(
            FakeAPI.address, [Todo.self], in: database, credentials: credentials, user: nil,
            scheme: scheme, headers: headers, transport: api)
    }

    private static func sent(
        _ headers: [String: String], _ credentials: HubCredentials? = nil,
        scheme: String = "Bearer"
    ) async throws -> [String: String] {
        let api = FakeAPI(["todos": FakeCollection()])
        let database = try DatabaseQueue()
        try await database.write { try $0.execute(sql: Device.schema + ";" + Self.milk) }
        let replica = try await hub(api, database, headers, credentials, scheme: scheme)
            .replica(firstContact: .upload, options: Device.options)
        try await replica.sync()
        return try #require(api.requests("POST").first).headers
    }

    @Test func `carry another scheme than Bearer`() async throws {
        let token = try await Self.sent([:], .secret("t"), scheme: "Token")
        #expect(token["authorization"] == "Token t")
        let bare = try await Self.sent([:], .secret("t"), scheme: "")
        #expect(bare["authorization"] == "t")
    }

    @Test func `carry the app's own headers`() async throws {
        let headers = try await Self.sent([
            "Authorization": "Basic YTpi", "accept": "application/vnd.api+json",
            "Content-Type": "application/vnd.api+json", "X-Key": "k",
        ])
        #expect(headers["authorization"] == "Basic YTpi")
        #expect(headers["accept"] == "application/vnd.api+json")
        #expect(headers["content-type"] == "application/vnd.api+json")
        #expect(headers["x-key"] == "k")
    }

    @Test func `have one Authorization`() async throws {
        for (headers, scheme) in [
            (["authorization": "Basic x"], "Bearer"), ([:], "a b"), ([:], "ü"),
        ] {
            let error = await #expect(throws: ReplicaError.self) {
                _ = try await Self.sent(headers, .secret("t"), scheme: scheme)
            }
            #expect(error?.hubCode == .configuration)
        }
    }

    // MARK: Ids that the answer lacks

    @Test(arguments: [RESTSettings.LostAnswers.lookUp, .idempotencyKey])
    func `look for a new row whose answer has no id`(lost: RESTSettings.LostAnswers) async throws {
        let api = FakeAPI([
            "people": FakeCollection([#"{"id":7,"name":"Bo","boss":null}"#]) {
                $0.makesIDs = true
                $0.answersRows = false
                $0.hasLocation = false
            }
        ])
        let settings = RESTSettings(ids: .server, lostAnswers: lost)
        let device = try await Settings.$person.withValue(settings) {
            try await Device(api, [Person.self])
        }
        try await device.execute(
            "INSERT INTO person(id, name, boss) VALUES (1, 'Ada', NULL), (2, 'Cy', 1)")
        try await device.sync()
        #expect(try await device.refused.isEmpty)
        #expect(
            try await device.rows("SELECT * FROM person ORDER BY id")
                == ["7 Bo -", "100 Ada -", "101 Cy 100"])
        #expect(api.requests("POST").count == 2)
        #expect(device.replica.status.isCaughtUp)
    }

    @Test func `leave a row whose id nobody tells to the next list`() async throws {
        let api = FakeAPI([
            "people": FakeCollection {
                $0.makesIDs = true
                $0.answersRows = false
                $0.hasLocation = false
            }
        ])
        let device = try await Device(api, [Person.self])
        try await device.execute("INSERT INTO person(id, name) VALUES (1, 'Ada')")
        // The list does not have it yet.
        api.breaking { $0.method == "GET" ? .status(200, body: "[]") : nil }
        try await device.sync()
        #expect(try await device.refused.isEmpty)
        api.breaking(nil)
        try await device.sync()
        #expect(try await device.rows("SELECT * FROM person") == ["100 Ada -"])
        #expect(api.rows("people").count == 1)
    }

    @Test func `keep a row that is only sent, and whose id nobody tells`() async throws {
        let api = FakeAPI([
            "people": FakeCollection {
                $0.makesIDs = true
                $0.answersRows = false
                $0.hasLocation = false
            }
        ])
        let settings = RESTSettings(ids: .server, fetching: .never)
        let device = try await Settings.$person.withValue(settings) {
            try await Device(api, [Person.self])
        }
        try await device.execute("INSERT INTO person(id, name) VALUES (1, 'Ada')")
        try await device.catchUp()
        #expect(try await device.refused.isEmpty)
        #expect(try await device.rows("SELECT * FROM person") == ["1 Ada -"])
        #expect(api.requests("POST").count == 1)
    }

    @Test func `name no row that the server did not take`() async throws {
        let api = FakeAPI([
            "people": FakeCollection([#"{"id":1,"name":"Bo","boss":null}"#]) {
                $0.makesIDs = true
                $0.refuses = { $0["name"]?.plain == "Ada" ? (422, "No.") : nil }
            }
        ])
        let device = try await Device(api, [Person.self])
        try await device.execute(
            "INSERT INTO person(id, name, boss) VALUES (1, 'Ada', NULL), (2, 'Cy', 1)")
        try await device.sync()
        #expect(api.rows("people").count == 1)
        #expect(
            try await device.refused.map(\.code).sorted { $0.rawValue < $1.rawValue } == [
                .check, .foreignKey,
            ])
    }
}
