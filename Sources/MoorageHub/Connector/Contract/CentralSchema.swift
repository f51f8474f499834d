/// The owner's tables as they are declared.
public protocol CentralSchema: AnyObject {
    /// Every table of the owner's, as far as this connector can sync it.
    func readTables() throws -> [CentralTable]
    /// A cheap text that changes whenever ``readTables()`` may return something else.
    func schemaStamp() throws -> String
    /// The forms of a table's columns, by name; empty for a table that is gone. It names only
    /// columns whose values the database may rewrite while the table and its triggers stay.
    func columnForms(of table: String) throws -> [String: ColumnForm]
}
