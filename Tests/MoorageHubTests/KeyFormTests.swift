import MoorageCore
import MoorageHub
import MoorageTesting
import MoorageWire
import TestSupport
import Testing

/// Keys of a SQLite file that are not in the normal form of their type. The database orders them as
/// they are stored, so reading has to go on behind the stored form.
struct StoredKeys: CustomTestStringConvertible, Sendable {
    let type: String
    /// As SQL.
    let keys: [String]

    var testDescription: String { type }

    private static func uuid(_ start: String) -> String { "\(start)-0000-4000-8000-00000000000f" }

    static let all = [
        StoredKeys(
            type: "UUID",
            keys: ["aa000001", "AA000002", "Aa000003", "bb000001", "BB000002", "0A000001"].map {
                "'\(uuid($0))'"
            } + ["0b", "aa", "c1"].map { "x'\($0)00000900004000800000000000000f'" }),
        StoredKeys(type: "BOOLEAN", keys: ["0", "1", "5", "7", "'true'", "'no'", "'x'"]),
        StoredKeys(
            type: "DATETIME",
            keys: ["", "T", "Z"].flatMap { mark in
                (1...3).map { day in
                    let text = "2026-01-0\(day)\(mark == "T" ? "T" : " ")10:00:00"
                    return "'\(text)\(mark == "Z" ? ".500000" : "")'"
                }
            } + ["7", "'soon'"]),
        StoredKeys(
            type: "NUMERIC",
            keys: [
                "0.1 + 0.2", "0.4", "-1.5", "2", "1e300", "12345678901.234567", "12345678901.3",
                "'x'", "x'00'",
            ]),
        StoredKeys(
            type: "STRING",
            keys: ["2", "12", "1.5", "'0x'", "'a'", "1e20", "9e999", "-9e999", "'inf'", "'zz'"]),
        StoredKeys(type: "INTEGER", keys: ["2", "12", "-7"]),
        StoredKeys(
            type: "TEXT",
            keys: ["2", "12", "'é'", "x'FF'", "'a'", "CAST(x'41FF' AS TEXT)", "x'4142'"]),
        StoredKeys(type: "DOUBLE", keys: ["2", "1.5", "-7", "9e999", "'x'"]),
        StoredKeys(type: "BLOB", keys: ["x'00'", "x''", "'a'", "3"]),
    ]
}

@Suite(.ownThreads) struct `Keys in another form than the normal one` {
    private static let limits = [1, 2, 3]

    private func bench(_ stored: StoredKeys) throws -> HubBench {
        try HubBench(
            schema: "CREATE TABLE sample (id \(stored.type) NOT NULL PRIMARY KEY, name TEXT)")
    }

    private func insert(_ stored: StoredKeys, _ bench: HubBench) throws {
        let rows = stored.keys.map { "(\($0), 'n')" }.joined(separator: ", ")
        try bench.sql("INSERT INTO sample VALUES \(rows)")
    }

    /// Each row is in a page once, or its key is named as withheld.
    private func expectWhole(_ replica: ScriptedReplica, _ stored: StoredKeys, _ pages: [Page]) {
        let rows = pages.flatMap(\.tables).reduce(0) { $0 + $1.rows.count }
        let withheld = pages.reduce(0) { $0 + $1.withheld.count }
        #expect(rows + withheld == stored.keys.count)
        #expect(replica.rows["sample", default: [:]].count == rows)
        #expect(pages.last?.isCaughtUp == true)
    }

    @Test(arguments: StoredKeys.all, limits)
    func `are in a first copy that comes in pages`(stored: StoredKeys, limit: Int) throws {
        let bench = try bench(stored)
        try insert(stored, bench)
        let replica = try ScriptedReplica(bench, 1)
        let pages = replica.pages(
            try replica.exchange(limits: PageLimits(maximumRows: limit, maximumPages: 40)))
        // A copy that fits one page is no scan.
        #expect(pages.first?.expectedRows == (pages.count > 1 ? stored.keys.count : nil))
        expectWhole(replica, stored, pages)
    }

