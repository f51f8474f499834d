/// What one exchange pushes. A replica sends it again byte for byte, or not at all (invariant B1).
package struct Batch: Hashable, Sendable {
    /// 1, 2, 3 … within one replica.
    package let number: Int64
    /// Distinguishes two batches with one number: a restored backup and its original both continue
    /// to count.
    package let nonce: String
    /// When the replica prepared it.
    package let preparedAt: DeviceTime
    /// The tables that the changes name, with the columns that positions refer to. They travel with
    /// the batch, so that a retry has the same meaning after a schema change.
    package let tables: [TableColumns]
    package let changes: [Change]

    package init(
        number: Int64, nonce: String, preparedAt: DeviceTime, tables: [TableColumns],
        changes: [Change]
    ) {
        self.number = number
        self.nonce = nonce
        self.preparedAt = preparedAt
        self.tables = tables
        self.changes = changes
    }
}

/// The columns of a table that replica and hub exchange, in the order in which rows list them.
package struct TableColumns: Hashable, Sendable {
    package let name: String
    package let columns: [String]

    package init(name: String, columns: [String]) {
        self.name = name
        self.columns = columns
    }

    /// Whether table and columns have the same names, in the same order.
    package func hasSameBytes(as other: TableColumns) -> Bool {
        name.hasSameBytes(as: other.name)
            && columns.elementsEqual(other.columns) { $0.hasSameBytes(as: $1) }
    }
}
