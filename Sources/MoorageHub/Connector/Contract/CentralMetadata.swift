public import MoorageCore

/// Moorage's own tables, and what identifies the database.
public protocol CentralMetadata: AnyObject {
    /// Whether a table of Moorage's own is there, by its name alone.
    func hasOwnTable(_ name: String) throws -> Bool
    /// The statements that make Moorage's own tables (docs/design.md, 5), each repeatable.
    func metadataSteps() -> [String]
    /// The statements that remove what ``metadataSteps()`` made.
    func detachMetadataSteps() -> [String]
    /// Runs one statement on Moorage's own tables, in the SQL that all databases share, with `?`
    /// for arguments.
    ///
    /// - Returns: The rows of a query; nothing for other statements.
    func run(_ sql: String, _ arguments: [Value]) throws -> [[Value]]
    /// The database's clock; it moves within a transaction.
    func now() throws -> HubTime
    /// A text that tells this database from a copy or an earlier state of it. The hub begins a new
    /// epoch when it changes.
    func identity() throws -> String
    /// Clock, identity, schema and Moorage's facts at once, outside a transaction. Each exchange
    /// begins with them: where the database is on another machine, one question costs as much as
    /// all of them.
    func databaseState() throws -> DatabaseState
}

extension CentralMetadata {
    /// Whether ``metadataSteps()`` have been carried out.
    public func hasMetadata() throws -> Bool { try hasOwnTable("moorage_meta") }
}
