public import MoorageCore

/// What a hub says of itself and its tables.
public struct SchemaAnswer: Hashable, Sendable {
    public let hub: String
    public let schema: SchemaDescription
    public let suspended: [SuspendedTable]

    public init(hub: String, schema: SchemaDescription, suspended: [SuspendedTable]) {
        self.hub = hub
        self.schema = schema
        self.suspended = suspended
    }
}
