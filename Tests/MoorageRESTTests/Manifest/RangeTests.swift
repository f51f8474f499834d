import MoorageCore
import MoorageHub
import TestSupport
import Testing

@testable import MoorageREST

@Suite(.ownThreads) struct `A range of a manifest` {
    private let bench: RESTBench

    init() async throws {
        bench = try await RESTBench(
            schema: """
                CREATE TABLE item (id INTEGER NOT NULL PRIMARY KEY, name TEXT);
                CREATE TABLE pair (a TEXT NOT NULL, b INTEGER NOT NULL, PRIMARY KEY (a, b));
                CREATE TABLE word (id TEXT NOT NULL PRIMARY KEY);
                """)
        try bench.sql(
            """
            WITH RECURSIVE n(i) AS (SELECT -5 UNION ALL SELECT i + 1 FROM n WHERE i < 24)
            INSERT INTO item SELECT i * 10, 'n' || i FROM n;
            INSERT INTO pair VALUES ('a', 1), ('a', 2), ('a', 10), ('b', 0), ('b', 2), ('c', 1);
            INSERT INTO word VALUES ('B'), ('a'), ('b c'), ('é'), ('a!,'), ('');
            """)
    }

    private func sections(_ table: String, _ members: String) async throws -> String {
        try await bench.manifest(#"{"tables":{"\#(table)":{\#(members)}}}"#).sections(table)
    }

    @Test func `has the rows between two keys`() async throws {
        #expect(
            try await sections("item", #""after":-20,"upTo":10"#)
                == "missingThere: -10, 0, 10; same: 0")
        #expect(
            try await sections("item", #""after":-35,"upTo":-30,"rows":[{"key":5}]"#)
                == "missingHere: 5; missingThere: -30; same: 0")
        #expect(try await sections("item", #""upTo":-50"#) == "missingThere: -50; same: 0")
        #expect(try await sections("item", #""after":240"#) == "same: 0")
        #expect(try await sections("item", #""after":10,"upTo":10"#) == "same: 0")
        #expect(
            try await sections("pair", #""after":["a",1],"upTo":["b",1]"#)
                == #"missingThere: ["a",2], ["a",10], ["b",0]; same: 0"#)
        #expect(
            try await sections("pair", #""after":["a",10]"#)
                == #"missingThere: ["b",0], ["b",2], ["c",1]; same: 0"#)
        #expect(
            try await sections("pair", #""upTo":["a",2],"rows":[{"key":["a",2],"synced":true}]"#)
                == #"missingThere: ["a",1]; newerHere: ["a",2]; same: 0"#)
        #expect(
            try await sections("word", #""after":"","upTo":"b c""#)
                == #"missingThere: "B", "a", "a!,", "b c"; same: 0"#)
    }

    @Test func `goes on where an answer ends`() async throws {
        var keys: [String] = []
        var after = "null"
        repeat {
            let answer = try await bench.manifest(
                #"{"tables":{"item":{"after":\#(after),"upTo":200,"limit":7}}}"#)
            let page = answer.table("item")["missingThere"]?.elements ?? []
            #expect(page.count <= 7)
            keys += page.compactMap { $0["key"]?.text }
            after = answer.table("item")["next"]?.text ?? "null"
        } while after != "null"
        #expect(keys == (-5...20).map { String($0 * 10) })
    }

    @Test func `says nothing of rows behind its end`() async throws {
        let answer = try await bench.manifest(
            #"{"tables":{"item":{"limit":2.0,"rows":[{"key":100,"synced":true},{"key":5}]}}}"#)
        #expect(
            answer.sections("item")
                == "missingHere: 5; missingThere: -50, -40; newerHere: 100; same: 0")
        #expect(answer.table("item")["next"]?.text == "-40")
    }

    // MARK: Digests

    private func lines(_ table: String) async throws -> [(key: String, line: String)] {
        let rows = try await bench.send("GET", "/v1/tables/\(table)?limit=1000").json["rows"]
        return (rows?.elements ?? []).map { row in
            let key = row["id"]?.string ?? row["id"]?.text ?? ""
            return (key, "\(PercentEncoding.encode(key))\0\(row["$etag"]?.string ?? "")\n")
        }
    }

    private func digest(_ lines: [String]) -> String {
        var digest = SHA256()
        digest.add(
            lines.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
                .joined().utf8)
        return digest.hex
    }

    private func compare(_ table: String, _ ranges: String) async throws -> String {
        let answer = try await bench.manifest(#"{"tables":{"\#(table)":{"ranges":[\#(ranges)]}}}"#)
        return answer.table(table)["ranges"]?.text ?? answer.text
    }

    @Test func `is the same where both have the same rows`() async throws {
        let all = try await lines("item")
        let low = all.filter { Int($0.key).map { $0 <= 100 } == true }
        let high = all.filter { Int($0.key).map { $0 > 100 } == true }
        let ranges = """
            {"upTo":100,"digest":"\(digest(low.map(\.line)))"},
            {"after":100,"digest":"\(digest(high.map(\.line)))"},
            {"after":5000,"upTo":6000,"digest":"\(digest([]))"}
            """
        let same = #"{"result":"same"}"#
        #expect(try await compare("item", ranges) == "[\(same),\(same),\(same)]")
        try bench.sql("UPDATE item SET name = 'x' WHERE id = 110")
        #expect(
            try await compare("item", ranges)
                == #"[\#(same),{"result":"differs","rows":14},\#(same)]"#)
        let words = try await lines("word").map(\.line)
        #expect(words.contains { $0.hasPrefix("a%21%2C\0") })
        #expect(
            try await compare("word", #"{"digest":"\#(digest(words))"}"#) == "[\(same)]")
        #expect(try await compare("pair", #"{"digest":""}"#).contains(#""rows":6"#))
    }

    @Test func `is asked for by itself`() async throws {
        for members in [
            #""rows":[{"key":1}],"ranges":[{"digest":"x"}]"#,
            #""after":1,"ranges":[{"digest":"x"}]"#, #""ranges":[{}]"#, #""ranges":[5]"#,
            #""ranges":[{"digest":5}]"#, #""ranges":[{"digest":"x","rows":1}]"#, #""ranges":5"#,
        ] {
            let answer = try await bench.manifest(#"{"tables":{"item":{\#(members)}}}"#)
            #expect(answer.code == "malformed", "\(members) \(answer.text)")
        }
        let ranges = Array(repeating: #"{"digest":"x"}"#, count: 257).joined(separator: ",")
        let many = try await bench.manifest(#"{"tables":{"item":{"ranges":[\#(ranges)]}}}"#)
        #expect(many.status == 413 && many.code == "tooManyRead")
    }
}

@Suite(.ownThreads) struct `A large table` {
    private func bench(_ count: Int) async throws -> RESTBench {
        let bench = try await RESTBench(
            schema: "CREATE TABLE item (id INTEGER NOT NULL PRIMARY KEY, name TEXT);")
        try bench.sql(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO item SELECT i, 'n' FROM n;
            """)
        return bench
    }

    @Test func `is compared in parts`() async throws {
        let bench = try await bench(10_050)
        let answer = try await bench.manifest(#"{"tables":{"item":{}}}"#)
        #expect(answer.table("item")["missingThere"]?.elements.count == 10_000)
        #expect(answer.table("item")["next"]?.text == "10000")
        let rest = try await bench.manifest(#"{"tables":{"item":{"after":10000}}}"#)
        #expect(rest.table("item")["missingThere"]?.elements.count == 50)
        #expect(rest.table("item")["next"]?.text == "null")
    }

    @Test func `takes a limit of each request`() async throws {
        let bench = try await bench(50_010)
        func results(_ ranges: String) async throws -> String {
            let answer = try await bench.manifest(
                #"{"tables":{"item":{"ranges":[\#(ranges)]}}}"#)
            let list = answer.table("item")["ranges"]?.elements ?? []
            return list.compactMap { $0["result"]?.string }.joined(separator: " ")
        }
        #expect(
            try await results(
                #"{"upTo":10,"digest":"x"},{"after":15,"digest":"x"},{"upTo":1,"digest":"x"}"#)
                == "differs unread unread")
        #expect(try await results(#"{"digest":"x"}"#) == "unread")
    }

    @Test func `is named in parts`() async throws {
        let bench = try await bench(3)
        func rows(_ count: Int) -> String {
            (1...count).map { #"{"key":\#($0)}"# }.joined(separator: ",")
        }
        let answer = try await bench.manifest(
            #"{"tables":{"item":{"rows":[\#(rows(10_000))]}}}"#)
        #expect(answer.table("item")["missingHere"]?.elements.count == 9_997)
        let many = try await bench.manifest(
            #"{"tables":{"item":{"rows":[\#(rows(10_001))]}}}"#)
        #expect(many.status == 413 && many.code == "tooManyRead")
        let tables = (0...100).map { #""t\#($0)":[]"# }.joined(separator: ",")
        let wide = try await bench.manifest(#"{"tables":{\#(tables)}}"#)
        #expect(wide.status == 413 && wide.code == "tooManyTables")
    }
}
