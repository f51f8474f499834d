/// The owner's tables as they are declared.
public protocol CentralSchema: AnyObject {
    /// Every table of the owner's, as far as this connector can sync it.
    func readTables() throws -> [CentralTable]
    /// A cheap text that changes whenever ``readTables()`` may return something else.
    func schemaStamp() throws -> String
    /// The forms of a table's columns, by name; empty for a table that is gone. It names only
    /// columns whose values the database may rewrite while the table and its triggers stay.
    func columnForms(of table: String) throws -> [String: ColumnForm]
    /// What the owner wrote about tables, for tools that generate code. It locks no table, and the
    /// hub leaves out what nobody may see. Empty where the connector does not read it.
    ///
    /// - Parameter tables: The names of attached tables, at least one. A table that is gone has no
    ///   details.
    func details(of tables: [String]) throws -> [CentralTableDetails]
}

extension CentralSchema {
    /// Reads nothing: the schema answer has no details then.
    public func details(of tables: [String]) throws -> [CentralTableDetails] { [] }
}
