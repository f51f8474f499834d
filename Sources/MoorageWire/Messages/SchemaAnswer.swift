package import MoorageCore

/// What a hub says of itself and its tables.
package struct SchemaAnswer: Hashable, Sendable {
    package let hub: String
    package let schema: SchemaDescription
    package let suspended: [SuspendedTable]

    package init(hub: String, schema: SchemaDescription, suspended: [SuspendedTable]) {
        self.hub = hub
        self.schema = schema
        self.suspended = suspended
    }
}
