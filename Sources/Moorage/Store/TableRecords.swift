import GRDB
import MoorageCore

/// Reads and writes `_moorage_table`. No other file knows its columns and their content.
struct TableRecords {
    let db: Database

    static let table = """
        CREATE TABLE IF NOT EXISTS _moorage_table(
          name TEXT PRIMARY KEY, local TEXT NOT NULL,
          keys TEXT NOT NULL,      -- the key's columns in the log's order
          places TEXT NOT NULL,    -- the columns that the log has a place for
          columns TEXT,            -- the synced columns, once the hub is known
          layout TEXT,             -- the local columns as they were last seen, and their names
          triggers TEXT,           -- the triggers as they were made; NULL: there are none
          tracked INTEGER NOT NULL DEFAULT 0,  -- there were triggers once
          copied INTEGER NOT NULL DEFAULT 0,  -- a page covered it once
          repair INTEGER NOT NULL DEFAULT 0,  -- 2: the rows here are older than the cursor
          unconfirmed TEXT,        -- what becomes of rows that a copy does not bring
          unread TEXT,             -- columns synced since the table was last read
          stale TEXT,              -- those of them that were synced before
          suspended_code TEXT, suspended TEXT,
          hub_suspended_code TEXT, -- NULL: tableSuspended
          hub_suspended TEXT,      -- why the hub has suspended the table
          checked_seq INTEGER, checked_at INTEGER  -- up to where the log's times never go back
        ) WITHOUT ROWID;
        """

    /// Adds what an earlier version did not remember.
    func complete() throws {
        if try !db.hasColumn("layout", in: "_moorage_table") {
            try db.execute(sql: "ALTER TABLE _moorage_table ADD COLUMN layout TEXT")
        }
        if try !db.hasColumn("hub_suspended_code", in: "_moorage_table") {
            try db.execute(sql: "ALTER TABLE _moorage_table ADD COLUMN hub_suspended_code TEXT")
        }
        if try !db.hasColumn("stale", in: "_moorage_table") {
            try db.execute(sql: "ALTER TABLE _moorage_table ADD COLUMN stale TEXT")
        }
        guard try !db.hasColumn("copied", in: "_moorage_table") else { return }
        // A table with synced columns has met its hub, so its rows may be the hub's.
        try db.execute(
            sql: """
                ALTER TABLE _moorage_table ADD COLUMN copied INTEGER NOT NULL DEFAULT 0;
                UPDATE _moorage_table SET copied = columns IS NOT NULL;
                """)
    }

    // MARK: Reading

    /// - Throws: `metadataDamaged`.
    func record(of name: Identifier) throws -> TableRecord? {
        // The statement is cached, because each table uses the same one.
        let statement = try db.cachedStatement(sql: "SELECT * FROM _moorage_table WHERE name = ?")
        guard let row = try Row.fetchOne(statement, arguments: [name.text])
        else { return nil }
        return try Metadata(db: db).damaged("table \(name)") { try Self.record(name, row) }
    }

    /// The names of all tables that were ever the replica's, in SQLite's order.
    func names() throws -> [Identifier] {
        try String.fetchAll(db, sql: "SELECT name FROM _moorage_table").map { Identifier($0) }
    }

    /// The same, each with what SQLite calls the table.
    func localNames() throws -> [(name: Identifier, local: String)] {
        try Row.fetchAll(db, sql: "SELECT name, local FROM _moorage_table").map { row in
            try Metadata(db: db).damaged("tables") {
                (
                    name: Identifier(try row.decode(forColumn: "name")),
                    local: try row.decode(forColumn: "local")
                )
            }
        }
    }

    private static func record(_ name: Identifier, _ row: Row) throws -> TableRecord {
        func list(_ column: String) throws -> [String]? {
            try row.decode(String?.self, forColumn: column).map { try [String](jsonText: $0) }
        }
        func suspension(
            _ reason: String, _ code: String, unknown: String
        ) throws -> TableRecord.Suspension? {
            let code = try row.decode(String?.self, forColumn: code)
            return try row.decode(String?.self, forColumn: reason).map {
                TableRecord.Suspension(code: code ?? unknown, reason: $0)
            }
        }
        let layout = try row.decode(String?.self, forColumn: "layout")
        return TableRecord(
            name: name, local: try row.decode(forColumn: "local"),
            keys: try [String](jsonText: row.decode(forColumn: "keys")),
            places: try [String](jsonText: row.decode(forColumn: "places")),
            columns: try list("columns"),
            layout: try layout.map { try TableLayout(jsonText: $0) },
            triggers: try row.decode(forColumn: "triggers"),
            hadTriggers: try row.decode(forColumn: "tracked"),
            wasCopied: try row.decode(forColumn: "copied"),
            state: CopyState(
                unconfirmed: try UnconfirmedRows(stored: row.decode(forColumn: "unconfirmed")),
                repair: TableRepair(stored: try row.decode(forColumn: "repair"))),
            unreadColumns: try list("unread") ?? [], staleColumns: try list("stale") ?? [],
            suspension: try suspension("suspended", "suspended_code", unknown: ""),
            hubSuspension: try suspension(
                "hub_suspended", "hub_suspended_code",
                unknown: ReplicaError.Code.tableSuspended.rawValue))
    }

    // MARK: Writing

    func add(_ record: TableRecord) throws {
        try db.execute(
            sql: "INSERT INTO _moorage_table(name, local, keys, places) VALUES(?, ?, ?, ?)",
            arguments: [
                record.name.text, record.local, record.keys.jsonText, record.places.jsonText,
            ])
        try write(record)
    }

