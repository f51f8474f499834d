package import MoorageCore

/// What a hub says of itself and its tables.
package struct SchemaAnswer: Hashable, Sendable {
    package let hub: String
    package let schema: SchemaDescription
    package let suspended: [SuspendedTable]
    /// For tools, by table; a table without details is missing.
    package let details: [Identifier: TableDetails]

    /// - Parameter details: Of tables of the schema.
    package init(
        hub: String, schema: SchemaDescription, suspended: [SuspendedTable],
        details: [Identifier: TableDetails] = [:]
    ) {
        self.hub = hub
        self.schema = schema
        self.suspended = suspended
        self.details = details.filter { $0.value != TableDetails() }
    }
}
