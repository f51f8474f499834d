import MoorageCore

/// A row's primary key as the local table stores it, in the order of the hub's key columns.
///
/// The hub's form of the same key is a ``RowKey``; ``SyncedTable`` converts between the two.
struct LocalKey: Hashable, Sendable {
    let values: [Value]

    init(_ values: [Value]) { self.values = values }
}

extension LocalKey {
    /// The key of a statement's current row.
    ///
    /// - Parameters:
    ///   - first: Where the key begins.
    ///   - count: The number of its columns; `nil` for all that are left.
    init(_ statement: RawStatement, from first: Int = 0, count: Int? = nil) {
        let end = count.map { first + $0 } ?? statement.columnCount
        self.init((first..<end).map { statement.column($0).value })
    }
}
