import GRDB
import Moorage
import MoorageCore

/// What the device remembers of the server, in the app's file.
///
/// It is written after the page that it belongs to. So a crash in between repeats a page, and never
/// skips one. The keys of new rows are the exception: they are written before the page, so that no
/// row of the server is here without the device knowing it.
struct RESTStore: Sendable {
    let database: any DatabaseWriter
    let owner = RequestOwner()

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (RESTRecords) throws -> Result
    ) async throws -> Result {
        try await database.write { try body(RESTRecords(db: $0)) }
    }

    /// Makes the tables in a file that lacks them.
    static func makeTables(_ db: Database) throws {
        if try db.tableExists(ServerTable.unmade) { return }
        try db.execute(
            sql: """
                CREATE TABLE IF NOT EXISTS \(ServerTable.state)(
                  name TEXT PRIMARY KEY, value) WITHOUT ROWID;
                CREATE TABLE IF NOT EXISTS \(ServerTable.feed)(
                  tbl TEXT PRIMARY KEY, cursor TEXT, etag TEXT, modified TEXT,
                  generation INTEGER NOT NULL DEFAULT 0,
                  scanning INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
                CREATE TABLE IF NOT EXISTS \(ServerTable.row)(
                  tbl TEXT NOT NULL, key TEXT NOT NULL, parent TEXT, digest TEXT, etag TEXT,
                  seen INTEGER NOT NULL DEFAULT 0, PRIMARY KEY(tbl, key)) WITHOUT ROWID;
                CREATE INDEX IF NOT EXISTS \(ServerTable.row)_parent
                  ON \(ServerTable.row)(tbl, parent) WHERE parent IS NOT NULL;
                CREATE TABLE IF NOT EXISTS \(ServerTable.request)(
                  tbl TEXT NOT NULL, key TEXT NOT NULL, replica TEXT NOT NULL,
                  number INTEGER NOT NULL, changes TEXT NOT NULL, name TEXT NOT NULL,
                  is_insert INTEGER NOT NULL, body BLOB, theirs BLOB,
                  owner TEXT NOT NULL, sent_at INTEGER NOT NULL,
                  done INTEGER NOT NULL, outcomes BLOB, answer BLOB, etag TEXT, new_key TEXT,
                  PRIMARY KEY(tbl, key)) WITHOUT ROWID;
                """ + RESTRecords.unmadeTable)
    }
}

/// The tables, inside a transaction.
struct RESTRecords {
    let db: Database

    // MARK: State

    func state(_ name: String) throws -> String? {
        try String.fetchOne(
            db.cachedStatement(sql: "SELECT value FROM \(ServerTable.state) WHERE name = ?"),
            arguments: [name])
    }

    func setState(_ name: String, _ value: String) throws {
        try db.execute(
            sql: "INSERT OR REPLACE INTO \(ServerTable.state)(name, value) VALUES(?, ?)",
            arguments: [name, value])
    }

    /// Whether anything of a server is remembered. An emptied file has nothing.
    func hasTraces() throws -> Bool {
        let tables = [ServerTable.feed, ServerTable.row, ServerTable.request]
        let sql = tables.map { "EXISTS(SELECT 1 FROM \($0))" }.joined(separator: " OR ")
        return try Bool.fetchOne(db, sql: "SELECT \(sql)") ?? false
    }

    /// How many pages were made so far.
    func version() throws -> Int64 { try state("version").flatMap { Int64($0) } ?? 0 }

    // MARK: Feeds

    func feed(of table: String) throws -> FeedState {
        let sql = "SELECT * FROM \(ServerTable.feed) WHERE tbl = ?"
        guard let row = try Row.fetchOne(db, sql: sql, arguments: [table]) else {
            return FeedState()
        }
        return FeedState(
            cursor: row["cursor"], etag: row["etag"], modified: row["modified"],
            generation: row["generation"], isScanning: row["scanning"])
    }