    @Test(arguments: StoredKeys.all, limits)
    func `are in the pages of what changed`(stored: StoredKeys, limit: Int) throws {
        let bench = try bench(stored)
        let replica = try ScriptedReplica(bench, 1)
        try replica.exchange()
        try insert(stored, bench)
        let pages = replica.pages(
            try replica.exchange(limits: PageLimits(maximumRows: limit, maximumPages: 40)))
        expectWhole(replica, stored, pages)
    }

    @Test(arguments: limits)
    func `are in the pages of what was removed`(limit: Int) throws {
        let bench = try bench(StoredKeys.all[0])
        try insert(StoredKeys.all[0], bench)
        let replica = try ScriptedReplica(bench, 1)
        try replica.exchange()
        try bench.sql("DELETE FROM sample")
        try replica.exchange(limits: PageLimits(maximumRows: limit, maximumPages: 40))
        #expect(Set(replica.removed.map(\.key)).count == StoredKeys.all[0].keys.count)
        #expect(replica.rows["sample"]?.isEmpty == true && replica.cursor.scan == nil)
    }

    @Test(arguments: limits)
    func `are in scopes that come and go in pages`(limit: Int) throws {
        let scopes = ScopeSettings(
            rules: ["sample": [ScopeRule(.column(kind: "person", "name"))]],
            holdings: ["person": .claim("name")])
        let bench = try HubBench(
            schema: "CREATE TABLE sample (id UUID NOT NULL PRIMARY KEY, name TEXT)",
            scopes: scopes)
        let keys = StoredKeys.all[0].keys
        for (place, key) in keys.enumerated() {
            try bench.sql("INSERT INTO sample VALUES (\(key), '\(["ann", "bob"][place % 2])')")
        }
        let replica = try ScriptedReplica(bench, 1)
        let small = PageLimits(maximumRows: limit, maximumPages: 40)
        func exchange(_ names: [String]) throws {
            replica.principal = Principal(subject: "u", claims: ["name": names])
            try replica.exchange(limits: small)
            #expect(replica.cursor.scan == nil)
        }
        try exchange(["ann", "bob"])
        let withheld = replica.withheld.count
        #expect(replica.rows["sample"]?.count == 2 && withheld == keys.count - 2)
        try exchange([])
        #expect(replica.rows["sample"]?.isEmpty == true)
        #expect(Set(replica.removed.map(\.key)).count == keys.count)
        try exchange(["bob"])
        #expect(replica.withheld.count - withheld + (replica.rows["sample"]?.count ?? 0) == 4)
    }

    /// A page reads the database in pieces, of which the first is small.
    @Test func `are in a page of many rows`() throws {
        let keys = (10..<60).map { number in
            let text = "aabb\(number)00-0000-4000-8000-00000000000f"
            return "'\(number.isMultiple(of: 3) ? text.uppercased() : text)'"
        }
        let stored = StoredKeys(type: "UUID", keys: keys)
        let bench = try bench(stored)
        let replica = try ScriptedReplica(bench, 1)
        try replica.exchange()
        try insert(stored, bench)
        expectWhole(replica, stored, replica.pages(try replica.exchange()))
        let fresh = try ScriptedReplica(bench, 2)
        expectWhole(fresh, stored, fresh.pages(try fresh.exchange()))
    }

