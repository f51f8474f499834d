public import MoorageCore

/// What a hub says of itself and its tables.
public struct SchemaAnswer: Hashable, Sendable {
    public let hub: String
    public let schema: SchemaDescription
    public let stopped: [StoppedTable]

    public init(hub: String, schema: SchemaDescription, stopped: [StoppedTable]) {
        self.hub = hub
        self.schema = schema
        self.stopped = stopped
    }
}
