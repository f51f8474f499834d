import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageRESTHub
import MoorageSupport
import TestSupport
import Testing

@Suite(.ownThreads) struct `An API that answers anything` {
    private func device(
        _ settings: RESTSettings = RESTSettings(), _ limits: RESTLimits = RESTLimits()
    ) async throws -> (Device, FakeAPI) {
        let api = FakeAPI([
            "todos": FakeCollection([#"{"id":"a","title":"Milk","done":false}"#])
        ])
        let device = try await Settings.$todo.withValue(settings) {
            try await Device(api, [Todo.self], limits: limits)
        }
        return (device, api)
    }

    private func code(_ device: Device) async -> HubError.Code? {
        do {
            try await device.sync()
            return nil
        } catch { return error.hubCode }
    }

    static let answers: [(Int, String, HubError.Code?)] = [
        (200, "", .notOurServer), (204, "", .notOurServer), (200, "<html>", .notOurServer),
        (200, "[", .notOurServer),
        (200, "7", .malformed), (200, "{}", .malformed), (200, #"{"items":7}"#, .malformed),
        (200, "[7]", .malformed), (200, "[{}]", .malformed), (200, #"[{"id":null}]"#, .malformed),
        (200, #"[{"id":[]}]"#, .malformed), (200, #"[{"id":"b"}]"#, nil),
        (200, #"[{"id":7,"title":"x","done":true}]"#, nil),
        (200, String(repeating: "[", count: 200), .notOurServer),
        (301, "", .notOurServer), (100, "", .notOurServer), (0, "", .notOurServer),
        (999, "", .notOurServer), (404, "", .notFound), (405, "", .notFound),
        (403, "", .unknownTable), (401, "", .unauthorized), (418, "", .malformed),
    ]

    @Test(arguments: 0..<answers.count)
    func `is an error, and nothing is lost`(number: Int) async throws {
        let (device, api) = try await device()
        try await device.sync()
        let (status, body, code) = Self.answers[number]
        api.breaking { $0.method == "GET" ? .status(status, body: body) : nil }
        #expect(await self.code(device) == code)
        api.breaking(nil)
        try await device.sync()
        #expect(try await device.rows("SELECT id, title FROM todo") == ["a Milk"])
    }

    @Test(arguments: ["", "OK", "7", "[]", "{}", #"{"id":7}"#, #"{"id":"b","title":null}"#])
    func `to a write may say anything`(body: String) async throws {
        let (device, api) = try await device()
        try await device.sync()
        try await device.execute("UPDATE todo SET title = 'Mine'")
        api.breaking { request in
            guard request.method == "PUT" else { return nil }
            api.put("todos", request.body)
            return .status(200, body: body)
        }
        try await device.sync()
        api.breaking(nil)
        try await device.sync()
        #expect(api.rows("todos")["a"] == #"{"done":false,"id":"a","title":"Mine"}"#)
        #expect(try await device.rows("SELECT id, title FROM todo") == ["a Mine"])
    }

    @Test func `by a page of the network took nothing`() async throws {
        let (device, api) = try await device()
        try await device.execute("INSERT INTO todo(id, title) VALUES ('b', 'B')")
        api.breaking { $0.method == "POST" ? .status(200, body: "<html>Sign in</html>") : nil }
        #expect(await code(device) == .notOurServer)
        api.breaking(nil)
        try await device.sync()
        #expect(api.rows("todos").count == 2)
    }

    @Test func `is read up to a limit`() async throws {
        var limits = RESTLimits()
        limits.maximumAnswerBytes = 1_000
        let (device, api) = try await device(RESTSettings(), limits)
        try await device.sync()
        api.put(
            "todos", #"{"id":"b","title":"\#(String(repeating: "x", count: 2_000))","done":false}"#)
        #expect(await code(device) == .tooLarge)
    }

    @Test func `with pages without end is left`() async throws {
        var limits = RESTLimits()
        limits.maximumPages = 5
        for fetching in [RESTFetching.pages(), .keyset(), .changes()] {
            let (device, api) = try await device(RESTSettings(fetching: fetching), limits)
            let count = Counter(1_000)
            api.breaking { request in
                let number = count.next()
                let items = #"[{"id":"\#(number)","title":"T","done":false}]"#
                return .status(
                    200, body: #"{"items":\#(items),"next":"\#(number)","more":true}"#)
            }
            #expect(await code(device) == .malformed)
            #expect(try await device.rows("SELECT id FROM todo").count == 5)
        }
    }

    @Test func `with the same page for ever is left`() async throws {
        let (device, api) = try await device(RESTSettings(fetching: .pages()))
        api.breaking { _ in .status(200, body: #"{"items":[],"next":"x"}"#) }
        #expect(await code(device) == .malformed)
    }

    @Test(arguments: [
        "http://evil.example/api/todos?cursor=2", "http://localhost:9999@evil.example/",
        "https://localhost:9999/api", "//evil.example/",
    ])
    func `does not send the device to another server`(address: String) async throws {
        let (device, api) = try await device(RESTSettings(fetching: .pages()))
        api.breaking { _ in
            .status(200, headers: ["Link": "<\(address)>; rel=\"next\""], body: "[]")
        }
        #expect(await code(device) == .malformed)
        #expect(api.takeLog() == ["GET todos"])
    }

    @Test func `with another row's id does not change that one`() async throws {
        let (device, api) = try await device()
        try await device.sync()
        try await device.execute("UPDATE todo SET title = 'Mine'")
        api.breaking { request in
            request.path == "todos/a"
                ? .status(200, body: #"{"id":"b","title":"B","done":false}"#) : nil
        }
        try await device.sync()
        #expect(try await device.refused.map(\.code) == [.failed])
        #expect(api.requests("PUT").isEmpty)
    }

    @Test func `never gets a key that is no step of a path`() async throws {
        let (device, api) = try await device()
        try await device.execute("INSERT INTO todo(id, title) VALUES ('..', 'x'), ('', 'y')")
        try await device.sync()
        _ = api.takeLog()
        try await device.execute("UPDATE todo SET title = 'z'")
        try await device.sync()
        #expect(Set(try await device.refused.map(\.code)) == [.type])
        #expect(!api.takeLog().contains { $0.contains("..") || $0.hasSuffix("/") })
    }
}

@Suite(.ownThreads) struct `How models are declared` {
    private func code(
        _ models: [any Uploadable.Type], address: String = "http://localhost:9999",
        headers: [String: String] = [:]
    ) async throws -> ReplicaError.Code? {
        let database = try DatabaseQueue()
        try await database.write { try $0.execute(sql: Device.schema) }
        let hub = RESTHub(
            URL(string: address)!, models, in: database, headers: headers,
            transport: FakeAPI([:]))
        do {
            let replica = try await hub.replica(options: Device.options)
            try await replica.sync()
            return nil
        } catch { return (error as? ReplicaError)?.code }
    }

    @Test func `is checked before anything is sent`() async throws {
        let fault = ReplicaError.Code.hub(.configuration)
        #expect(try await code([Todo.self, Todo.self]) == fault)
        #expect(try await code([Todo.self], address: "http://api.example.com") == fault)
        #expect(try await code([Todo.self], headers: ["If-Match": "x"]) == fault)
        #expect(try await code([Todo.self], headers: ["X-Key": "a\nb"]) == fault)
        try await Settings.$person.withValue(RESTSettings(ids: .server, inserts: .put)) {
            let found = try await code([Person.self])
            #expect(found == fault)
        }
        try await Settings.$todo.withValue(
            RESTSettings(children: [.embedded(Line.self, as: "lines")])
        ) {
            let found = try await code([Todo.self])
            #expect(found == fault)
        }
        #expect(try await code([Todo.self]) == .hub(.notFound))
    }

    @Test func `and whose the file is is checked, too`() async throws {
        let api = FakeAPI(["todos": FakeCollection()])
        let ada = try await Device(api, [Todo.self], user: "ada")
        try await ada.sync()
        let bo = try await Device(api, [Todo.self], database: ada.database, user: "bo")
        let error = await #expect(throws: ReplicaError.self) { try await bo.sync() }
        #expect(error?.hubCode == .differentUser)
        let user = try await ada.rows("SELECT value FROM _moorage_meta WHERE value LIKE '%ada%'")
        #expect(user.isEmpty)
    }
}
