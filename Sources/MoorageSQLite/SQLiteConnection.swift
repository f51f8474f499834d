import GRDB
import GRDBSQLite
import MoorageCore
import MoorageHub

/// One SQLite connection for the time of one piece of work, on that work's thread.
final class SQLiteConnection: CentralConnection {
    let handle: OpaquePointer
    private let database: Database
    let cache: ConnectionCache
    private var statements = ByteKeyedDictionary<SQLiteStatement>()
    private var shapes: [Int: TableShape] = [:]
    private var savepoints = 0
    /// Whether constraints wait for the transaction's end. A statement that writes rows keeps the
    /// mode in which it was compiled.
    var isDeferring = false

    init(_ database: Database, _ handle: OpaquePointer, cache: ConnectionCache) {
        self.database = database
        self.handle = handle
        self.cache = cache
        cache.beginWork()
    }

    /// From here on the schema may change, and change back with the transaction, under the same
    /// stamp.
    func beginMovingSchema() { cache.isSchemaSteady = false }

    // MARK: Statements

    /// The statement of a text that names only tables and columns, and that every piece of work
    /// uses again.
    func statement(_ sql: String) throws -> SQLiteStatement {
        try statement(sql) {
            try prepared {
                try cache.statement(sql, on: database) ?? database.makeStatement(sql: sql)
            }
        }
    }

    /// A statement whose text depends on the rows to write. There may be any number of such texts.
    func passingStatement(_ sql: String) throws -> SQLiteStatement {
        try statement(sql) { try ownStatement(sql) }
    }

    /// A statement for a single use.
    func ownStatement(_ sql: String) throws -> SQLiteStatement {
        try prepared { try database.makeStatement(sql: sql) }
    }

    private func statement(_ sql: String, _ make: () throws -> SQLiteStatement) rethrows
        -> SQLiteStatement
    {
        if let known = statements[sql] { return known }
        let statement = try make()
        statements[sql] = statement
        return statement
    }

    private func prepared(_ make: () throws -> Statement) throws -> SQLiteStatement {
        do {
            return SQLiteStatement(prepared: try make(), on: handle)
        } catch is DatabaseError {
            throw CentralError(sqlite: handle)
        }
    }

    func query(_ sql: String, _ arguments: [Value] = []) throws -> [[Value]] {
        var rows: [[Value]] = []
        try statement(sql).run(arguments) { rows.append($0.values(0..<$0.columnCount)) }
        return rows
    }

    func execute(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
            throw CentralError(sqlite: handle)
        }
    }

    func run(_ sql: String, _ arguments: [Value]) throws -> [[Value]] { try query(sql, arguments) }

    /// How a table's values are stored. A piece of work looks this up once, and reads it again when
    /// the schema has changed.
    func shape(of table: AttachedTable) throws -> TableShape {
        if let known = shapes[table.number] { return known }
        let shape = try cache.shape(of: table, at: schemaStamp()) {
            try TableShape(table, on: self)
        }
        shapes[table.number] = shape
        return shape
    }

    /// Every tracking table with the table that it tracks.
    func trackingTables() throws -> [TrackingTable] {
        try cache.tracked(at: schemaStamp()) { try readTrackingTables() }
    }

    // MARK: Transactions

    func begin(_ kind: TransactionKind) throws {
        isDeferring = false
        switch kind {
        case .write: try execute("BEGIN IMMEDIATE")
        case .snapshot:
            try execute("BEGIN")
            // The first read fixes what the transaction sees.
            _ = try query("SELECT 1 FROM sqlite_master LIMIT 1")
        }
    }

    func commit() throws { try execute("COMMIT") }

    func rollback() {
        savepoints = 0
        if sqlite3_get_autocommit(handle) == 0 { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
    }

    func savepoint() throws {
        try execute("SAVEPOINT moorage_\(savepoints)")
        savepoints += 1
    }

    func releaseSavepoint() throws {
        savepoints -= 1
        try execute("RELEASE moorage_\(savepoints)")
    }

    func rollbackToSavepoint() throws {
        savepoints -= 1
        try execute("ROLLBACK TO moorage_\(savepoints); RELEASE moorage_\(savepoints)")
    }

    // MARK: Facts

    func now() throws -> HubTime {
        guard case .integer(let time)? = try query("SELECT \(Self.nowSQL)").first?.first else {
            return 0
        }
        return HubTime(milliseconds: time)
    }

    /// Milliseconds since 1970 by SQLite's own clock.
    static let nowSQL = "CAST(ROUND((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER)"

    /// A file has no identity of its own. The nonces of its checkpoints tell a copy or a backup
    /// apart.
    func identity() throws -> String { "sqlite" }

    func schemaStamp() throws -> String {
        guard case .integer(let version)? = try query("PRAGMA schema_version").first?.first else {
            return ""
        }
        let stamp = String(version)
        cache.forget(unless: stamp, on: database)
        return stamp
    }

    func hasOwnTable(_ name: String) throws -> Bool {
        try !query("SELECT 1 FROM sqlite_master WHERE name = ?", [.text(name)]).isEmpty
    }
}

extension String {
    /// The name quoted for SQL; names come from the schema, never from the wire.
    var quoted: String { SQLText.name(self) }
}
