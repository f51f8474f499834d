import GRDB
import MoorageCore
import SQLiteSupport

/// Columns whose next name the app added beside the old one.
///
/// - V9: Such a column goes on under the new name, with its values and with its changes in the log.
extension StoreSchema {
    /// Where a column was synced until now.
    struct CarriedColumn {
        /// Its local name.
        let old: String
        /// Whether the new column has its values in all rows, and they are as old as the cursor.
        let isCurrent: Bool
    }

    /// Writes the old column's values into the new one, and its changes to the new one's account.
    ///
    /// - Parameter isReplaced: Whether what the new column has is of no worth. Otherwise a value
    ///   that the app wrote there remains, unless the old column has a change that is not sent.
    /// - Returns: `nil` if the file has the column under no other name.
    func carryOver(
        _ column: Int, of table: SyncedTable, _ record: TableRecord, isReplaced: Bool
    ) throws -> CarriedColumn? {
        let tracked = table.tracked
        let description = table.description.columns[column]
        let source = record.columns?.first { name in
            description.isKnown(as: name) && !description.name.hasSameBytes(as: name)
                && tracked.local.plainNames.contains { SQLText.isSameName($0, name) }
        }
        guard let source, let place = table.placeOfColumn[column],
            let oldPlace = tracked.logNames.firstIndex(where: { SQLText.isSameName($0, source) })
        else { return nil }
        let (old, new) = (LogPlace(oldPlace), LogPlace(place))
        let differs = isOther(column, than: source, in: table)
        let isOpen = "(NOT (\(isFilled(column, of: table))) OR \(isChanged(old, in: tracked)))"
        try copy(
            source, to: table.localName(column), of: tracked,
            where: isReplaced ? differs : "\(differs) AND \(isOpen)")
        try carryLog(from: old, to: new, of: tracked, unlessRow: differs)
        let target = SQLText.name(tracked.local.name)
        let other = try Int.fetchOne(db, sql: "SELECT 1 FROM \(target) WHERE \(differs) LIMIT 1")
        return CarriedColumn(
            old: source,
            isCurrent: other == nil
                && !record.unreadColumns.contains { $0.hasSameBytes(as: source) })
    }

    /// The rows in which a column does not have the value of another one.
    func isOther(_ column: Int, than old: String, in table: SyncedTable) -> String {
        "\(SQLText.name(table.localName(column))) COLLATE BINARY IS NOT \(SQLText.name(old))"
    }

    /// The rows that were inserted or edited in a place, and not sent since.
    private func isChanged(_ place: LogPlace, in table: TrackedTable) -> String {
        """
        (\(SQLText.names(table.keyNames))) IN (
          SELECT \(table.keyColumns.joined(separator: ", ")) FROM \(SQLText.name(table.logTable))
          WHERE op = \(LogOperation.insert.sql) OR \(place.isEdited))
        """
    }

    /// Nobody edits anything here, so no trigger writes into the log.
    private func copy(
        _ old: String, to new: String, of table: TrackedTable, where condition: String
    ) throws {
        try db.execute(sql: "INSERT INTO _moorage_applying VALUES(1)")
        do {
            try db.execute(
                sql: """
                    UPDATE OR IGNORE \(SQLText.name(table.local.name))
                    SET \(SQLText.name(new)) = \(SQLText.name(old)) WHERE \(condition)
                    """)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            // A foreign key of the new column does not accept the values. A page brings the hub's.
        }
        try db.execute(sql: "DELETE FROM _moorage_applying")
    }

    /// Lets the log say of the new place what it says of the old one. An entry with an edit of the
    /// new place keeps that.
    ///
    /// - Parameter differs: A condition for rows that did not get the old value.
    private func carryLog(
        from old: LogPlace, to new: LogPlace, of table: TrackedTable, unlessRow differs: String
    ) throws {
        let log = SQLText.name(table.logTable)
        let isRow = table.keyNames.enumerated().map { "t.\(SQLText.name($1)) = \(log).k\($0)" }
        try db.execute(
            sql: """
                UPDATE \(log) SET \(new.old) = \(old.old),
                  \(new.mask) = coalesce(\(new.mask), 0) & ~\(new.bit)
                    | CASE WHEN \(old.isSet) THEN \(new.bit) ELSE 0 END
                WHERE NOT \(new.isEdited) AND NOT EXISTS (
                  SELECT 1 FROM \(SQLText.name(table.local.name)) AS t
                  WHERE \(isRow.joined(separator: " AND ")) AND \(differs))
                """)
        let fills = SQLText.name(table.fillTable)
        for place in [{ $0 }, UndecidedFills.doubtful] as [(Int) -> Int] {
            try db.execute(
                sql: "UPDATE OR REPLACE \(fills) SET place = ? WHERE place = ?",
                arguments: [place(new.number), place(old.number)])
        }
    }
}
