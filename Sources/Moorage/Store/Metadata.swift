import GRDB
import MoorageCore
import MoorageWire

/// What the replica knows of itself: the tables `_moorage_…` in the app's own file.
struct Metadata {
    let db: Database

    /// Increased when older code must not write the file any more.
    static let version = 3

    enum Name: String {
        case version, replica, hub, number, cursor, schema, generation, cookie, epoch
        /// See ``CaughtUpTime``.
        case lastCaughtUp
        case maximumBatchRows, maximumBatchBytes, maximumValueBytes, batchRows
        /// A first scan records no single rows, so all foreign keys are checked at its end.
        case checksEverything
        case expectedRows, doneRows
        /// How far the scan has come with each table.
        case tableProgress
        /// The tables whose rows have states; unset where none has.
        case rowStates
        case clone
        /// The hub's schema for which the in-flight batch was cut.
        case batchSchema
        /// The previous replica id, until the hub has welcomed the file by the present one.
        case formerly
        /// What the hub calls the user whose file it is.
        case user
        /// What that user may write.
        case rights
        /// The tables with ``RightTriggers``, as JSON.
        case refusingTables
        /// The version of this library that read the rights.
        case rightsReader
        /// See ``UUIDForm``; unknown until the app writes its first key.
        case uuidForm
    }

    /// Where the single values are.
    static let valueTable = "_moorage_meta"

    static let refusedTable = """
        CREATE TABLE IF NOT EXISTS _moorage_refused(
          id INTEGER PRIMARY KEY AUTOINCREMENT, tbl TEXT NOT NULL, key TEXT NOT NULL,
          operation TEXT NOT NULL, columns TEXT NOT NULL, before TEXT, after TEXT,
          code TEXT NOT NULL, message TEXT NOT NULL, at INTEGER NOT NULL,
          blocked INTEGER NOT NULL DEFAULT 0,  -- still in the log: it is tried again when it changed
          row TEXT,                -- the whole row, where an update found it gone
          grp TEXT                 -- the group that was refused with it
        );
        CREATE INDEX IF NOT EXISTS _moorage_refused_row ON _moorage_refused(tbl, key);
        """

    static let tables = """
        CREATE TABLE IF NOT EXISTS _moorage_meta(name TEXT PRIMARY KEY, value) WITHOUT ROWID;
        \(TableRecords.table)
        -- Empty except inside a transaction that applies what the hub sent: the triggers' guard.
        CREATE TABLE IF NOT EXISTS _moorage_applying(x);
        -- One row while a transaction makes a group of changes, and no longer.
        CREATE TABLE IF NOT EXISTS _moorage_group(id INTEGER PRIMARY KEY AUTOINCREMENT);
        -- Each log's last entry when the group began.
        CREATE TABLE IF NOT EXISTS _moorage_group_start(
          tbl TEXT PRIMARY KEY, seq INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS _moorage_inflight(
          number INTEGER PRIMARY KEY, nonce TEXT NOT NULL, at INTEGER NOT NULL, payload BLOB NOT NULL);
        CREATE TABLE IF NOT EXISTS _moorage_acknowledged(
          id INTEGER PRIMARY KEY, number INTEGER NOT NULL, at INTEGER NOT NULL, payload BLOB NOT NULL,
          hub_at INTEGER);         -- the same moment by the hub's clock
        \(refusedTable)
        CREATE TABLE IF NOT EXISTS _moorage_overruled(
          id INTEGER PRIMARY KEY AUTOINCREMENT, tbl TEXT NOT NULL, key TEXT NOT NULL,
          operation TEXT NOT NULL, base TEXT, mine TEXT, theirs TEXT,
          result TEXT, rule TEXT, at INTEGER NOT NULL);
        CREATE TABLE IF NOT EXISTS _moorage_deferred(
          tbl TEXT, key TEXT, columns TEXT NOT NULL, row TEXT NOT NULL, PRIMARY KEY(tbl, key)
        ) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS _moorage_withheld(
          tbl TEXT, key TEXT, column TEXT NOT NULL, reason TEXT NOT NULL,
          here INTEGER NOT NULL,   -- this device cannot hold it; else no device can
          PRIMARY KEY(tbl, key)
        ) WITHOUT ROWID;
        -- Rows whose foreign key names no row, as the hub's database has it.
        CREATE TABLE IF NOT EXISTS _moorage_dangling(
          tbl TEXT, key TEXT, columns TEXT, parent TEXT NOT NULL, PRIMARY KEY(tbl, key, columns)
        ) WITHOUT ROWID;
        \(SubscriptionTable.definition)
        \(ExchangeTable.definition)
        """

    func create() throws {
        try db.execute(sql: Self.tables)
        try TableRecords(db: db).complete()
        // Files of an earlier version.
        for name in ["row", "grp"] where try !db.hasColumn(name, in: "_moorage_refused") {
            try db.execute(sql: "ALTER TABLE _moorage_refused ADD COLUMN \(name) TEXT")
        }
        if try !db.hasColumn("hub_at", in: "_moorage_acknowledged") {
            try db.execute(sql: "ALTER TABLE _moorage_acknowledged ADD COLUMN hub_at INTEGER")
        }
        if try !db.tableExists(KeyBlocks.name) {
            // An earlier version stored such a row as a list of names and values. Without it the
            // change still has its columns.
            try db.execute(sql: "UPDATE _moorage_refused SET row = NULL WHERE row LIKE '[%'")
            try db.execute(sql: KeyBlocks.table)
        }
    }

    func exists() throws -> Bool { try db.tableExists("_moorage_meta") }

