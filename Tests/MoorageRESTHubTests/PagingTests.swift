import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageRESTHub
import MoorageSupport
import TestSupport
import Testing

private func row(_ id: String, _ more: String = "") -> String {
    #"{"id":"\#(id)","title":"T","done":false\#(more)}"#
}

private func device(
    _ fetching: RESTFetching, _ texts: [String] = [],
    _ configure: (inout FakeCollection) -> Void = { _ in }
) async throws -> (Device, FakeAPI) {
    let api = FakeAPI(["todos": FakeCollection(texts, configure)])
    let device = try await Settings.$todo.withValue(RESTSettings(fetching: fetching)) {
        try await Device(api, [Todo.self])
    }
    return (device, api)
}

@Suite(.ownThreads) struct `How pages follow each other` {
    @Test(arguments: [
        "http://localhost:9999/api/todos?page=2", "/api/todos?page=2", "?page=2",
    ])
    func `by an address in a member`(address: String) async throws {
        let (device, api) = try await device(.pages(items: "results"))
        api.breaking { request in
            request.path == "todos?page=2"
                ? .status(200, body: #"{"results":[\#(row("b"))],"next":null}"#)
                : .status(200, body: #"{"results":[\#(row("a"))],"next":"\#(address)"}"#)
        }
        try await device.sync()
        #expect(try await device.rows("SELECT id FROM todo") == ["a", "b"])
        #expect(api.takeLog() == ["GET todos", "GET todos?page=2"])
    }

    @Test(arguments: ["/0a+b==", "abc", "7"])
    func `by a cursor, also one in base64`(cursor: String) async throws {
        let (device, api) = try await device(.pages(next: "meta.next"))
        api.breaking { request in
            request.path == "todos"
                ? .status(200, body: #"{"items":[\#(row("a"))],"meta":{"next":"\#(cursor)"}}"#)
                : .status(200, body: #"{"items":[\#(row("b"))],"meta":{"next":null}}"#)
        }
        try await device.sync()
        #expect(try await device.rows("SELECT id FROM todo") == ["a", "b"])
        #expect(api.takeLog().last?.hasPrefix("GET todos?cursor=") == true)
    }

    @Test func `never to another server`() async throws {
        let (device, api) = try await device(.pages())
        api.breaking { _ in
            .status(200, body: #"{"items":[],"next":"https://evil.example/todos?page=2"}"#)
        }
        let error = await #expect(throws: ReplicaError.self) { try await device.sync() }
        #expect(error?.hubCode == .malformed)
        #expect(api.takeLog() == ["GET todos"])
    }

    @Test func `by another member than the declared one is an error`() async throws {
        let (device, api) = try await device(.pages())
        api.breaking { _ in
            .status(200, body: #"{"items":[\#(row("a"))],"next_cursor":"x"}"#)
        }
        let error = await #expect(throws: ReplicaError.self) { try await device.sync() }
        #expect(error?.hubCode == .malformed)
        #expect(try await device.rows("SELECT id FROM todo").isEmpty)
    }

    @Test func `by numbers, up to one that is not there`() async throws {
        let (device, api) = try await device(
            .numbered(page: "p", from: 0, parameters: ["per_page": "1"]))
        api.breaking { request in
            switch request.path {
            case "todos?per_page=1&p=0": .status(200, body: "[\(row("a"))]")
            case "todos?per_page=1&p=1": .status(200, body: "[\(row("b"))]")
            default: .status(404, body: #"{"detail":"Invalid page."}"#)
            }
        }
        try await device.sync()
        #expect(try await device.rows("SELECT id FROM todo") == ["a", "b"])
        #expect(device.replica.status.isCaughtUp)
    }

    @Test(arguments: [RESTFetching.numbered(), .offset()])
    func `not by a parameter that the server does not know`(fetching: RESTFetching) async throws {
        let (device, api) = try await device(fetching, [row("a"), row("b")])
        let error = await #expect(throws: ReplicaError.self) { try await device.sync() }
        #expect(error?.hubCode == .malformed)
        #expect(api.takeLog().count == 2)
    }

    @Test func `with parameters of the app in each request`() async throws {
        let ways: [RESTFetching] = [
            .list(parameters: ["q": "x"]), .pages(parameters: ["q": "x"]),
            .keyset(parameters: ["q": "x"]), .changes(parameters: ["q": "x"]),
            .modifiedSince(parameters: ["q": "x"]), .numbered(parameters: ["q": "x"]),
            .offset(parameters: ["q": "x"]), .updatedSince(parameters: ["q": "x"]),
        ]
        for fetching in ways {
            let (device, api) = try await device(fetching)
            try await device.sync()
            let log = api.takeLog()
            #expect(!log.isEmpty && log.allSatisfy { $0.contains("q=x") })
        }
    }
}

@Suite(.ownThreads) struct `Rows since a time` {
    private static let now = "Sun, 01 Mar 2026 10:05:00 GMT"

    private func asked(
        _ answers: [String], date: String? = now, _ next: String? = nil
    ) async throws -> (Device, [String]) {
        let (device, api) = try await device(.updatedSince())
        for body in answers {
            api.breaking { request in
                if request.path.contains("more") { return .status(200, body: next ?? "[]") }
                var headers: [String: String] = [:]
                headers["Date"] = date
                if next != nil { headers["Link"] = "<?more>; rel=next" }
                return .status(200, headers: headers, body: body)
            }
            try await device.sync()
        }
        return (device, api.takeLog())
    }

    private func at(_ id: String, _ time: String) -> String {
        row(id, #","updated_at":\#(time)"#)
    }

    @Test func `are asked for from the greatest that rows had`() async throws {
        let (device, log) = try await asked([
            "[\(at("a", #""2026-03-01T09:00:00Z""#)),\(at("b", #""2026-03-01T09:00:00.5Z""#))]",
            "[]", "[\(at("c", #""2026-03-01T11:30:00+02:00""#))]", "[]",
        ])
        #expect(try await device.rows("SELECT id FROM todo") == ["a", "b", "c"])
        #expect(
            log == [
                "GET todos", "GET todos?since=2026-03-01T09%3A00%3A00.5Z",
                "GET todos?since=2026-03-01T09%3A00%3A00.5Z",
                "GET todos?since=2026-03-01T11%3A30%3A00%2B02%3A00",
            ])
    }

    @Test func `come again for a minute`() async throws {
        let (_, log) = try await asked([
            "[\(at("a", #""2026-03-01T10:03:00Z""#)),\(at("b", #""2026-03-01T10:04:30Z""#))]", "[]",
        ])
        #expect(log.last == "GET todos?since=2026-03-01T10%3A03%3A00Z")
    }

    @Test func `may be on several pages, and change meanwhile`() async throws {
        let later = "[\(at("b", "7"))]"
        let (device, log) = try await asked(["[\(at("a", "5"))]", "[]"], date: nil, later)
        #expect(try await device.rows("SELECT id FROM todo") == ["a", "b"])
        #expect(log.contains("GET todos?since=5"))
    }

    @Test func `are an error without the time`() async throws {
        let (device, _) = try await device(.updatedSince(), [row("a")])
        let error = await #expect(throws: ReplicaError.self) { try await device.sync() }
        #expect(error?.hubCode == .malformed)
    }
}

@Suite(.ownThreads) struct `A row that is marked as deleted` {
    static let ways: [(RESTFetching, FakeCollection.Listing)] = [
        (.list(deleted: "deleted_at"), .array), (.pages(deleted: "deleted_at"), .pages(2)),
        (.keyset(deleted: "deleted_at"), .keyset(2)),
        (.numbered(deleted: "deleted_at"), .numbered(2)),
        (.offset(deleted: "deleted_at"), .offset(2)),
        (.changes(deleted: "deleted_at"), .feed(2)),
        (.updatedSince(member: "updated", deleted: "deleted_at"), .updatedSince(2)),
    ]

    @Test(arguments: 0..<ways.count)
    func `is none, in each way of fetching`(way: Int) async throws {
        let (fetching, listing) = Self.ways[way]
        let texts = [
            row("1", #","deleted_at":null"#), row("2"), row("3", #","deleted_at":"2026-01-01""#),
        ]
        let (device, api) = try await device(fetching, texts) { $0.listing = listing }
        try await device.sync()
        #expect(try await device.rows("SELECT id FROM todo") == ["1", "2"])
        api.put("todos", row("1", #","deleted_at":"2026-01-02T00:00:00Z""#))
        try await device.sync()
        #expect(try await device.rows("SELECT id FROM todo") == ["2"])
        #expect(try await device.replica.verify().isEmpty)
    }

    @Test func `is none where it is read by its address`() async throws {
        let (device, api) = try await device(.list(deleted: "meta.deleted"), [row("1")])
        try await device.sync()
        try await device.execute("UPDATE todo SET title = 'Mine'")
        api.put("todos", row("1", #","meta":{"deleted":true}"#))
        try await device.sync()
        #expect(try await device.rows("SELECT id FROM todo").isEmpty)
        #expect(try await device.refused.map(\.code) == [.gone])
        #expect(api.requests("PUT").isEmpty)
    }

    @Test(arguments: [
        ("true", true), ("false", false), ("null", false), ("0", false), ("1", true),
        (#""""#, false), (#""no""#, false), (#""2026-01-01""#, true), ("1767225600", true),
        (#""0000-00-00 00:00:00""#, false),
    ])
    func `has true or a date`(value: String, isDeleted: Bool) async throws {
        let (device, _) = try await device(
            .list(deleted: "gone"), [row("1", #","gone":\#(value)"#)])
        try await device.sync()
        #expect(try await device.rows("SELECT id FROM todo").isEmpty == isDeleted)
    }
}
