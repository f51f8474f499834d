import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageRESTHub
import MoorageSupport
import TestSupport
import Testing

/// A to C, as the rows of an answer.
private let rows = ["a", "b", "c"].map { #"{"id":"\#($0)","title":"T","done":false}"# }
private let all = "[\(rows.joined(separator: ","))]"

private func device(
    _ settings: RESTSettings = RESTSettings(), _ texts: [String] = rows,
    _ configure: (inout FakeCollection) -> Void = { _ in }
) async throws -> (Device, FakeAPI) {
    let api = FakeAPI(["todos": FakeCollection(texts, configure)])
    let device = try await Settings.$todo.withValue(settings) {
        try await Device(api, [Todo.self])
    }
    return (device, api)
}

extension Device {
    fileprivate func code() async -> HubError.Code? {
        do {
            try await sync()
            return nil
        } catch { return error.hubCode }
    }

    fileprivate var ids: [String] {
        get async throws { try await rows("SELECT id FROM todo ORDER BY id") }
    }
}

@Suite(.ownThreads) struct `A list that is one page of several` {
    @Test(arguments: [
        #""next":"http://localhost:9999/api/todos?page=2""#, #""next":2"#,
        #""next_cursor":"x""#, #""nextPageToken":"x""#, #""links":{"next":"/todos?page=2"}"#,
        #""_links":{"next":{"href":"x"}}"#, #""has_more":true"#, #""meta":{"next_cursor":"x"}"#,
        #""@odata.nextLink":"x""#,
    ])
    func `is an error, and removes nothing`(sign: String) async throws {
        let (device, api) = try await device()
        try await device.sync()
        api.breaking { $0.path == "todos" ? .status(200, body: #"{"items":[],\#(sign)}"#) : nil }
        #expect(await device.code() == .malformed)
        #expect(try await device.ids == ["a", "b", "c"])
    }

    @Test(arguments: [
        #""next":null,"links":{"next":null},"has_more":false,"next_cursor":"""#,
        #""total":1,"_links":{"next":{"href":null}},"nextPage":0"#,
    ])
    func `is not one that says that it is the last`(sign: String) async throws {
        let (device, api) = try await device()
        api.breaking {
            $0.path == "todos" ? .status(200, body: #"{"items":\#(all),\#(sign)}"#) : nil
        }
        try await device.sync()
        #expect(try await device.ids == ["a", "b", "c"])
    }

    @Test(arguments: [
        (206, [:]), (200, ["X-Total-Count": "9"]), (200, ["Content-Range": "0-2/9"]),
    ])
    func `shows in the headers, too`(status: Int, headers: [String: String]) async throws {
        let (device, api) = try await device()
        api.breaking {
            $0.path == "todos" ? .status(status, headers: headers, body: all) : nil
        }
        #expect(await device.code() == .malformed)
        #expect(try await device.ids.isEmpty)
    }

    @Test func `goes on at its link, and asks for rows that moved`() async throws {
        let (device, api) = try await device { $0.listing = .links(2) }
        try await device.sync()
        #expect(try await device.ids == ["a", "b", "c"])
        try await device.execute("UPDATE todo SET pinned = 1")
        try await device.sync()
        // A new row moves the second one to the next page, and the third one off the list.
        api.breaking { request in
            guard request.path.hasPrefix("todos?") else { return nil }
            api.breaking(nil)
            api.delete("todos", "a")
            return nil
        }
        try await device.sync()
        #expect(try await device.rows("SELECT id, pinned FROM todo ORDER BY id").contains("c 1"))
        try await device.sync()
        #expect(try await device.ids == ["b", "c"])
    }

    @Test func `has no ETag for the others`() async throws {
        let (device, api) = try await device()
        api.breaking { request in
            request.path == "todos"
                ? .status(
                    200, headers: ["Link": "<?page=2>; rel=next", "ETag": "\"1\""], body: all)
                : .status(200, headers: ["ETag": "\"1\""], body: "[]")
        }
        try await device.sync()
        try await device.sync()
        #expect(api.requests("GET").allSatisfy { $0.headers["if-none-match"] == nil })
    }
}

@Suite(.ownThreads) struct `A row that a list does not have` {
    @Test func `stays while its own address has it, for two lists`() async throws {
        let (device, api) = try await device()
        try await device.sync()
        api.breaking { $0.path == "todos" ? .status(200, body: "[\(rows[0])]") : nil }
        for expected in [["a", "b", "c"], ["a", "b", "c"], ["a"]] {
            try await device.sync()
            #expect(try await device.ids == expected)
        }
        // Without asking any more.
        #expect(api.takeLog().filter { $0.hasPrefix("GET todos/") }.count == 4)
        api.breaking(nil)
        try await device.sync()
        #expect(try await device.ids == ["a", "b", "c"])
    }

    @Test func `goes at once if its address does not have it`() async throws {
        for status in [404, 410, 403, 405] {
            let (device, api) = try await device()
            try await device.sync()
            api.breaking { request in
                request.path == "todos" ? .status(200, body: "[\(rows[0])]") : .status(status)
            }
            try await device.sync()
            #expect(try await device.ids == ["a"])
        }
    }

    @Test(arguments: [(403, 1), (405, 3)])
    func `goes from pages at once, or where nobody can ask after three`(
        status: Int, scans: Int
    ) async throws {
        let (device, api) = try await device(RESTSettings(fetching: .pages())) {
            $0.listing = .pages(2)
        }
        try await device.sync()
        api.breaking { request in
            request.path == "todos"
                ? .status(200, body: "{\"items\":[\(rows[0])]}") : .status(status)
        }
        for scan in 1...3 {
            try await device.sync()
            #expect(try await device.ids.count == (scan < scans ? 3 : 1))
        }
    }

    @Test func `is new for the device where it changed`() async throws {
        let (device, api) = try await device()
        try await device.sync()
        api.breaking { $0.path == "todos" ? .status(200, body: "[\(rows[0])]") : nil }
        api.put("todos", #"{"id":"b","title":"B","done":false}"#)
        try await device.sync()
        #expect(try await device.rows("SELECT title FROM todo ORDER BY id") == ["T", "B", "T"])
        try await device.sync()
        try await device.sync()
        #expect(try await device.ids == ["a"])
    }

    @Test func `is not asked for among very many`() async throws {
        let many = (100..<250).map { #"{"id":"\#($0)","title":"T","done":false}"# }
        let (device, api) = try await device(RESTSettings(), many)
        try await device.sync()
        _ = api.takeLog()
        api.breaking { $0.path == "todos" ? .status(200, body: "[]") : nil }
        try await device.sync()
        #expect(try await device.ids.isEmpty)
        #expect(api.takeLog() == ["GET todos"])
    }

    @Test func `may be new, and not in the list yet`() async throws {
        let (device, api) = try await device()
        try await device.sync()
        api.breaking { $0.method == "GET" && $0.path == "todos" ? .status(200, body: all) : nil }
        try await device.execute("INSERT INTO todo(id, title) VALUES ('n', 'N')")
        try await device.sync()
        try await device.sync()
        #expect(try await device.ids == ["a", "b", "c", "n"])
        api.breaking(nil)
        try await device.sync()
        #expect(try await device.ids == ["a", "b", "c", "n"])
    }
}

@Suite(.ownThreads) struct `An answer without a body` {
    @Test(arguments: [200, 204])
    func `is no list without rows`(status: Int) async throws {
        for fetching in [RESTFetching.list(), .pages(), .keyset(), .numbered(), .offset()] {
            let (device, api) = try await device(RESTSettings(fetching: fetching)) {
                $0.listing = .keyset(3)
            }
            api.breaking { _ in .status(status) }
            #expect(await device.code() == .notOurServer)
        }
    }

    @Test func `says in a feed that nothing has changed, by 204`() async throws {
        let (device, api) = try await device(RESTSettings(fetching: .changes())) {
            $0.listing = .feed(5)
        }
        api.breaking { _ in .status(204) }
        #expect(await device.code() == .notOurServer)
        api.breaking(nil)
        try await device.sync()
        for (status, code) in [(204, nil), (200, HubError.Code.notOurServer)] {
            api.breaking { _ in .status(status) }
            #expect(await device.code() == code)
            #expect(try await device.ids == ["a", "b", "c"])
        }
    }
}
