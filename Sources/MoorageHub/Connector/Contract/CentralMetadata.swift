public import MoorageCore

/// Moorage's own tables, and what identifies the database.
public protocol CentralMetadata: AnyObject {
    /// Whether one of Moorage's own tables exists, by its name alone.
    func hasOwnTable(_ name: String) throws -> Bool
    /// The statements that make Moorage's own tables (docs/reference/hub.md, Moorage's own tables).
    /// Each can be repeated.
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
    /// A text that distinguishes this database from a copy or an earlier state of it. The hub
    /// begins a new epoch when it changes.
    func identity() throws -> String
    /// Reads clock, identity, schema and Moorage's facts at once, outside a transaction. Each
    /// exchange begins with them. Where the database is on another machine, one question costs as
    /// much as all of them.
    func databaseState() throws -> DatabaseState
}

extension CentralMetadata {
    /// Whether ``metadataSteps()`` have been carried out.
    public func hasMetadata() throws -> Bool { try hasOwnTable("moorage_meta") }
}
