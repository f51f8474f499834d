import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageRESTHub
import MoorageSupport
import TestSupport
import Testing

@Suite(.ownThreads) struct `A feed that names a row twice` {
    private static let milk = #"{"id":"a","title":"Milk","done":false}"#
    private static let other = #"{"id":"a","title":"Other","done":false}"#

    private func device() async throws -> (Device, FakeAPI) {
        let api = FakeAPI(["todos": FakeCollection([Self.milk]) { $0.listing = .feed(3) }])
        let device = try await Settings.$todo.withValue(RESTSettings(fetching: .changes())) {
            try await Device(api, [Todo.self])
        }
        try await device.sync()
        return (device, api)
    }

    private func titles(after body: String) async throws -> [String] {
        let (device, api) = try await device()
        api.breaking { $0.path.contains("since=") ? .status(200, body: body) : nil }
        try await device.sync()
        return try await device.rows("SELECT title FROM todo")
    }

    @Test func `leaves the last state, also where it is the one from before`() async throws {
        let body = #"{"items":[\#(Self.other),\#(Self.milk)],"next":"9","more":false}"#
        #expect(try await titles(after: body) == ["Milk"])
    }

    @Test func `keeps a row that was deleted and came back`() async throws {
        let body = #"{"items":[\#(Self.milk)],"deleted":["a"],"next":"9","more":false}"#
        #expect(try await titles(after: body) == ["Milk"])
    }

    @Test func `removes a row that was marked after it was changed`() async throws {
        let body =
            #"{"items":[\#(Self.other),{"id":"a","deleted":true}],"next":"9","more":false}"#
        #expect(try await titles(after: body) == [])
    }

    @Test func `may name deleted rows by objects with their ids`() async throws {
        let body = #"{"items":[],"deleted":[{"id":"a"}],"next":"9","more":false}"#
        #expect(try await titles(after: body) == [])
    }

    @Test func `is an error where a deleted row has no id`() async throws {
        let (device, api) = try await device()
        let body = #"{"items":[],"deleted":[null],"next":"9","more":false}"#
        api.breaking { $0.path.contains("since=") ? .status(200, body: body) : nil }
        let error = await #expect(throws: ReplicaError.self) { try await device.sync() }
        #expect(error?.hubCode == .malformed)
    }
}

@Suite(.ownThreads) struct `An end that is no end` {
    private func device(
        _ fetching: RESTFetching, _ listing: FakeCollection.Listing
    ) async throws -> (Device, FakeAPI) {
        let texts = (1...5).map { #"{"id":"\#($0)","title":"T","done":false}"# }
        let api = FakeAPI(["todos": FakeCollection(texts) { $0.listing = listing }])
        let device = try await Settings.$todo.withValue(RESTSettings(fetching: fetching)) {
            try await Device(api, [Todo.self])
        }
        return (device, api)
    }

    @Test func `an empty answer is no empty list`() async throws {
        let (device, api) = try await device(.list(), .array)
        try await device.sync()
        api.breaking { _ in .status(200, body: "") }
        let error = await #expect(throws: ReplicaError.self) { try await device.sync() }
        #expect(error?.hubCode == .notOurServer)
        #expect(try await device.rows("SELECT id FROM todo").count == 5)
    }

    @Test(arguments: [
        "http://evil.example/api/todos?cursor=3", "https://localhost:9999/api/todos?cursor=3",
    ])
    func `a link to another server is an error`(address: String) async throws {
        let (device, api) = try await device(.pages(), .links(3))
        api.breaking { request in
            .status(200, headers: ["Link": "<\(address)>; rel=\"next\""], body: "[]")
        }
        let error = await #expect(throws: ReplicaError.self) { try await device.sync() }
        #expect(error?.hubCode == .malformed)
        #expect(api.takeLog() == ["GET todos"])
    }

    @Test(arguments: [
        "<http://localhost:9999/api/todos?cursor=3&f=a,b;c>; rel=\"next\"",
        "<http://LOCALHOST:9999/api/todos?cursor=3>; rel=\"next last\"",
        "</api/todos>; rel=first, </api/todos?cursor=3>; title=\"a, b\"; rel = next",
        "<?cursor=3>; REL=\"Next\"",
    ])
    func `a link in any form goes on`(link: String) async throws {
        let (device, api) = try await device(.pages(), .array)
        let rows = (1...5).map { #"{"id":"\#($0)","title":"T","done":false}"# }
        api.breaking { request in
            guard request.method == "GET", request.path.hasPrefix("todos") else { return nil }
            return request.path.contains("cursor=3")
                ? .status(200, body: "[\(rows[3]),\(rows[4])]")
                : .status(
                    200, headers: ["Link": link], body: "[\(rows[0]),\(rows[1]),\(rows[2])]")
        }
        try await device.sync()
        #expect(try await device.rows("SELECT id FROM todo").count == 5)
    }

    @Test func `a time of the same second is asked for again`() async throws {
        let (device, api) = try await device(.modifiedSince(), .array)
        let milk = #"{"id":"1","title":"Milk","done":false}"#
        let now = "Sun, 06 Nov 1994 08:49:37 GMT"
        api.breaking { _ in
            .status(200, headers: ["Last-Modified": now, "Date": now], body: "[\(milk)]")
        }
        try await device.sync()
        _ = api.takeLog()
        try await device.sync()
        let asked = api.state.withLock { $0.log.map { $0.headers["if-modified-since"] } }
        // What changed later in that second has the same time.
        #expect(asked == ["Sun, 06 Nov 1994 08:48:37 GMT"])
    }
}
