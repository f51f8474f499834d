import MoorageCore
import MoorageHub
import TestSupport
import Testing

@testable import MoorageREST

@Suite(.ownThreads) struct `Changes as pages` {
    private func changes(_ response: RESTResponse) -> [String] {
        response.json["changes"]?.elements.map(\.plain) ?? []
    }

    private func next(_ response: RESTResponse) throws -> String {
        try #require(response.json["next"]?.string)
    }

    @Test func `have tables, keys and rows as lists have them`() async throws {
        let bench = try await RESTBench()
        let first = try await bench.send("GET", "/v1/changes?tables=line,purchase&limit=2")
        #expect(first.status == 200 && first.header("Content-Type") == "application/json")
        #expect(
            changes(first) == [
                """
                {"table":"purchase","op":"insert","key":[1],"row":{"id":1,"customer":"VINET",\
                "freight":"32.38","shipped":"1996-07-16","paid":true}}
                """,
                """
                {"table":"purchase","op":"insert","key":[2],"row":{"id":2,"customer":"HANAR",\
                "freight":"65.83","shipped":null,"paid":false}}
                """,
            ])
        #expect(first.json["more"]?.text == "true")
        let row = try await bench.send("GET", "/v1/tables/purchase/1")
        #expect(first.json["changes"]?.elements.first?["row"]?.text == row.text)
        let second = try await bench.send(
            "GET", "/v1/changes?tables=line,purchase&since=\(try next(first))")
        #expect(changes(second).count == 4 && second.json["more"]?.text == "false")
        try bench.sql(
            "UPDATE purchase SET paid = 1 WHERE id = 2; DELETE FROM line WHERE number = 2")
        let third = try await bench.send(
            "GET", "/v1/changes?since=\(try next(second))&tables=purchase,line")
        #expect(
            changes(third) == [
                """
                {"table":"purchase","op":"update","key":[2],"row":{"id":2,"customer":"HANAR",\
                "freight":"65.83","shipped":null,"paid":true}}
                """,
                #"{"table":"line","op":"delete","key":[1,2]}"#,
            ])
        let fourth = try await bench.send(
            "GET", "/v1/changes?since=\(try next(third))&tables=purchase,line")
        #expect(changes(fourth) == [] && fourth.json["more"]?.text == "false")
    }

    @Test func `have keys of each type as rows have them`() async throws {
        let bench = try await RESTBench()
        let start = try await bench.send("GET", "/v1/changes?since=now&tables=sample")
        try bench.sql("INSERT INTO sample (id) VALUES ('6fa9de85-6161-4583-9060-401245a55af9')")
        let page = try await bench.send(
            "GET", "/v1/changes?since=\(try next(start))&tables=sample")
        let change = try #require(page.json["changes"]?.elements.first)
        #expect(change["key"]?.text == #"["6fa9de85-6161-4583-9060-401245a55af9"]"#)
        #expect(change["row"]?["id"]?.text == #""6fa9de85-6161-4583-9060-401245a55af9""#)
    }

    /// Reads page by page until there is nothing more.
    ///
    /// - Returns: The operations with their keys, and the last position.
    private func all(
        _ bench: RESTBench, _ path: String, since start: String?
    ) async throws -> (found: [String], position: String) {
        var found: [String] = []
        var position = start
        while true {
            let since = position.map { "&since=\($0)" } ?? ""
            let page = try await bench.send("GET", path + since)
            found +=
                page.json["changes"]?.elements.map { change in
                    "\(change["op"]?.string ?? "") \(change["key"]?.elements[0].string ?? "")"
                } ?? []
            position = try next(page)
            if page.json["more"]?.text != "true" { return (found, try next(page)) }
        }
    }

    /// Nothing can name such a row. It must not hide others, or delete one with the same key.
    @Test(arguments: [false, true])
    func `leave out rows whose keys SQLite has in another form`(isFirst: Bool) async throws {
        let bench = try await RESTBench()
        func uuid(_ start: String) -> String { start + "aaaaaa-6161-4583-9060-401245a55af9" }
        let path = "/v1/changes?tables=sample&limit=1"
        let now = isFirst ? nil : try await all(bench, path, since: "now").position
        let others = ["Aa", "AA", "aa"].map { "('\(uuid($0))')" }.joined(separator: ", ")
        try bench.sql("INSERT INTO sample (id) VALUES ('\(uuid("a1"))'), \(others)")
        let (inserts, position) = try await all(bench, path, since: now)
        #expect(Set(inserts) == ["insert \(uuid("a1"))", "insert \(uuid("aa"))"])
        try bench.sql("DELETE FROM sample WHERE id IN ('\(uuid("AA"))', '\(uuid("a1"))')")
        let deletes = try await all(bench, path, since: position).found
        #expect(deletes == ["delete \(uuid("a1"))"])
    }

    @Test func `begin now, and have all offered tables unless some are named`() async throws {
        let bench = try await RESTBench()
        let now = try await bench.send("GET", "/v1/changes?since=now")
        #expect(changes(now) == [] && now.json["more"]?.text == "false")
        try bench.sql("INSERT INTO hidden VALUES (1, NULL); UPDATE customer SET city = NULL")
        let page = try await bench.send("GET", "/v1/changes?since=\(try next(now))")
        #expect(
            page.json["changes"]?.elements.compactMap { $0["table"]?.string } == [
                "customer", "customer",
            ])
        let all = try await bench.send("GET", "/v1/changes?limit=1000")
        #expect(changes(all).count == 8)
        let hidden = try await bench.send("GET", "/v1/changes?tables=hidden")
        #expect(hidden.status == 404 && hidden.code == "unknownTable")
    }

    @Test(arguments: ["", "x", "NOW", "0123456789abcdef0123456789abcdefe30"])
    func `are gone for a position that nobody made`(position: String) async throws {
        let bench = try await RESTBench()
        let response = try await bench.send("GET", "/v1/changes?since=\(position)")
        #expect(response.status == 410 && response.code == "expired")
        #expect(response.json["title"]?.string == "Gone")
    }

    @Test func `are gone for another user, and for other tables`() async throws {
        let bench = try await RESTBench()
        let position = try next(try await bench.send("GET", "/v1/changes?since=now"))
        let other = try await bench.send(
            "GET", "/v1/changes?since=\(position)", as: Principal(subject: "bob"))
        #expect(other.status == 410)
        let tables = try await bench.send("GET", "/v1/changes?since=\(position)&tables=line")
        #expect(tables.status == 410)
        // The header is for streams.
        let header = try await bench.send(
            "GET", "/v1/changes?since=\(position)", [("Last-Event-ID", "x")])
        #expect(header.status == 200)
    }

    @Test(arguments: [
        "limit=0", "limit=1001", "limit=x", "tables=", "tables=,", "tables=a,", "tables=%22a",
        "since=a&since=b", "filter=id=1", "after=x", "tables=%ff",
    ])
    func `refuse other parameters`(query: String) async throws {
        let bench = try await RESTBench()
        let response = try await bench.send("GET", "/v1/changes?\(query)")
        #expect(response.status == 400 && response.code == "parameter", "\(response.text)")
    }

    @Test func `are JSON or events, and nothing else`() async throws {
        let bench = try await RESTBench()
        let csv = try await bench.send("GET", "/v1/changes", [("Accept", "text/csv")])
        #expect(csv.status == 406)
        let any = try await bench.send("GET", "/v1/changes", [("Accept", "*/*")])
        #expect(any.status == 200)
    }
}
