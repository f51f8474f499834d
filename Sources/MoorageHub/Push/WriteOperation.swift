import MoorageCore

/// One row to write, as a push decided it.
struct WriteOperation: Sendable {
    enum Kind: Hashable, Sendable {
        case insert, update, delete
    }

    /// The change that asks for it, as its place in the batch.
    let change: Int
    let table: AttachedTable
    let kind: Kind
    let key: RowKey
    /// The columns written, as positions at the hub, with their values; for a delete the whole row
    /// as it is.
    let columns: [Int]
    let values: [Value]

    /// The same with another value of one column.
    func setting(_ stored: StoredValue) -> WriteOperation {
        var (columns, values) = (columns, values)
        if let place = columns.firstIndex(of: stored.column) {
            values[place] = stored.value
        } else {
            let place = columns.firstIndex { $0 > stored.column } ?? columns.count
            columns.insert(stored.column, at: place)
            values.insert(stored.value, at: place)
        }
        return WriteOperation(
            change: change, table: table, kind: kind, key: key, columns: columns, values: values)
    }
}

/// A write that the database refused.
struct RefusedOperation: Sendable {
    let operation: WriteOperation
    let refusal: Refusal
}
