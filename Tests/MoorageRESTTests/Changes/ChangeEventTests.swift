import MoorageCore
import MoorageHub
import TestSupport
import Testing

@testable import MoorageREST

@Suite(.ownThreads) struct `Changes as events` {
    /// The values of a field, in their order.
    private func values(of field: String, in events: String) -> [String] {
        events.split(separator: "\n").compactMap { line in
            line.hasPrefix(field + ": ") ? String(line.dropFirst(field.count + 2)) : nil
        }
    }

    @Test func `have data, ids and a retry, and say when there is nothing more`() async throws {
        let bench = try await RESTBench()
        let events = try await bench.events("/v1/changes?tables=line&limit=2", until: "caughtUp")
        #expect(events.hasPrefix("retry: 3000\n\nevent: change\ndata: {\"table\":\"line\""))
        #expect(events.hasSuffix("data: {}\n\n"))
        let data = values(of: "data", in: events)
        #expect(data.count == 4)
        #expect(data[0].contains(#""op":"insert","key":[1,1],"row":{"purchase":1,"number":1,"#))
        #expect(values(of: "event", in: events) == ["change", "change", "change", "caughtUp"])
        // One after each page, and one with the end.
        #expect(values(of: "id", in: events).count == 3)
    }

    @Test func `go on behind an id, in front of the parameter`() async throws {
        let bench = try await RESTBench()
        let first = try await bench.events("/v1/changes?since=now", until: "caughtUp")
        let id = try #require(values(of: "id", in: first).last)
        try bench.sql("UPDATE line SET amount = 9 WHERE number = 2")
        let second = try await bench.events(
            "/v1/changes?since=now", [("Last-Event-ID", id)], until: "caughtUp")
        #expect(
            values(of: "data", in: second).first?.contains(#""op":"update","key":[1,2]"#) == true)
        // An empty id names no event.
        let third = try await bench.events(
            "/v1/changes?since=\(id)", [("Last-Event-ID", "")], until: "caughtUp")
        #expect(values(of: "data", in: third).count == 2)
    }

    @Test func `have a line for each value, whatever it contains`() async throws {
        let bench = try await RESTBench()
        try bench.sql("UPDATE customer SET name = 'a' || char(10) || 'b' || char(13) || 'c'")
        let events = try await bench.events("/v1/changes?tables=customer", until: "caughtUp")
        #expect(!events.contains("\r"))
        #expect(values(of: "data", in: events).count == 3)
        #expect(events.contains(#"a\u000ab\u000dc"#))
    }

    @Test(
        arguments: [
            ("/v1/changes?since=x", [], "410 expired"),
            ("/v1/changes?tables=nothing", [], "404 unknownTable"),
            ("/v1/changes?limit=0", [], "400 parameter"),
            ("/v1/changes", [("Last-Event-ID", "x")], "410 expired"),
            ("/v1/changes", [("Last-Event-ID", "a"), ("Last-Event-ID", "b")], "400 malformed"),
        ] as [(String, [(String, String)], String)])
    func `are refused before they begin`(
        target: String, headers: [(String, String)], problem: String
    ) async throws {
        let bench = try await RESTBench()
        #expect(try await bench.events(target, headers, until: "") == problem)
    }

    @Test func `are not there where the hub grants no streams`() async throws {
        var configuration = HubConfiguration()
        configuration.live.isGranted = false
        let bench = try await RESTBench(configuration)
        #expect(try await bench.events("/v1/changes", until: "") == "406 notAcceptable")
        let page = try await bench.send("GET", "/v1/changes")
        #expect(page.status == 200)
    }
}
