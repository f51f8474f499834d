import GRDB
import MoorageCore
import MoorageWire
import SQLiteSupport

/// Columns that a table got or lost, here or at the hub.
extension StoreSchema {
    /// Fails if a synced column was dropped locally, because that may be a mistake. A column that
    /// was renamed is there if the hub has its new name. If the hub has one of its earlier names,
    /// the table waits for the hub's rename: what its users edit in the column meanwhile would go
    /// up without it.
    func checkKeptColumns(_ table: SyncedTable) throws {
        guard let record = try records.record(of: table.name), let before = record.columns,
            let hub = try hubSchema()?.table(named: table.name.text)
        else { return }
        for name in before {
            guard let column = hub.column(knownAs: name),
                table.description.column(named: hub.columns[column].name) == nil
            else { continue }
            let local = table.tracked.local.name
            let now = record.layout?.columns.first {
                $0.syncedName?.hasSameBytes(as: name) ?? false && !SQLText.isSameName($0.name, name)
            }?.name
            guard let now else { throw ReplicaError.columnLost(local, name) }
            guard table.localNames.contains(where: { SQLText.isSameName($0, now) }) else {
                throw ReplicaError.columnRenamed(local, name, to: now)
            }
        }
        for column in hub.columns where table.description.column(named: column.name) == nil {
            let now = record.layout?.columns.first { mine in
                mine.syncedName != nil && table.description.column(named: mine.name) == nil
                    && mine.formerNames.contains { SQLText.isSameName($0, column.name) }
            }
            if let now {
                throw ReplicaError.columnRenamed(
                    table.tracked.local.name, column.name, to: now.name)
            }
        }
    }

    /// Records columns that are synced from now on. One that has the hub's values already, under
    /// another name, goes on with them (V9). What the others had before waits for the hub's values
    /// (V2). Otherwise those would replace it.
    func recordNewlySynced(_ table: SyncedTable) throws {
        guard let record = try records.record(of: table.name), let before = record.columns else {
            return
        }
        let renamed = try renamedColumns(table, record)
        let new = table.placeOfColumn.indices.filter { column in
            let name = table.description.columns[column].name
            return table.placeOfColumn[column] != nil && renamed[column] != .current
                && !before.contains { Identifier(name) == $0 }
        }
        guard !new.isEmpty else { return }
        let names = table.columns.columns
        // What was synced before has values of an unknown age, under whatever name.
        func wasSynced(_ column: Int) -> Bool {
            renamed[column] != nil
                || record.layout?.column(named: table.localName(column))?.syncedName?
                    .hasSameBytes(as: names[column]) == true
        }
        var carried: [Int: CarriedColumn] = [:]
        for column in new {
            carried[column] = try carryOver(
                column, of: table, record, isReplaced: wasSynced(column))
        }
        try recordFills(
            of: new.filter { !wasSynced($0) }.map { names[$0] }, in: table,
            unlike: carried.mapValues(\.old))
        // No page reads a table that is only sent.
        guard table.description.direction.isReceived else { return }
        let unread = new.filter { carried[$0]?.isCurrent != true }
        guard !unread.isEmpty else { return }
        try records.change(table.name) {
            $0.unreadColumns += unread.map { names[$0] }
            $0.staleColumns += unread.filter(wasSynced).map { names[$0] }
        }
        // To the hub it is the column that it sent before, under another name. So the table keeps
        // its signature, and no page would bring what is unread here.
        let isKnown = unread.contains { column in
            before.contains { table.description.columns[column].isKnown(as: $0) }
        }
        if isKnown { try meta.set(meta.cursor().breakingOff(reshaping: table.name)) }
    }

    /// Records which rows have values of their own in columns of which this device knows no value
    /// of the hub's. A value that the user may not write is left to the hub.
    ///
    /// - Parameters:
    ///   - carried: For a column that was carried over, the local name of the old one. Where both
    ///     have the same value, it is the hub's.
    ///   - areDoubtful: Whether a page may have brought the values. See ``UndecidedFills``.
    func recordFills(
        of columns: [String], in table: SyncedTable, unlike carried: [Int: String] = [:],
        areDoubtful: Bool = false
    ) throws {
        let rights = WriteRights(
            table.description, try meta.rights()?.rights(on: table.description))
        for name in columns where rights.mayUpdate(column: name) {
            guard let column = table.description.column(named: name),
                let place = table.placeOfColumn[column]
            else { continue }
            let isOwn = carried[column].map { isOther(column, than: $0, in: table) } ?? "1"
            if table.description.direction.isReceived {
                try recordUndecided(
                    areDoubtful ? UndecidedFills.doubtful(place) : place, column, of: table,
                    where: isOwn)
            } else {
                try recordFill(place, column, of: table, where: isOwn)
            }
        }
    }

    private func recordUndecided(
        _ place: Int, _ column: Int, of table: SyncedTable, where isOwn: String
    ) throws {
        let tracked = table.tracked
        try db.execute(
            sql: """
                INSERT OR IGNORE INTO \(SQLText.name(tracked.fillTable))(\(keys(tracked)), place)
                SELECT \(SQLText.names(tracked.keyNames)), \(place) \(filled(column, of: table))
                  AND \(isOwn)
                """)
    }

    /// No page brings the rows of a table that is only sent. So the hub is asked to fill what it
    /// has if nobody wrote there.
    private func recordFill(
        _ place: Int, _ column: Int, of table: SyncedTable, where isOwn: String
    ) throws {
        let tracked = table.tracked
        let (mask, bit) = place.quotientAndRemainder(dividingBy: TrackedTable.columnsPerMask)
        let description = table.description.columns[column]
        // Only the hub knows what such an expression gave.
        if description.defaultValue == .central { return }
        let theirs = table.form(column).local(description.unwritten) ?? description.unwritten
        try db.execute(
            sql: """
                INSERT INTO \(SQLText.name(tracked.logTable))(
                  op, at, \(keys(tracked)), m\(mask), o\(place))
                SELECT \(LogOperation.fill.sql), \(TrackingSQL.now), \
                \(SQLText.names(tracked.keyNames)), \(1 << bit), ? \(filled(column, of: table))
                  AND \(isOwn)
                """, arguments: [theirs])
    }

    private func keys(_ table: TrackedTable) -> String {
        table.keyColumns.joined(separator: ", ")
    }

    /// The rows with a value that the column does not have by itself.
    private func filled(_ column: Int, of table: SyncedTable) -> String {
        """
        FROM \(SQLText.name(table.tracked.local.name))
        WHERE \(isFilled(column, of: table)) AND \(hasKey(table.tracked))
        """
    }

    func isFilled(_ column: Int, of table: SyncedTable) -> String {
        let local = table.tracked.local.columns[table.localColumns[column]]
        let name = SQLText.name(local.name)
        return "\(name) IS NOT NULL AND \(name) COLLATE BINARY IS NOT \(local.standardSQL)"
    }
}
