import GRDBSQLite
import MoorageCore
import MoorageHub
import TestSupport
import Testing

@testable import MoorageSQLite

/// Attaches a table that is attached already.
@Suite(.ownThreads) struct `Attaching again` {
    private static let scoped = ScopeSettings(rules: [
        "item": [ScopeRule(.column(kind: "area", "area"))]
    ])

    private func attached(_ rows: Int, _ scopes: ScopeSettings) throws -> SQLiteDatabase {
        let database = try SQLiteDatabase()
        try database.execute(
            """
            CREATE TABLE item (a INTEGER, b TEXT, area TEXT, PRIMARY KEY (a, b));
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
            INSERT INTO item SELECT i / 3, 'b' || i, 'area ' || (i % 5) FROM n;
            """)
        try attach(database, scopes)
        return database
    }

    private func attach(_ database: SQLiteDatabase, _ scopes: ScopeSettings) throws {
        try database.perform { connection in
            var attachment = Attachment(on: connection, scopes: scopes, makeID: { "id" })
            attachment.batchRows = 200
            _ = try attachment.attach(tables: nil)
        }
    }

    /// The longest time that one transaction has the write lock, in steps of SQLite's virtual
    /// machine.
    ///
    /// - Parameter isReadAgain: Whether a trigger was missing, so that devices read every row again.
    private func longestWrite(
        _ rows: Int, _ scopes: ScopeSettings, isReadAgain: Bool
    ) throws -> Int {
        let database = try attached(rows, scopes)
        if isReadAgain { try database.execute("DROP TRIGGER moorage_delete_1_item") }
        let handle = try database.perform {
            try #require($0 as? MoorageSQLite.SQLiteConnection).handle
        }
        let steps = WriteSteps(handle)
        let context = Unmanaged.passUnretained(steps)
        sqlite3_progress_handler(
            handle, 1,
            { context in
                context.map { Unmanaged<WriteSteps>.fromOpaque($0).takeUnretainedValue().count() }
                return 0
            }, context.toOpaque())
        defer { sqlite3_progress_handler(handle, 0, nil, nil) }
        try attach(database, scopes)
        try database.perform { try $0.numberChanges() }
        return steps.longest
    }

    @Test(arguments: [ScopeSettings(), scoped], [false, true])
    func `holds the write lock for as long, however large the table is`(
        scopes: ScopeSettings, isReadAgain: Bool
    ) throws {
        let few = try longestWrite(1_000, scopes, isReadAgain: isReadAgain)
        let many = try longestWrite(8_000, scopes, isReadAgain: isReadAgain)
        #expect(few > 0)
        #expect(many < few * 2)
    }

    @Test(arguments: [ScopeSettings(), scoped])
    func `leaves no row that a numbering step has to number`(scopes: ScopeSettings) throws {
        let database = try attached(1_000, scopes)
        let unnumbered = """
            SELECT count(*), (SELECT count(*) FROM moorage_track_1_item)
            FROM moorage_track_1_item WHERE version IS NULL OR live_since IS NULL
            """
        let count = { try database.perform { try $0.run(unnumbered, []) } }
        #expect(try count() == [[.integer(0), .integer(1_000)]])
        try database.execute("DROP TRIGGER moorage_delete_1_item")
        try attach(database, scopes)
        #expect(try count() == [[.integer(0), .integer(1_000)]])
    }

    @Test(arguments: [ScopeSettings(), scoped])
    func `puts right what differs, in every part`(scopes: ScopeSettings) throws {
        let database = try attached(1_000, scopes)
        try database.execute(
            """
            DROP TRIGGER moorage_delete_1_item;
            DELETE FROM item WHERE a % 17 = 0;
            UPDATE moorage_track_1_item SET live = 0 WHERE k0 % 13 = 0;
            """)
        try attach(database, scopes)
        let (live, there) = try database.perform { connection in
            (
                try connection.run(
                    "SELECT k0, k1 FROM moorage_track_1_item WHERE live ORDER BY k0, k1", []),
                try connection.run("SELECT a, b FROM item ORDER BY a, b", [])
            )
        }
        #expect(live == there)
        #expect(there.count < 1_000)
    }
}

private final class WriteSteps {
    private let handle: OpaquePointer
    private var current = 0
    private(set) var longest = 0

    init(_ handle: OpaquePointer) { self.handle = handle }

    func count() {
        current = sqlite3_txn_state(handle, "main") == SQLITE_TXN_WRITE ? current + 1 : 0
        longest = max(longest, current)
    }
}
