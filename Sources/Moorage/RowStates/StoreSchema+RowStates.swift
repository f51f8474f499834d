import GRDB
import MoorageCore
import SQLiteSupport

/// The tables of states, for the tables that the app lists with them (decision 0112).
extension StoreSchema {
    /// What the file has for states, by name.
    private typealias Found = [Identifier: String]

    /// Whether the app wants the states of a table's rows, or the file has them and the app says
    /// nothing.
    func hasRowStates(_ table: ReplicaTable) throws -> Bool {
        try table.rowStates ?? read.statedTables(meta).contains(table.id)
    }

    /// Whether another process has removed a part of what is needed.
    func lacksRowStates(_ tracked: [TrackedTable]) throws -> Bool {
        let tables = tracked.filter(\.hasRowStates)
        if tables.isEmpty { return false }
        return try (tables.map(\.stateTable) + [RowStateLists.table]).contains {
            try !has("table", named: $0)
        }
    }

    /// Makes those that are missing or have another form, and fills them. Removes those that the app
    /// does not want any more.
    ///
    /// - Parameter tracked: The tables that can be read now. A suspended one keeps what it has.
    func keepRowStates(of tracked: [TrackedTable], isOpening: Bool) throws {
        let before = try read.statedTables(meta)
        let stated = Set(configured.filter { $0.rowStates == true }.map(\.id)).union(
            before.subtracting(configured.filter { $0.rowStates == false }.map(\.id)))
        if before.isEmpty, stated.isEmpty { return }
        let found = try rowStateDefinitions()
        for table in before.subtracting(stated) { try dropRowStates(of: table) }
        if stated != before {
            let names = stated.sorted().map(\.text)
            try meta.set(.rowStates, names.isEmpty ? .null : .text(names.jsonText))
        }
        let tables = tracked.filter(\.hasRowStates)
        let isRemade = try noteLists(of: tables, found)
        let inFlight = try tables.isEmpty ? nil : meta.inFlightBatch()?.batch
        for table in tables {
            let states = RowStateSQL(table: table)
            if !Self.isWhole(states.definitions, found) {
                try dropRowStates(of: table.name)
                for definition in states.definitions { try db.execute(sql: definition.sql) }
                try fillRowStates(of: table, inFlight)
            } else if isRemade {
                // A list, or the batch, may have changed while the table was suspended.
                for statement in states.clearLists { try db.execute(sql: statement) }
                try markInFlight(table, inFlight)
            } else if isOpening {
                // An earlier version of this library marks no batch.
                try markInFlight(table, inFlight)
            }
        }
        for statement in isRemade ? tables.flatMap(RowStateLists.noteAll) : [] {
            try db.execute(sql: statement)
        }
        try makeEmptyRowStates(besides: tables)
    }

    /// The app's queries name the table of states of a table that is suspended, too.
    private func makeEmptyRowStates(besides tables: [TrackedTable]) throws {
        let others = configured.filter { table in
            table.rowStates == true && !tables.contains { $0.name == table.id }
        }
        for table in others where try !has("table", named: TrackedTable.stateTable(of: table.id)) {
            guard let record = try records.record(of: table.id),
                let suspended = SuspendedTableLog(
                    record, local: try readableTable(named: record.name.text),
                    uuidForm: try meta.uuidForm(), hub: nil)
            else { continue }
            try db.execute(sql: RowStateSQL(table: suspended.table.tracked).createTable)
        }
    }

    private static func isWhole(_ definitions: [RowStateDefinition], _ found: Found) -> Bool {
        definitions.allSatisfy { found[Identifier($0.name)]?.hasSameBytes(as: $0.sql) == true }
    }

    private func dropRowStates(of name: Identifier) throws {
        for trigger in RowStateSQL.triggerNames(of: name) {
            try db.execute(sql: "DROP TRIGGER IF EXISTS \(SQLText.name(trigger))")
        }
        let states = SQLText.name(TrackedTable.stateTable(of: name))
        try db.execute(sql: "DROP TABLE IF EXISTS \(states)")
    }

    /// Makes the triggers of the lists name these tables.
    ///
    /// - Returns: Whether they named others before, or something was missing. What was noted is
    ///   gone then.
    private func noteLists(of tables: [TrackedTable], _ found: Found) throws -> Bool {
        let definitions = RowStateLists.definitions(for: tables)
        let known = found.keys.filter { $0.text.utf8.starts(with: RowStateLists.prefix.utf8) }
        let names = Set(definitions.map { Identifier($0.name) })
        if known.allSatisfy(names.contains), Self.isWhole(definitions, found) { return false }
        for name in known {
            for kind in ["trigger", "index", "table"] where try has(kind, named: name.text) {
                try db.execute(sql: "DROP \(kind) \(SQLText.name(name.text))")
            }
        }
        for definition in definitions { try db.execute(sql: definition.sql) }
        return true
    }

    /// Fills a table of states from the log, the batch in flight and the lists.
    func fillRowStates(of table: TrackedTable, _ inFlight: Batch?) throws {
        let states = RowStateSQL(table: table)
        try db.execute(sql: "DELETE FROM \(SQLText.name(table.stateTable))")
        try db.execute(sql: states.fill)
        try markInFlight(table, inFlight)
        for statement in RowStateLists.noteAll(of: table) { try db.execute(sql: statement) }
    }

    private func markInFlight(_ table: TrackedTable, _ batch: Batch?) throws {
        for statement in RowStateSQL(table: table).clearInFlight { try db.execute(sql: statement) }
        guard let batch, let synced = try synced(table) else { return }
        let statements = RawStatements(db, cache: StatementCache())
        for change in batch.changes where table.name == change.table {
            try RowStateKeeping.markInFlight(change.key, of: synced, statements)
        }
    }

    private func rowStateDefinitions() throws -> Found {
        let sql = """
            SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL
            AND (name GLOB '_moorage_state[_d]*' OR name GLOB '\(RowStateLists.prefix)*')
            """
        let rows = try Row.fetchAll(db, sql: sql)
        return Dictionary(
            try rows.map {
                (
                    Identifier(try $0.decode(String.self, forColumn: "name")),
                    try $0.decode(forColumn: "sql")
                )
            },
            uniquingKeysWith: { first, _ in first })
    }

    private func has(_ kind: String, named name: String) throws -> Bool {
        let sql = "SELECT 1 FROM sqlite_master WHERE type = ? AND name = ?"
        return try Int.fetchOne(db, sql: sql, arguments: [kind, name]) != nil
    }
}

extension Metadata {
    /// The tables whose rows have states. Most files have none, and are not searched for any.
    func statedTables() throws -> Set<Identifier> {
        guard let text = try text(.rowStates) else { return [] }
        return try damaged("rowStates") {
            Set(try [String](jsonText: text).map { Identifier($0) })
        }
    }
}