    @Test(arguments: StoredKeys.all, limits)
    func `are compared page by page`(stored: StoredKeys, limit: Int) throws {
        let bench = try bench(stored)
        try insert(stored, bench)
        let replica = try ScriptedReplica(bench, 1)
        try replica.exchange()
        var rows: [ComparedRow] = []
        var after: RowKey?
        repeat {
            let request = CompareRequest(
                replica: replica.id, table: replica.tables[0], after: after, maximumRows: limit,
                cursor: replica.cursor, withValues: true)
            let answer = try CompareAnswer(
                decoding: bench.hub.comparison(CompareRequest(decoding: request.encoded()))
                    .encoded())
            rows += answer.rows
            after = answer.next
        } while after != nil && rows.count <= stored.keys.count
        #expect(rows.count == stored.keys.count)
        let table = replica.table("sample")
        #expect(rows.allSatisfy { $0.key == table.key($0.key.values) })
        // What a first copy withholds is withheld here, too.
        #expect(rows.count { $0.isWithheld } == replica.withheld.count)
        #expect(rows.count { $0.values != nil } == replica.rows["sample", default: [:]].count)
    }

    /// A column declared as `STRING` makes numbers of such texts. They are texts to devices.
    @Test func `find the row of a change`() throws {
        let bench = try HubBench(
            schema: "CREATE TABLE sample (id STRING NOT NULL PRIMARY KEY, name TEXT)")
        try bench.sql("INSERT INTO sample VALUES ('12', 'n'), ('1.5', 'n')")
        let replica = try ScriptedReplica(bench, 1)
        try replica.exchange()
        let changes = ["12", "1.5"].map {
            replica.update("sample", .text($0), set: ["name": (.text("n"), .text("new"))])
        }
        try replica.exchange(
            replica.batch(changes + [replica.insert("sample", [.text("7"), .text("new")])]))
        #expect(replica.removed.isEmpty)
        #expect(
            try bench.rows("SELECT id, name FROM sample ORDER BY id") == [
                [.real(1.5), .text("new")], [.integer(7), .text("new")],
                [.integer(12), .text("new")],
            ])
        try bench.sql("DELETE FROM sample WHERE id = 12")
        try replica.exchange()
        #expect(replica.removed.map(\.key) == [RowKey([.text("12")])])
    }

    @Test func `are no keys of the table, where they have fewer columns`() throws {
        let bench = try HubBench()
        try bench.sql(
            """
            INSERT INTO customer (id, name) VALUES ('a', 'A');
            INSERT INTO purchase VALUES (1, 'a', NULL);
            INSERT INTO line VALUES (1, 1, 1), (1, 2, 2), (1, 3, 3);
            """)
        let replica = try ScriptedReplica(bench, 1, tables: ["line"])
        try replica.exchange(limits: PageLimits(maximumRows: 1, maximumPages: 1))
        let scan = try #require(replica.cursor.scan)
        let place = try #require(scan.position)
        #expect(place.key.values == [.integer(1), .integer(1)])
        let cursor = replica.cursor
        replica.cursor = SyncCursor(
            epoch: cursor.epoch, checkpoint: cursor.checkpoint, complete: cursor.complete,
            partial: cursor.partial, tables: cursor.tables,
            scan: Scan(
                upperBound: scan.upperBound, scopes: scan.scopes, tables: scan.tables,
                position: ScanPosition(
                    table: place.table, scope: place.scope, version: place.version,
                    key: RowKey([.integer(1)]))))
        let ended = #expect(throws: HubError.self) { try replica.exchange() }
        #expect(ended?.code == .malformed)
        let compared = #expect(throws: HubError.self) {
            try bench.hub.comparison(
                CompareRequest(
                    replica: replica.id, table: replica.tables[0], after: RowKey([.integer(1)]),
                    maximumRows: 2, cursor: .start, withValues: false))
        }
        #expect(compared?.code == .malformed)
    }

    /// Their rows are withheld: no device can name them.
    @Test(arguments: [
        "'AA000002-0000-4000-8000-00000000000F'", "x'aa000002000040008000000000000f00'",
    ])
    func `withhold their row`(key: String) throws {
        let bench = try bench(StoredKeys(type: "UUID", keys: []))
        try insert(StoredKeys(type: "UUID", keys: [key]), bench)
        let replica = try ScriptedReplica(bench, 1)
        try replica.exchange()
        #expect(replica.withheld.map(\.column) == ["id"])
        #expect(replica.rows["sample"] == nil)
    }
}
