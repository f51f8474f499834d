import MoorageCore

/// Which columns of the synced table a page's columns are.
struct PageLayout {
    /// The synced column for each of the page's columns; `nil` for one that is not synced here.
    let columns: [Int?]
    /// The same if all columns are synced here and stored as they arrive; otherwise `nil`.
    let plainColumns: [Int]?
    private let keyPositions: [Int]
    private let table: SyncedTable

    init(_ table: SyncedTable, _ names: [String]) throws {
        columns = names.map { table.column(onceNamed: $0) }
        let all = columns
        let synced = all.compactMap { $0 }
        plainColumns =
            synced.count == all.count && synced.allSatisfy { table.form($0).storesAsIs }
            ? synced : nil
        keyPositions = table.description.primaryKey.compactMap { key in
            all.firstIndex { $0 == key }
        }
        guard keyPositions.count == table.description.primaryKey.count else {
            throw ReplicaError.protocolViolation(ProtocolReason.noKeyColumn(table.name))
        }
        self.table = table
    }

    func hasKey(_ rows: RowColumns, at row: Int) -> Bool {
        keyPositions.allSatisfy { rows.columns[$0].kinds[row] != .null }
    }

    /// The key as the local table stores it, where all columns are plain.
    func localKey(_ rows: RowColumns, at row: Int) -> LocalKey {
        LocalKey(table.description.key(keyPositions.map { rows.columns[$0][row] }).values)
    }

    /// The key of a row. NULL in it is an error: SQLite would accept it and choose another key.
    func key(_ row: [Value]) throws -> RowKey {
        let values = keyPositions.map { row[$0] }
        guard !values.contains(.null) else {
            throw ReplicaError.protocolViolation(ProtocolReason.noKey(table.name))
        }
        return table.description.key(values)
    }
}