    func setFeed(_ feed: FeedState, of table: String) throws {
        try db.execute(
            sql: """
                INSERT OR REPLACE INTO \(ServerTable.feed)(
                  tbl, cursor, etag, modified, generation, scanning) VALUES(?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                table, feed.cursor, feed.etag, feed.modified, feed.generation, feed.isScanning,
            ])
    }

    /// Lets a collection be read from nothing, and all its rows be sent again.
    func readAgain(_ table: String) throws {
        var feed = try feed(of: table)
        feed.forgetProgress()
        try setFeed(feed, of: table)
        try db.execute(
            sql: "UPDATE \(ServerTable.row) SET digest = NULL WHERE tbl = ?", arguments: [table])
    }

    // MARK: Rows

    func row(_ name: RowName) throws -> KnownRow? {
        let sql =
            "SELECT parent, digest, etag, seen FROM \(ServerTable.row) WHERE tbl = ? AND key = ?"
        let statement = try db.cachedStatement(sql: sql)
        guard
            let row = try Row.fetchOne(
                statement, arguments: [name.table, name.key.values.jsonText()])
        else { return nil }
        return KnownRow(
            parent: row["parent"], digest: row["digest"], etag: row["etag"], seen: row["seen"])
    }

    /// Remembers a key whose row is about to arrive. Until it has, nobody knows what the device has.
    func expect(_ name: RowName, parent: RowKey?) throws {
        let sql = """
            INSERT INTO \(ServerTable.row)(tbl, key, parent) VALUES(?, ?, ?)
            ON CONFLICT(tbl, key) DO UPDATE SET digest = NULL
            """
        try db.cachedStatement(sql: sql).execute(arguments: [
            name.table, name.key.values.jsonText(), parent?.values.jsonText(),
        ])
    }

    /// Lets the next answer with a row count as a new one.
    func mistrust(_ name: RowName) throws {
        let sql = "UPDATE \(ServerTable.row) SET digest = NULL WHERE tbl = ? AND key = ?"
        try db.cachedStatement(sql: sql).execute(arguments: [
            name.table, name.key.values.jsonText(),
        ])
    }

    func set(_ name: RowName, _ row: KnownRow) throws {
        let sql = """
            INSERT OR REPLACE INTO \(ServerTable.row)(tbl, key, parent, digest, etag, seen)
            VALUES(?, ?, ?, ?, ?, ?)
            """
        try db.cachedStatement(sql: sql).execute(arguments: [
            name.table, name.key.values.jsonText(), row.parent, row.digest, row.etag, row.seen,
        ])
    }

    func setSeen(_ name: RowName, _ generation: Int64) throws {
        let sql = "UPDATE \(ServerTable.row) SET seen = ? WHERE tbl = ? AND key = ?"
        try db.cachedStatement(sql: sql).execute(arguments: [
            generation, name.table, name.key.values.jsonText(),
        ])
    }

    func forget(_ name: RowName) throws {
        let sql = "DELETE FROM \(ServerTable.row) WHERE tbl = ? AND key = ?"
        try db.cachedStatement(sql: sql).execute(arguments: [
            name.table, name.key.values.jsonText(),
        ])
    }

    /// The children of a row that the server had.
    func children(_ table: String, of parent: RowKey) throws -> [RowKey] {
        let sql = "SELECT key FROM \(ServerTable.row) WHERE tbl = ? AND parent = ?"
        let statement = try db.cachedStatement(sql: sql)
        return try String.fetchAll(statement, arguments: [table, parent.values.jsonText()])
            .compactMap(Self.key)
    }

    /// All rows of a table.
    func keys(of table: String) throws -> [RowKey] {
        let sql = "SELECT key FROM \(ServerTable.row) WHERE tbl = ? ORDER BY key"
        return try String.fetchAll(db, sql: sql, arguments: [table]).compactMap(Self.key)
    }

    /// Rows that no answer of a scan had, in the order of their texts, each with the last scan that
    /// met it.
    func missing(
        from table: String, since generation: Int64, after: RowKey?, limit: Int
    ) throws -> [(key: RowKey, seen: Int64)] {
        let sql = """
            SELECT key, seen FROM \(ServerTable.row)
            WHERE tbl = ? AND key > ? AND seen < ? ORDER BY key LIMIT ?
            """
        return try Row.fetchAll(
            db, sql: sql,
            arguments: [table, after?.values.jsonText() ?? "", generation, limit]
        ).compactMap { row in Self.key(row["key"]).map { ($0, row["seen"]) } }
    }

    /// The last one of these rows that was asked for, where the same scan broke off.
    func asked(in feed: FeedState, of table: String) throws -> RowKey? {
        let parts = try state("asked \(table)")?.split(separator: " ", maxSplits: 1)
        guard let parts, parts.count == 2, Int64(parts[0]) == feed.generation else { return nil }
        return Self.key(String(parts[1]))
    }

    func setAsked(_ key: RowKey?, in feed: FeedState, of table: String) throws {
        guard let key else { return }
        try setState("asked \(table)", "\(feed.generation) \(key.values.jsonText())")
    }

    static func key(_ text: String) -> RowKey? {
        (try? [Value](jsonText: text)).map { RowKey($0) }
    }
}

/// How far a collection has been read.
struct FeedState: Sendable {
    /// The next page's cursor of a scan, or a change feed's.
    var cursor: String?
    var etag: String?
    var modified: String?
    /// Counts the scans. A row has the number of the last one that met it.
    var generation: Int64 = 0
    /// Whether all rows are being read, so that those that are missing go.
    var isScanning = false

    mutating func forgetProgress() {
        cursor = nil
        etag = nil
        modified = nil
        isScanning = false
    }

    mutating func beginScan() {
        forgetProgress()
        generation += 1
        isScanning = true
    }
}

/// What is known of a row of the server.
struct KnownRow: Sendable {
    /// The key of the row that it is part of, as text.
    var parent: String?
    /// `nil` for a row that must be sent again.
    var digest: String?
    var etag: String?
    var seen: Int64 = 0

    var strongETag: String? { etag.flatMap { $0.hasPrefix("W/") ? nil : $0 } }
}
