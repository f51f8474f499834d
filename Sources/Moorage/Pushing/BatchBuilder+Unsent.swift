import MoorageCore
import MoorageWire

/// Values of columns that only the hub writes. They are not sent, and the hub's values replace
/// them. What the app wrote there is listed as refused, so that it is not lost
/// (docs/reference/client.md, Columns that only the hub writes).
extension BatchBuilder {
    /// Lists what an edit wrote into such columns. An insert is compared with the hub's row once
    /// that is here: see ``UnsentValues``.
    func listUnsent(
        _ table: Int, _ name: RowName, _ localChange: LocalChange, _ stored: [StoredValueForm]?
    ) throws {
        guard case .update(let old) = localChange.kind, let stored else { return }
        let synced = tables[table]
        let unsent = old.filter { old in
            let column = synced.description.columns[old.column]
            return column.isGenerated
                && !column.type.equal(
                    old.value, synced.form(old.column).portable(stored[old.column].value))
        }
        guard !unsent.isEmpty else { return }
        try refused.add(
            UnsentValues.entry(
                name, synced, unsent.map(\.column), before: unsent.map(\.value),
                after: unsent.map { synced.form($0.column).portable(stored[$0.column].value) },
                at: now))
    }
}

/// What inserted rows have in columns that only the hub writes, until the hub's rows are here.
struct UnsentValues {
    private struct Row {
        let table: SyncedTable
        /// The key that the row has at the hub.
        var key: RowKey
        let values: [(column: Int, value: Value)]

        var name: RowName { table.rowName(key) }
    }

    private let statements: RawStatements
    private var rows: [Row] = []
    /// The position of a row in `rows`, by the name under which it was pushed.
    private var places: [RowName: Int] = [:]

    init(_ statements: RawStatements) { self.statements = statements }

    private static func columns(_ table: SyncedTable) -> [Int] {
        table.description.columns.indices.filter {
            table.description.columns[$0].isGenerated && !table.description.isKey($0)
        }
    }

    /// The values of these columns in the row of a change. There are none if the change is no
    /// insert, or if the row is gone.
    static func values(
        _ change: Change, _ table: SyncedTable, _ statements: RawStatements
    ) throws -> [(column: Int, value: Value)] {
        guard case .insert = change.operation,
            table.description.columns.contains(where: \.isGenerated)
        else { return [] }
        let columns = columns(table)
        guard !columns.isEmpty,
            let localKey = table.localKey(table.description.key(change.key.values)),
            let row = try LogReading(table: table, statements: statements)
                .portableRow(localKey: localKey)
        else { return [] }
        return columns.filter { !row[$0].isNull }.map { ($0, row[$0]) }
    }

    /// Called before the answer's page, and before the row is rekeyed.
    mutating func remember(_ change: Change, _ table: SyncedTable) throws {
        let values = try Self.values(change, table, statements)
        guard !values.isEmpty else { return }
        places[change.rowName] = rows.count
        rows.append(
            Row(table: table, key: table.description.key(change.key.values), values: values))
    }

    /// The hub gave the row of a change another key.
    mutating func moved(_ change: Change, to key: RowKey) {
        if let place = places[change.rowName] { rows[place].key = key }
    }

    /// Called after the answer's page: lists the values that differ from the hub's.
    func list(at now: DeviceTime) throws {
        for row in rows {
            guard let localKey = row.table.localKey(row.key) else { continue }
            let reading = LogReading(table: row.table, statements: statements)
            // If the row is gone, or the hub's row is not here (`hubsRowIsAway`), all of its values
            // count as lost.
            let stands = try hubsRowIsAway(row) ? nil : reading.portableRow(localKey: localKey)
            // The page does not write an edited column. If that column has its old value again,
            // nothing else lists it.
            var edited: [OldValue] = []
            if case .update(let old)? = try reading.localChange(localKey: localKey)?.kind {
                edited = old
            }
            let lost = row.values.filter { column, value in
                let type = row.table.description.columns[column].type
                return stands.map { !type.equal(value, $0[column]) } ?? true
                    || edited.contains { $0.column == column && type.equal($0.value, value) }
            }
            guard !lost.isEmpty else { continue }
            try RefusedList(statements: statements).add(
                Self.entry(
                    row.name, row.table, lost.map(\.column), before: nil,
                    after: lost.map(\.value), at: now))
        }
    }

    /// Whether the app's row is in the place of the hub's: no page brings the hub's row, or it is
    /// deferred or withheld. Later, nothing would compare the two.
    private func hubsRowIsAway(_ row: Row) throws -> Bool {
        try !row.table.description.direction.isReceived
            || DeferredRows(statements: statements).contains(row.name)
            || WithheldRows(statements: statements).contains(row.name)
    }

    static func entry(
        _ name: RowName, _ table: SyncedTable, _ columns: [Int], before: [Value]?,
        after: [Value], at now: DeviceTime
    ) -> RefusedList.Entry {
        let names = columns.map { table.description.columns[$0].name }
        return RefusedList.Entry(
            name: name, kind: .update, columns: names, before: before, after: after,
            refusal: .hubWritesAlone(names, of: table.name), at: now)
    }
}