    /// Changes what is known of a table. It does nothing if the file knows no such table.
    func change(_ name: Identifier, _ change: (inout TableRecord) -> Void) throws {
        guard let before = try record(of: name) else { return }
        var record = before
        change(&record)
        // Compare bytes: two names may be equal to `String`, and different to SQLite.
        if Self.stored(record) != Self.stored(before) { try write(record) }
    }

    private func write(_ record: TableRecord) throws {
        let sql = """
            UPDATE _moorage_table SET local = ?1, places = ?2, columns = ?3, triggers = ?4,
              tracked = ?5, copied = ?6, repair = ?7, unconfirmed = ?8, unread = ?9,
              suspended_code = ?10, suspended = ?11, hub_suspended_code = ?12, hub_suspended = ?13,
              keys = ?14, layout = ?15, stale = ?16
            WHERE name = ?17
            """
        try RawStatement.fixed(db, sql).run(Self.stored(record) + [.text(record.name.text)])
    }

    /// What may change of a record, in the order of the statement above.
    private static func stored(_ record: TableRecord) -> [Value] {
        func text(_ text: String?) -> Value { text.map(Value.text) ?? .null }
        func list(_ names: [String]) -> Value { text(names.isEmpty ? nil : names.jsonText) }
        return [
            .text(record.local), .text(record.places.jsonText), text(record.columns?.jsonText),
            text(record.triggers), .integer(record.hadTriggers ? 1 : 0),
            .integer(record.wasCopied ? 1 : 0), .integer(record.state.repair.stored),
            text(record.state.unconfirmed?.stored),
            list(record.unreadColumns), text(record.suspension?.code),
            text(record.suspension?.reason), text(record.hubSuspension?.code),
            text(record.hubSuspension?.reason), .text(record.keys.jsonText),
            text(record.layout?.jsonText), list(record.staleColumns),
        ]
    }

    /// Forgets the table's triggers. The table may not be one of the app's any more, and its record
    /// may be damaged.
    func forgetTriggers(of name: Identifier) throws {
        try db.execute(
            sql: "UPDATE _moorage_table SET triggers = NULL WHERE name = ?",
            arguments: [name.text])
    }

    /// Remembers that pages covered these tables. The app may have taken one out of its list.
    ///
    /// - Returns: Whether that is new.
    func rememberCopies(of names: Set<Identifier>) throws -> Bool {
        var isNew = false
        for name in names {
            try db.execute(
                sql: "UPDATE _moorage_table SET copied = 1 WHERE name = ? AND copied = 0",
                arguments: [name.text])
            isNew = isNew || db.changesCount > 0
        }
        return isNew
    }

    /// Forgets the copy state of all tables, because the logs are empty.
    ///
    /// - Parameter kept: The tables that still have their rows, which may be the hub's.
    func forgetCopies(except kept: Set<Identifier>) throws {
        try db.execute(
            sql: """
                UPDATE _moorage_table SET repair = 0, unconfirmed = NULL, unread = NULL,
                  stale = NULL, checked_seq = NULL, checked_at = NULL
                """)
        for name in try names() where !kept.contains(name) {
            try db.execute(
                sql: "UPDATE _moorage_table SET copied = 0 WHERE name = ?", arguments: [name.text])
        }
    }
}

extension UnconfirmedRows {
    fileprivate var stored: String {
        switch self {
        case .drop: "drop"
        case .list: "list"
        }
    }

    /// - Throws: `metadataDamaged`, because rows could be dropped that must be listed.
    fileprivate init?(stored: String?) throws {
        switch stored {
        case nil: return nil
        case "drop": self = .drop
        case "list": self = .list
        case _?: throw ReplicaError.metadataDamaged("unconfirmed")
        }
    }
}

extension TableRepair {
    fileprivate var stored: Int64 {
        switch self {
        case .none: 0
        case .due: 1
        case .dueOnStaleRows: 2
        }
    }

    fileprivate init(stored: Int) {
        switch stored {
        case ...0: self = .none
        case 1: self = .due
        default: self = .dueOnStaleRows
        }
    }
}

// MARK: A log's times

/// How far a log is checked: up to there its times never go back.
struct CheckedTimes {
    /// The last entry that was checked; `nil` if there was no entry.
    var seq: Int64?
    /// The latest time up to it.
    var at = DeviceTime(milliseconds: .min)
}

extension TableRecords {
    static func checkedTimes(
        of name: Identifier, _ statements: RawStatements
    ) throws -> CheckedTimes {
        let row = try statements(
            "SELECT checked_seq, checked_at FROM _moorage_table WHERE name = ?1"
        ).first([.text(name.text)])
        var checked = CheckedTimes()
        if case .value(.integer(let seq))? = row?[0] { checked.seq = seq }
        if case .value(.integer(let at))? = row?[1] { checked.at = DeviceTime(milliseconds: at) }
        return checked
    }

    static func keep(
        _ checked: CheckedTimes, of name: Identifier, _ statements: RawStatements
    ) throws {
        try statements(
            "UPDATE _moorage_table SET checked_seq = ?2, checked_at = ?3 WHERE name = ?1"
        ).run([
            .text(name.text), checked.seq.map(Value.integer) ?? .null,
            .time(checked.at),
        ])
    }

    /// Forgets them, because the log is empty: its next entry is its first.
    func forgetCheckedTimes(of name: Identifier) throws {
        try db.execute(
            sql: "UPDATE _moorage_table SET checked_seq = NULL, checked_at = NULL WHERE name = ?",
            arguments: [name.text])
    }
}
