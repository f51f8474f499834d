import GRDB
import MoorageCore
import SQLiteSupport

/// The triggers of a table, and what happened while they were gone.
extension StoreSchema {
    func makeTriggers(_ table: TrackedTable) throws {
        // A clone loads its rows first.
        if try meta.isCloning() { return }
        let synced = try synced(table)
        let triggers = TrackingSQL(
            table: table, readOnly: Self.readOnlyColumns(synced),
            times: try timestampColumns(table, synced)
        ).triggers
        let wanted = triggers.map(\.sql).jsonText
        let record = try records.record(of: table.name)
        let recorded = record?.triggers
        var isWhole = false
        var hasReusedName = false
        if let recorded {
            let made =
                recorded.hasSameBytes(as: wanted)
                ? triggers.map(\.sql) : try [String](jsonText: recorded)
            // SQLite renames columns in triggers, and the app's writes are logged all the time.
            isWhole = try rewrites(of: made, on: table.name, table.local) != nil
            if !isWhole { hasReusedName = try self.hasReusedName(made, on: table) }
        }
        if isWhole, recorded == wanted { return }
        try dropTriggers(table.name)
        try makeNames(table)
        for trigger in triggers { try db.execute(sql: trigger.sql) }
        try records.change(table.name) {
            $0.triggers = wanted
            $0.hadTriggers = true
        }
        let isNew = record?.hadTriggers == false
        guard !isWhole, !isNew else { return }
        try scheduleRepair(table)
        // A column with the old name is another one. Nobody edited what differs there.
        if hasReusedName, try records.record(of: table.name)?.state.repair == .due {
            try repairStaleRows(table)
        }
    }

    /// Makes the table that ``DroppableColumns`` joins. It keeps columns that are gone, which does
    /// no harm.
    private func makeNames(_ table: TrackedTable) throws {
        guard DroppableColumns(table) != nil else { return }
        let names = DroppableColumns.names(table)
        let target = SQLText.name(table.namesTable)
        try db.execute(sql: "CREATE TABLE IF NOT EXISTS \(target)(\(SQLText.names(names)))")
        let sql = "SELECT name FROM pragma_table_info(?)"
        let there = try String.fetchAll(db, sql: sql, arguments: [table.namesTable])
        for name in names where !there.contains(where: { SQLText.isSameName($0, name) }) {
            try db.execute(sql: "ALTER TABLE \(target) ADD COLUMN \(SQLText.name(name))")
        }
    }

    /// The table with the columns that the hub has, too; `nil` until the hub is known, or if the
    /// two do not fit.
    func synced(_ table: TrackedTable) throws -> SyncedTable? {
        try hubSchema()?.table(named: table.name.text).flatMap {
            SyncedTable(tracked: table, hub: $0)
        }
    }

    /// The columns that only the hub writes, where it says so.
    private static func readOnlyColumns(_ table: SyncedTable?) -> [String]? {
        guard let table, table.description.direction == .down else { return nil }
        return table.localNames
    }

    /// The columns into which the app wants times written.
    private func timestampColumns(
        _ table: TrackedTable, _ synced: SyncedTable?
    ) throws -> TrackingSQL.TimestampColumns {
        // A table that only the hub writes keeps the hub's times.
        if let synced, !synced.description.direction.acceptsChanges { return .init() }
        let wanted = configured.first { $0.id == table.name }
        func column(_ name: String?) throws -> LocalColumn? {
            guard let name else { return nil }
            guard let position = table.local.column(named: name),
                !table.local.columns[position].isGenerated,
                !table.keyNames.contains(where: { SQLText.isSameName($0, name) })
            else {
                throw ReplicaError.noTimeColumn(table.local.name, name)
            }
            return table.local.columns[position]
        }
        return TrackingSQL.TimestampColumns(
            created: try column(wanted?.createdAt), updated: try column(wanted?.updatedAt),
            edits: synced?.localNames)
    }

    func dropTriggers(_ name: Identifier) throws {
        for kind in TrackingSQL.kinds {
            let trigger = SQLText.name("_moorage_\(kind)_\(name)")
            try db.execute(sql: "DROP TRIGGER IF EXISTS \(trigger)")
        }
        try db.execute(
            sql: "DELETE FROM _moorage_group_start WHERE tbl = ?", arguments: [name.text])
    }

