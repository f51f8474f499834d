import MoorageCore

/// What a reader of changes wants to learn of.
struct LiveInterest: Sendable {
    /// The tables, each with the scopes in which the reader reads it.
    let tables: [(table: AttachedTable, scopes: [Scope])]
    private let epoch: Epoch
    private let schemaVersion: String
    private let suspended: Set<Identifier>

    init(_ feed: ChangeFeed, _ state: HubState) {
        tables = zip(feed.tables, feed.scopes).map { ($0.attached, $1) }
        epoch = state.facts.epoch
        schemaVersion = state.attached.schema.version
        suspended = state.attached.suspendedNames
    }

    /// Whether the hub is still as it was when the reader read.
    func isCurrent(_ state: HubState) -> Bool {
        epoch == state.facts.epoch && schemaVersion == state.attached.schema.version
            && suspended == state.attached.suspendedNames
    }
}
