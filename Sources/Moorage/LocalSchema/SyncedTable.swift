import MoorageCore
import SQLiteSupport

/// A tracked table as replica and hub agreed on it: only columns on both sides are synced.
struct SyncedTable: Hashable, Sendable {
    let tracked: TrackedTable
    /// The hub's description, with the synced columns only.
    let description: TableDescription
    /// For each synced column its position in the local table.
    let localColumns: [Int]
    /// For each place of the log the synced column; `nil` for one that is not synced.
    let columnOfPlace: [Int?]
    /// For each synced column its place in the log; `nil` for the key's. A column that the hub
    /// computes has a place, too. An edit of it is never sent, but recorded, so that the answer
    /// corrects it.
    let placeOfColumn: [Int?]
    /// For each column of the hub's key its position in the log's key.
    let logKeyOrder: [Int]

    init?(tracked: TrackedTable, hub: TableDescription) {
        let local = tracked.local
        var names: [String] = []
        var positions: [Int] = []
        for column in hub.columns {
            guard let position = local.column(named: column.name),
                !local.columns[position].isGenerated
            else { continue }
            names.append(column.name)
            positions.append(position)
        }
        guard let description = hub.restricted(to: names),
            description.primaryKey.count == tracked.keyNames.count
        else { return nil }
        var order: [Int] = []
        for column in description.primaryKey {
            let name = local.columns[positions[column]].name
            guard let place = tracked.keyNames.firstIndex(where: { SQLText.isSameName($0, name) })
            else { return nil }
            order.append(place)
        }
        self.tracked = tracked
        self.description = description
        localColumns = positions
        logKeyOrder = order
        columnOfPlace = tracked.logNames.map { name in
            positions.firstIndex { SQLText.isSameName(local.columns[$0].name, name) }
        }
        let places = columnOfPlace
        placeOfColumn = positions.indices.map { column in places.firstIndex { $0 == column } }
    }

    var name: Identifier { tracked.name }
    var columns: TableColumns {
        TableColumns(name: name.text, columns: description.columns.map(\.name))
    }

    /// The column of a name that a batch or a list has, perhaps from before the app renamed it or
    /// took another name of the hub's.
    func column(onceNamed name: String) -> Int? {
        if let column = description.column(named: name) { return column }
        guard let now = tracked.presentNames[Identifier(folding: name)] else {
            return description.column(knownAs: name)
        }
        return localNames.firstIndex { SQLText.isSameName($0, now) }
    }

    /// The present position of a column of a batch. The batch counts columns as they were when it
    /// was prepared.
    func column(_ position: Int, of columns: TableColumns) -> Int? {
        columns.columns.indices.contains(position)
            ? column(onceNamed: columns.columns[position]) : nil
    }

    /// The log entry that says of a row what a batch's deletion says of it. The batch has the
    /// columns that were synced when it was prepared. In any other, the hub has what nobody wrote.
    ///
    /// - Parameter since: The columns of which the row's insert since then says nothing; none if it
    ///   was not inserted.
    func deletion(
        of row: [Value], _ columns: TableColumns, since: Set<Int>, at time: DeviceTime,
        isAgain: Bool
    ) -> LogEntry {
        var values = description.columns.map(\.unwritten)
        for (name, value) in zip(columns.columns, row) {
            if let column = column(onceNamed: name) { values[column] = value }
        }
        return LogEntry(
            kind: .delete(values), at: time, isAgain: isAgain,
            unknownColumns: since.intersection(columnsUnknown(to: columns)))
    }

    /// The columns that a batch does not have, as it was prepared before they were synced.
    func columnsUnknown(to columns: TableColumns) -> Set<Int> {
        Set(description.columns.indices)
            .subtracting(columns.columns.compactMap(column(onceNamed:)))
    }

    func localName(_ column: Int) -> String { tracked.local.columns[localColumns[column]].name }
    var localNames: [String] { localColumns.map { tracked.local.columns[$0].name } }
    /// The key's local names in the hub's order.
    var keyLocalNames: [String] { description.primaryKey.map(localName) }
    /// The log's key columns in the hub's order.
    var logKeyColumns: [String] { logKeyOrder.map { "k\($0)" } }

    /// Where the log keeps a column's old value; `nil` if the log has no place for it.
    func logColumn(_ column: Int) -> String? {
        if let index = description.primaryKey.firstIndex(of: column) {
            return "k\(logKeyOrder[index])"
        }
        return placeOfColumn[column].map { "o\($0)" }
    }

    // MARK: Values

    func form(_ column: Int) -> ColumnForm {
        ColumnForm(
            type: description.columns[column].type,
            column: tracked.local.columns[localColumns[column]],
            isStrict: tracked.local.isStrict, uuidForm: tracked.uuidForm)
    }

    func key(_ localKey: LocalKey) -> RowKey {
        description.key(
            zip(description.primaryKey, localKey.values).map { form($0).portable($1) })
    }

    /// `nil` when the local table cannot store the key.
    func localKey(_ key: RowKey) -> LocalKey? {
        guard key.values.count == description.primaryKey.count else { return nil }
        let values = zip(description.primaryKey, key.values).compactMap { form($0).local($1) }
        return values.count == key.values.count ? LocalKey(values) : nil
    }
}
