public import MoorageCore
public import MoorageWire

/// What the owner chooses of a hub.
public struct HubConfiguration: Sendable {
    /// Merge rules by table; a table without an entry joins columns and goes by the newest edit.
    public var rules: [String: TableRules]
    /// What one batch may hold.
    public var limits: HubLimits
    /// How long deletions and batches are remembered.
    public var retention: RetentionPolicy
    /// The largest page that is sent, whatever a replica asks for.
    public var pages: PageLimits

    /// Which way tables travel; one without an entry goes both ways.
    public var directions: [String: TableDirection] = [:]

    public init(
        rules: [String: TableRules] = [:], limits: HubLimits = HubLimits(),
        retention: RetentionPolicy = RetentionPolicy(),
        pages: PageLimits = PageLimits(
            maximumRows: 10_000, maximumBytes: 8_000_000, maximumPages: 1000)
    ) {
        self.rules = rules
        self.limits = limits
        self.retention = retention
        self.pages = pages
    }

    func rules(for table: String) -> TableRules { rules[table] ?? TableRules() }
}
