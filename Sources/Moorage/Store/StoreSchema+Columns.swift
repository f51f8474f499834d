import GRDB
import MoorageCore
import SQLiteSupport

/// Columns that a table got or lost, here or at the hub.
extension StoreSchema {
    /// Fails if a synced column was dropped locally, because that may be a mistake. A column that
    /// was renamed is there if the hub has its new name.
    func checkKeptColumns(_ table: SyncedTable) throws {
        guard let record = try records.record(of: table.name), let before = record.columns,
            let hub = try hubSchema()?.table(named: table.name.text)
        else { return }
        for name in before where hub.column(named: name) != nil {
            guard table.description.column(named: name) == nil else { continue }
            let local = table.tracked.local.name
            let now = record.layout?.columns.first {
                $0.syncedName?.hasSameBytes(as: name) ?? false && !SQLText.isSameName($0.name, name)
            }?.name
            guard let now else { throw ReplicaError.columnLost(local, name) }
            guard table.localNames.contains(where: { SQLText.isSameName($0, now) }) else {
                throw ReplicaError.columnRenamed(local, name, to: now)
            }
        }
    }

    /// Records columns that the hub has from now on. What the app wrote into one before counts as
    /// edited. Otherwise the hub's values would replace it.
    func recordNewlySynced(_ table: SyncedTable) throws {
        guard let record = try records.record(of: table.name), let before = record.columns else {
            return
        }
        var unread = record.unreadColumns
        let renamed = try renamedColumns(table, record)
        for (column, place) in table.placeOfColumn.enumerated() {
            let description = table.description.columns[column]
            let name = description.name
            guard let place, !before.contains(where: { Identifier(name) == $0 }),
                renamed[column] != .current
            else {
                continue
            }
            if !description.isGenerated, renamed[column] == nil {
                try recordFilled(place, of: table.tracked)
            }
            unread.append(name)
        }
        try records.change(table.name) { $0.unreadColumns = unread }
    }

    /// Records what the app wrote into an added column before its triggers knew the column. It
    /// counts as edited from the column's default.
    func recordFilled(_ place: Int, of table: TrackedTable) throws {
        guard let column = table.local.column(named: table.logNames[place]) else { return }
        let name = SQLText.name(table.local.columns[column].name)
        let standard = table.local.columns[column].standardSQL
        let keys = table.keyNames.map { SQLText.name($0) }.joined(separator: ", ")
        let masks = (0..<table.maskCount).map { mask in
            mask == place / TrackedTable.columnsPerMask
                ? 1 << (place % TrackedTable.columnsPerMask) : 0
        }
        try db.execute(
            sql: """
                INSERT INTO \(SQLText.name(table.logTable))(
                  op, at, \(table.keyColumns.joined(separator: ", ")), \
                \(masks.indices.map { "m\($0)" }.joined(separator: ", ")), o\(place))
                SELECT \(LogOperation.update.sql), \(TrackingSQL.now), \(keys), \
                \(masks.map { String($0) }.joined(separator: ", ")), \(standard)
                FROM \(SQLText.name(table.local.name))
                WHERE \(name) COLLATE BINARY IS NOT \(standard)
                """)
    }
}