    /// The triggers were missing for a while. A comparison finds what changed meanwhile. Before the
    /// first copy, the replica sends every row instead.
    ///
    /// - V3: A table that was copied once is never sent whole. Its rows may be an old state of the
    ///   hub's.
    private func scheduleRepair(_ table: TrackedTable) throws {
        let name = table.name
        let cursor = try meta.cursor()
        let record = try records.record(of: name)
        let isUnconfirmed = record?.state.unconfirmed != nil
        let isReceived = try isReceived(name)
        try recordUnreadFills(table, record, isPartlyRead: cursor.openUpperBound != nil)
        // An earlier build copies tables and does not remember it, so the cursor counts, too. A scan
        // that was broken off may have brought rows of any table.
        let isUnread =
            !isUnconfirmed && record?.wasCopied != true && cursor.brokenOff == nil
            && cursor.coveredTables { $0 == name }.isEmpty
        if !isReceived || isUnread {
            // Rows of a table that is only sent may have been sent already. They are sent again,
            // and what the central database made of them since remains.
            let first = try nextEntry(of: table)
            try recordEveryRow(table, again: !isReceived)
            return try recordChangesInFlight(table, notAsRowsFrom: first)
        }
        // While a copy of the table is under way, its rows have no common state. A row that the
        // scan has yet to bring is no deletion made here. A table that is not in the cursor was
        // suspended or left out of the list, and its rows are older than the cursor.
        let isStale =
            cursor.tables[name] == nil
            || cursor.scan.map { $0.tables[name] != cursor.tables[name] } ?? false
        guard isUnconfirmed || isStale else {
            // The current scan brought newer rows, and would not return to them.
            try meta.set(cursor.breakingOff())
            return try records.change(name) { $0.state.loseTriggers(onStaleRows: false) }
        }
        try repairStaleRows(table)
    }

    /// Nobody can tell an edit made here from an older state, so the table is read again, too.
    func repairStaleRows(_ table: TrackedTable) throws {
        try meta.set(meta.cursor().breakingOff(readingAgain: table.name))
        try markUnconfirmed(table)
        try records.change(table.name) { $0.state.loseTriggers(onStaleRows: true) }
    }

    /// Records again what is in columns that the table was not read with. Nobody can tell an edit
    /// of them from what they had before they were synced. What a column has that was synced before
    /// may be as old.
    ///
    /// - Parameter isPartlyRead: Whether a scan may have brought some of the rows with these
    ///   columns. Then their values may be older ones of the hub's, which must not go up.
    private func recordUnreadFills(
        _ table: TrackedTable, _ record: TableRecord?, isPartlyRead: Bool
    ) throws {
        guard let record, !record.unreadColumns.isEmpty, let synced = try synced(table) else {
            return
        }
        try recordFills(
            of: record.unreadColumns.filter { name in
                !record.staleColumns.contains { $0.hasSameBytes(as: name) }
            }, in: synced, areDoubtful: isPartlyRead)
    }

    private func nextEntry(of table: TrackedTable) throws -> Int64 {
        try Int64.fetchOne(
            db, sql: "SELECT coalesce(max(seq), 0) + 1 FROM \(SQLText.name(table.logTable))") ?? 1
    }

    /// Records what became of rows that were sent while triggers were missing: see
    /// ``LogReading/recordEdits(inFlight:notAsRowsFrom:at:)``.
    private func recordChangesInFlight(
        _ table: TrackedTable, notAsRowsFrom entry: Int64
    ) throws {
        guard let batch = try meta.inFlightBatch()?.batch,
            let synced = try synced(table),
            let now = try Int64.fetchOne(db, sql: "SELECT \(TrackingSQL.now)")
                .map(DeviceTime.init(milliseconds:))
        else { return }
        let reading = LogReading(
            table: synced, statements: RawStatements(db, cache: StatementCache()))
        try reading.recordEdits(inFlight: batch, notAsRowsFrom: entry, at: now)
        try reading.recordDeletions(inFlight: batch, at: now)
    }
}
