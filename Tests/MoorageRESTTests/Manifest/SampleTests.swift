import MoorageCore
import TestSupport
import Testing

@testable import MoorageREST

@Suite(.ownThreads) struct `A client that tracks nothing` {
    /// What the client has of a row.
    private struct Kept {
        var name: String
        var version: String?
        var isSynced = true
        var isDeleted = false
    }

    private let bench: RESTBench

    init() async throws {
        bench = try await RESTBench(
            schema: """
                CREATE TABLE note (id INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL);
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25)
                INSERT INTO note SELECT i, 'first ' || i FROM n;
                """)
    }

    private func manifest(of rows: [Int: Kept]) async throws -> RESTResponse {
        let entries = rows.sorted { $0.key < $1.key }.map { id, row in
            var text = #"{"key":\#(id)"#
            if let version = row.version { text += #","version":"\#(version)""# }
            if row.isDeleted {
                text += #","deleted":true"#
            } else if row.version != nil {
                text += #","synced":\#(row.isSynced)"#
            }
            return text + "}"
        }
        return try await bench.manifest(
            #"{"tables":{"note":{"rows":[\#(entries.joined(separator: ","))]}}}"#)
    }

    /// The client has 29 rows: 25 that it got, and 4 that it made. Both sides then change theirs.
    private func divergedRows() async throws -> [Int: Kept] {
        var rows: [Int: Kept] = [:]
        for id in 1...25 {
            rows[id] = Kept(name: "first \(id)", version: try await bench.version("note/\(id)"))
        }
        for id in 101...104 { rows[id] = Kept(name: "mine \(id)", isSynced: false) }
        for id in [14, 15, 16, 21, 22] {
            rows[id]?.name = "mine \(id)"
            rows[id]?.isSynced = false
        }
        for id in [17, 18, 19, 20, 23] { rows[id]?.isDeleted = true }
        try bench.sql(
            """
            DELETE FROM note WHERE id <= 13;
            UPDATE note SET name = 'theirs ' || id WHERE id BETWEEN 21 AND 24;
            INSERT INTO note VALUES (30, 'theirs 30');
            """)
        return rows
    }

    @Test func `learns in six sections what it has to do`() async throws {
        let rows = try await divergedRows()
        #expect(rows.count == 29)
        let answer = try await manifest(of: rows)
        #expect(
            answer.sections("note")
                == "missingHere: 101, 102, 103, 104; missingThere: 30; newerHere: 24; "
                + "newerThere: 14, 15, 16, 17, 18, 19, 20; conflicting: 21, 22, 23; "
                + "gone: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13; same: 1")
        let listed = ManifestSection.allCases.reduce(0) {
            $0 + (answer.table("note")[$1.rawValue]?.elements.count ?? 0)
        }
        #expect(listed == 29)
    }

    @Test func `adds 4 rows, changes 5, deletes 5 and gets 2`() async throws {
        var rows = try await divergedRows()
        let manifest = try await manifest(of: rows).table("note")
        var versions: [Int: String] = [:]
        for section in ["newerThere", "conflicting"] {
            for item in manifest[section]?.elements ?? [] {
                guard let id = item["key"]?.text.int else { continue }
                versions[id] = item["version"]?.string
            }
        }
        for id in 1...13 { rows[id] = nil }
        func row(_ id: Int, _ version: String?) -> String {
            let etag = version.map { #","$etag":"\#($0)""# } ?? ""
            return #"{"id":\#(id),"name":"\#(rows[id]?.name ?? "")"\#(etag)}"#
        }
        let add = (101...104).map { row($0, nil) }
        let update = [14, 15, 16, 21, 22].map { row($0, versions[$0]) }
        let delete = [17, 18, 19, 20, 23].map {
            #"{"key":\#($0),"version":"\#(versions[$0] ?? "")"}"#
        }
        let answer = try await bench.synchronise(
            """
            {"tables":{"note":{"add":[\(add.joined(separator: ","))],
             "update":[\(update.joined(separator: ","))],
             "delete":[\(delete.joined(separator: ","))],"get":[24,30]}}}
            """)
        #expect(
            answer.changes("note")
                == "add: 201 201 201 201; update: 200 200 200 200 200; "
                + "delete: 204 204 204 204 204; get: 200 200")
        for (list, expected) in [
            ("add", (101...104).map { #"{"id":\#($0),"name":"mine \#($0)"}"# }),
            ("update", [14, 15, 16, 21, 22].map { #"{"id":\#($0),"name":"mine \#($0)"}"# }),
            ("get", [24, 30].map { #"{"id":\#($0),"name":"theirs \#($0)"}"# }),
        ] {
            let rows = answer.table("note")[list]?.elements.compactMap { $0["row"]?.plain }
            #expect(rows == expected, "\(list)")
        }
        for list in ["add", "update", "get"] {
            for result in answer.table("note")[list]?.elements ?? [] {
                guard let id = result["row"]?["id"]?.text.int else { continue }
                rows[id] = Kept(
                    name: result["row"]?["name"]?.string ?? "",
                    version: result["row"]?["$etag"]?.string)
            }
        }
        for id in [17, 18, 19, 20, 23] { rows[id] = nil }
        #expect(try await self.manifest(of: rows).sections("note") == "same: 12")
        #expect(
            try bench.rows("SELECT id, name FROM note ORDER BY id")
                == rows.sorted { $0.key < $1.key }.map { id, row in
                    [.integer(Int64(id)), .text(row.name)]
                })
    }
}

extension String {
    fileprivate var int: Int? { Int(self) }
}
