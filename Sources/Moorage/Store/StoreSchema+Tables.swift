import GRDB
import MoorageCore
import SQLiteSupport

/// Adopts one of the app's tables: its log, and the rows that it has already.
extension StoreSchema {
    func track(_ table: ReplicaTable, _ known: TableRecord?) throws -> TrackedTable {
        guard let local = try read.local(db).table(named: table.name) else {
            throw ReplicaError.noSuchTable(table.name)
        }
        guard !local.primaryKey.isEmpty else {
            throw ReplicaError.noPrimaryKey(local.name)
        }
        guard let known else { return try begin(table, local) }
        let renames = try renames(of: table, in: local, known)
        func present(_ names: [String]) -> [String] {
            names.map { name in
                renames.first { SQLText.isSameName($0.old, name) }?.new ?? name
            }
        }
        let keys = present(known.keys)
        guard keys.count == local.keyNames.count,
            zip(keys, local.keyNames).allSatisfy({ SQLText.isSameName($0, $1) })
        else {
            throw ReplicaError.keyChanged(local.name, from: known.keys, to: local.keyNames)
        }
        let places = present(known.places)
        let added = local.plainNames.filter { name in
            !places.contains { SQLText.isSameName($0, name) }
        }
        let layout = TableLayout(local, after: known, renames: renames)
        let tracked = TrackedTable(
            name: table.id, local: local, keyNames: local.keyNames, logNames: places + added,
            presentNames: layout.presentNames, uuidForm: try meta.uuidForm(),
            hasRowStates: try hasRowStates(table))
        try grow(tracked, from: known.places.count)
        if let before = known.layout { try convertLog(of: tracked, from: before, renames) }
        try records.change(table.id) {
            $0.local = local.name
            $0.keys = keys
            $0.places = tracked.logNames
            $0.layout = layout
        }
        return tracked
    }

    private func grow(_ table: TrackedTable, from places: Int) throws {
        for statement in TrackingSQL(table: table).createTables {
            try db.execute(sql: statement)
        }
        // The log may be new or old: its present columns decide.
        let columns = Set(
            try String.fetchAll(
                db, sql: "SELECT name FROM pragma_table_info(?)", arguments: [table.logTable]))
        let wanted =
            ["grp"] + (0..<table.maskCount).map { "m\($0)" }
            + table.logNames.indices.map { "o\($0)" }
        let log = SQLText.name(table.logTable)
        for name in wanted where !columns.contains(name) {
            try db.execute(sql: "ALTER TABLE \(log) ADD COLUMN \(name)")
        }
        // A row that is in the log as deleted had none of the added columns. So an insert of its
        // key since then edited none of them (V2), even if only the insert is in the log, and the
        // deletion comes back. If the row is not here, its next insert will.
        let isHere = """
            (\(table.keyColumns.joined(separator: ", "))) IN (
              SELECT \(SQLText.names(table.keyNames)) FROM \(SQLText.name(table.local.name)))
            """
        for place in table.logNames.indices.dropFirst(places).map(LogPlace.init) {
            try db.execute(
                sql: """
                    UPDATE \(log) SET \(place.mask) = coalesce(\(place.mask), 0) | \(place.bit)
                    WHERE op = \(LogOperation.insert.sql)
                      OR \(LogOperation.isRemovalSQL) AND \(isHere)
                    """)
        }
    }

    /// Old values in the log take the form that their columns have now.
    private func convertLog(
        of table: TrackedTable, from before: TableLayout, _ renames: [ColumnRename]
    ) throws {
        for (number, name) in table.logNames.enumerated() {
            let oldName = renames.first { SQLText.isSameName($0.new, name) }?.old ?? name
            guard let column = table.local.column(named: name).map({ table.local.columns[$0] }),
                let old = before.affinity(of: oldName, isStrict: table.local.isStrict),
                old != column.affinity
            else { continue }
            let place = LogPlace(number)
            try db.execute(
                sql: """
                    UPDATE \(SQLText.name(table.logTable))
                    SET \(place.old) = \(ColumnConversion.stored(place.old, as: column.affinity))
                    WHERE \(place.old) IS NOT NULL
                    """)
        }
    }

    private func begin(_ table: ReplicaTable, _ local: LocalTable) throws -> TrackedTable {
        let tracked = TrackedTable(
            name: table.id, local: local, keyNames: local.keyNames, logNames: local.plainNames,
            hasRowStates: try hasRowStates(table))
        let target = SQLText.name(local.name)
        let isFilled =
            try Int.fetchOne(db, sql: "SELECT 1 FROM \(target) LIMIT 1") != nil
        if isFilled, table.firstContact == .refuse {
            throw ReplicaError.tableNotEmpty(local.name, listed: table.name)
        }
        for statement in TrackingSQL(table: tracked).createTables {
            try db.execute(sql: statement)
        }
        var record = TableRecord(
            name: table.id, local: local.name, keys: tracked.keyNames, places: tracked.logNames,
            layout: TableLayout(local))
        let isReplaced = try isFilled && table.firstContact == .replace && isReceived(table.id)
        if isReplaced { record.state.unconfirmed = .drop }
        try records.add(record)
        if isReplaced {
            try markUnconfirmed(tracked)
        } else if isFilled, table.firstContact == .upload {
            try recordEveryRow(tracked)
        }
        return tracked
    }

    /// Selects the rows that have a key: SQLite permits NULL there.
    func hasKey(_ table: TrackedTable) -> String {
        table.keyNames.map { "\(SQLText.name($0)) IS NOT NULL" }.joined(separator: " AND ")
    }

    func markUnconfirmed(_ table: TrackedTable) throws {
        try db.execute(
            sql: """
                INSERT OR IGNORE INTO \(SQLText.name(table.unconfirmedTable))
                SELECT \(SQLText.names(table.keyNames)) FROM \(SQLText.name(table.local.name))
                WHERE \(hasKey(table))
                """)
    }

    /// No copy of the table comes: its rows stay.
    func forgetUnconfirmed(_ table: TrackedTable) throws {
        try db.execute(sql: "DELETE FROM \(SQLText.name(table.unconfirmedTable))")
    }

    func recordEveryRow(_ table: TrackedTable, again: Bool = false) throws {
        let at =
            again
            ? "coalesce((SELECT max(at) FROM _moorage_acknowledged), \(TrackingSQL.now))"
            : TrackingSQL.now
        try db.execute(
            sql: """
                INSERT INTO \(SQLText.name(table.logTable))(
                  op, at, again, \(table.keyColumns.joined(separator: ", ")))
                SELECT \(LogOperation.insert.sql), \(at), \(again ? 1 : 0), \
                \(SQLText.names(table.keyNames))
                FROM \(SQLText.name(table.local.name))
                """)
    }
}
