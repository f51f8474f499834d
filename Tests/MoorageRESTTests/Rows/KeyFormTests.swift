import MoorageCore
import TestSupport
import Testing

@testable import MoorageREST

/// Keys of a SQLite file that are not in the normal form of their type. The database orders them as
/// they are stored.
@Suite(.ownThreads) struct `A key in another form than the normal one` {
    private static func uuid(_ start: String) -> String { "\(start)-0000-4000-8000-00000000000f" }

    /// In their normal form, in the order of the database.
    private static let named = ["0b000001", "aa000001", "bb000001", "bb000002"].map(uuid)

    /// Capitals come before small letters, and bytes after all texts.
    private static let others =
        ["0B000000", "AA000002", "BB000001", "Bb000003"].map { "'\(uuid($0))'" }
        + ["0b", "aa", "c1"].map { "x'\($0)00000900004000800000000000000f'" }

    private func bench() async throws -> RESTBench {
        let bench = try await RESTBench()
        let keys = Self.others + Self.named.map { "'\($0)'" }
        try bench.sql(
            "INSERT INTO sample (id) VALUES \(keys.map { "(\($0))" }.joined(separator: ", "))")
        return bench
    }

    @Test(arguments: 1...4)
    func `hides no row of a list`(limit: Int) async throws {
        let bench = try await bench()
        var found: [String] = []
        var after: String?
        repeat {
            let next = after.map { "&after=\($0)" } ?? ""
            let page = try await bench.send("GET", "/v1/tables/sample?limit=\(limit)\(next)")
            found += page.json["rows"]?.elements.compactMap { $0["id"]?.string } ?? []
            after = page.json["next"]?.string
        } while after != nil && found.count <= 20
        #expect(found.count == Self.others.count + Self.named.count)
        #expect(Set(found).isSuperset(of: Self.named))
    }

    @Test(arguments: 1...3)
    func `hides no row of a list whose keys are booleans`(limit: Int) async throws {
        let bench = try await RESTBench(
            schema: "CREATE TABLE flag (id BOOLEAN NOT NULL PRIMARY KEY, name TEXT)")
        try bench.sql(
            "INSERT INTO flag VALUES (0, 'a'), (1, 'b'), (5, 'c'), ('true', 'd'), ('no', 'e')")
        var found: [String] = []
        var after: String?
        repeat {
            let next = after.map { "&after=\($0)" } ?? ""
            let page = try await bench.send("GET", "/v1/tables/flag?limit=\(limit)\(next)")
            found += page.json["rows"]?.elements.compactMap { $0["name"]?.string } ?? []
            after = page.json["next"]?.string
        } while after != nil && found.count <= 5
        #expect(found == ["a", "b", "c", "e", "d"])
    }

    @Test(arguments: 1...4)
    func `hides no row from a manifest, and is not in it`(limit: Int) async throws {
        let bench = try await bench()
        var found: [String] = []
        var after = "null"
        repeat {
            let answer = try await bench.manifest(
                #"{"tables":{"sample":{"after":\#(after),"limit":\#(limit)}}}"#)
            #expect(answer.status == 200)
            found +=
                answer.table("sample")["missingThere"]?.elements
                .compactMap { $0["key"]?.string } ?? []
            after = answer.table("sample")["next"]?.text ?? "null"
        } while after != "null" && found.count <= 20
        #expect(found == Self.named)
    }

    @Test func `is in no range of a manifest`() async throws {
        let bench = try await bench()
        let digest = String(repeating: "0", count: 64)
        let answer = try await bench.manifest(
            """
            {"tables":{"sample":{"ranges":[{"digest":"\(digest)"},
              {"after":"\(Self.named[0])","upTo":"\(Self.named[2])","digest":"\(digest)"}]}}}
            """)
        let ranges = answer.table("sample")["ranges"]?.elements ?? []
        #expect(ranges.compactMap { $0["rows"]?.text } == ["4", "2"])
    }

    @Test(arguments: 1...3, [false, true])
    func `hides no change`(limit: Int, isFirst: Bool) async throws {
        let bench = try await RESTBench()
        let now = try await bench.send("GET", "/v1/changes?tables=sample&since=now")
        let keys = Self.others + Self.named.map { "'\($0)'" }
        try bench.sql(
            "INSERT INTO sample (id) VALUES \(keys.map { "(\($0))" }.joined(separator: ", "))")
        var position = isFirst ? nil : now.json["next"]?.string
        var found: [String] = []
        var pages = 0
        var hasMore = false
        repeat {
            let since = position.map { "&since=\($0)" } ?? ""
            let page = try await bench.send(
                "GET", "/v1/changes?tables=sample&limit=\(limit)\(since)")
            found += page.json["changes"]?.elements.compactMap { $0["row"]?["id"]?.string } ?? []
            position = page.json["next"]?.string
            hasMore = page.json["more"]?.text == "true"
            pages += 1
        } while hasMore && pages < 40
        #expect(!hasMore)
        // A row may come again for another one whose key is the same in its normal form.
        #expect(Set(found) == Set(Self.named))
    }

    @Test(arguments: 1...3)
    func `hides no row of a list whose keys are not all UTF-8`(limit: Int) async throws {
        let bench = try await RESTBench(
            schema: "CREATE TABLE word (id TEXT NOT NULL PRIMARY KEY, name TEXT)")
        try bench.sql(
            """
            INSERT INTO word VALUES
              ('A', 'a'), (CAST(x'41FF' AS TEXT), 'b'), ('B', 'c'), (x'4142', 'd'), (x'FF', 'e')
            """)
        var found: [String] = []
        var after: String?
        repeat {
            let next = after.map { "&after=\($0)" } ?? ""
            let page = try await bench.send("GET", "/v1/tables/word?limit=\(limit)\(next)")
            found += page.json["rows"]?.elements.compactMap { $0["name"]?.string } ?? []
            after = page.json["next"]?.string
        } while after != nil && found.count <= 5
        #expect(found == ["a", "b", "c", "d", "e"])
    }

    /// SQLite allows NULL in a key that is no whole number.
    @Test(arguments: 1...2)
    func `that is NULL hides no row from a manifest, and is not in it`(limit: Int) async throws {
        let bench = try await RESTBench(
            schema: "CREATE TABLE word (id TEXT PRIMARY KEY, name TEXT)")
        try bench.sql("INSERT INTO word VALUES (NULL, 'a'), (NULL, 'b'), ('c', 'c'), ('d', 'd')")
        var found: [String] = []
        var after = "null"
        repeat {
            let answer = try await bench.manifest(
                #"{"tables":{"word":{"after":\#(after),"limit":\#(limit)}}}"#)
            #expect(answer.status == 200, "\(answer.text)")
            found +=
                answer.table("word")["missingThere"]?.elements.map { $0["key"]?.text ?? "" } ?? []
            after = answer.table("word")["next"]?.text ?? "null"
        } while after != "null" && found.count <= 4
        #expect(found == [#""c""#, #""d""#])
    }
}
