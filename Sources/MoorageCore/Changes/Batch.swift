/// What one exchange pushes. A replica sends it again byte for byte, or not at all (invariant B1).
public struct Batch: Hashable, Sendable {
    /// 1, 2, 3 … within one replica.
    public let number: Int64
    /// Distinguishes two batches with one number: a restored backup and its original both continue
    /// to count.
    public let nonce: String
    /// When the replica prepared it.
    public let preparedAt: DeviceTime
    /// The tables that the changes name, with the columns that positions refer to. They travel with
    /// the batch, so that a retry has the same meaning after a schema change.
    public let tables: [TableColumns]
    public let changes: [Change]

    public init(
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
public struct TableColumns: Hashable, Sendable {
    public let name: String
    public let columns: [String]

    public init(name: String, columns: [String]) {
        self.name = name
        self.columns = columns
    }
}