    /// Makes the replica's own tables, and brings those of an earlier version up to date.
    ///
    /// - Returns: The version that the file had; `nil` for a file that is no replica yet.
    /// - Throws: `metadataNewer`. Then nothing changed.
    func bringUpToDate() throws -> Int64? {
        let version = try exists() ? integer(.version) : nil
        if let version, version > Metadata.version {
            throw ReplicaError.metadataNewer(version, known: Metadata.version)
        }
        try create()
        if let version, version < Metadata.version {
            try FileUpgrade(db: db).run(from: version)
            try set(.version, Metadata.version)
        }
        return version
    }

    // MARK: Single values

    func integer(_ name: Name) throws -> Int64? {
        try RawStatement.fixed(db, Self.value).firstInteger([.text(name.rawValue)])
    }

    func text(_ name: Name) throws -> String? {
        try RawStatement.fixed(db, Self.value).firstText([.text(name.rawValue)])
    }

    private static let value = "SELECT value FROM _moorage_meta WHERE name = ?1"

    /// Writes nothing when nothing changes, because most exchanges bring nothing new.
    func set(_ name: Name, _ value: Value) throws {
        let sql = """
            INSERT INTO _moorage_meta(name, value) VALUES(?1, ?2)
            ON CONFLICT(name) DO UPDATE SET value = excluded.value
            WHERE value IS NOT excluded.value
            """
        try RawStatement.fixed(db, sql).run([.text(name.rawValue), value])
    }

    func set(_ name: Name, _ number: Int64?) throws {
        try set(name, number.map(Value.integer) ?? .null)
    }

    func set(_ name: Name, _ number: Int?) throws { try set(name, number.map(Int64.init)) }

    func set(_ name: Name, _ text: String) throws { try set(name, .text(text)) }

    func bump() throws { try set(.generation, (try integer(.generation) ?? 0) + 1) }

    // MARK: Cursor and schema

    func cursor() throws -> SyncCursor {
        guard let text = try text(.cursor) else { return .start }
        return try damaged("cursor") { try SyncCursor(decoding: Array(text.utf8)) }
    }

    func set(_ cursor: SyncCursor) throws {
        try set(.cursor, String(decoding: cursor.encoded(), as: UTF8.self))
    }

    func schema() throws -> SchemaDescription? {
        guard let text = try text(.schema) else { return nil }
        return try damaged("schema") { try SchemaDescription(decoding: Array(text.utf8)) }
    }

    /// What the user may write; `nil` before a hub has said it.
    func rights() throws -> RightsAnswer? {
        guard let text = try text(.rights) else { return nil }
        return try damaged("rights") { try RightsAnswer(decoding: Array(text.utf8)) }
    }

    /// A later version of this library may know more of an answer that this one has read.
    func areRightsWhole() throws -> Bool {
        try text(.rightsReader)?.hasSameBytes(as: libraryVersion) ?? false
    }

    func set(_ rights: RightsAnswer) throws {
        try set(.rights, String(decoding: rights.encoded(), as: UTF8.self))
        try set(.rightsReader, libraryVersion)
    }

    /// A file belongs to one hub, from the first contact on.
    ///
    /// - Throws: `differentHub`.
    func check(hub: String) throws {
        guard let known = try text(.hub), !known.hasSameBytes(as: hub) else { return }
        throw ReplicaError.differentHub(known, answered: hub)
    }

    /// Whether a clone is under way: its tables have no triggers yet.
    func isCloning() throws -> Bool { try text(.clone) != nil }

    func uuidForm() throws -> UUIDForm {
        try text(.uuidForm).flatMap(UUIDForm.init(rawValue:)) ?? .lower
    }

    func replica() throws -> String {
        guard let id = try text(.replica) else { throw ReplicaError.metadataDamaged("replica") }
        return id
    }

    func hubLimits() throws -> HubLimits {
        var limits = HubLimits()
        if let rows = try integer(.maximumBatchRows) { limits.maximumBatchRows = Int(rows) }
        if let bytes = try integer(.maximumBatchBytes) { limits.maximumBatchBytes = Int(bytes) }
        if let bytes = try integer(.maximumValueBytes) { limits.maximumValueBytes = Int(bytes) }
        return limits
    }

    // MARK: The in-flight batch

    func inFlightBatch() throws -> StoredBatch? {
        let sql = "SELECT payload FROM _moorage_inflight ORDER BY number LIMIT 1"
        guard let payload = try [UInt8].fetch(db, sql) else { return nil }
        return try damaged("inflight") {
            StoredBatch(batch: try Batch(stored: payload), payload: payload)
        }
    }

    func hasInFlightBatch() throws -> Bool {
        try RawStatement.fixed(db, "SELECT 1 FROM _moorage_inflight LIMIT 1").exists([])
    }

    func damaged<Result>(_ what: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch is RowDecodingError {
            // GRDB's error has the whole row, and errors are logged.
            throw ReplicaError.metadataDamaged(what)
        } catch {
            throw ReplicaError.metadataDamaged(what, error)
        }
    }
}

/// A batch with its stored bytes, which are sent again byte for byte (B1).
struct StoredBatch: Hashable, Sendable {
    let batch: Batch
    let payload: [UInt8]
}

extension [UInt8] {
    /// The first column of the first row as bytes.
    static func fetch(_ db: Database, _ sql: String, _ values: [Value] = []) throws -> [UInt8]? {
        guard let row = try RawStatement.fixed(db, sql).first(values), let first = row.first else {
            return nil
        }
        switch first {
        case .value(.blob(let bytes)), .invalidText(let bytes): return bytes
        case .value(.text(let text)): return Array(text.utf8)
        case .value: return nil
        }
    }
}

extension Array where Element == String {
    var jsonText: String { map(Value.text).jsonText() }

    init(jsonText: String) throws {
        self = try [Value](jsonText: jsonText).compactMap {
            if case .text(let name) = $0 { name } else { nil }
        }
    }
}
