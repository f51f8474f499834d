public import MoorageCore

/// A row that refers to a row which does not exist. The central database has it like that, because
/// a program wrote past the checks of its foreign keys.
public struct DanglingRow: Hashable, Sendable {
    /// The table's name at the hub.
    public let table: String
    /// The row's key, as the hub writes it.
    public let key: RowKey
    /// The columns that refer.
    public let columns: [String]
    /// The table that should have the other row, by its name at the hub.
    public let referencedTable: String

    /// A row that no file has, for previews and tests of an app's screens.
    ///
    /// - Parameters:
    ///   - table: The table's name at the hub.
    ///   - key: The row's key.
    ///   - columns: The columns that refer.
    ///   - referencedTable: The table that should have the other row.
    public init(table: String, key: RowKey, columns: [String], referencedTable: String) {
        self.table = table
        self.key = key
        self.columns = columns
        self.referencedTable = referencedTable
    }
}
