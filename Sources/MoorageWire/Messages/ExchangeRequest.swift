public import MoorageCore

/// The version of the protocol that this code speaks.
public let protocolVersion = 3

/// The versions that a hub of this code answers.
public let supportedProtocolVersions = 3...3

/// What a replica asks for in one exchange.
public struct ExchangeRequest: Hashable, Sendable {
    public let protocolVersion: Int
    /// The replica's id, a UUID in lower case.
    public let replica: String
    /// The id that the file went by before it took this one, until a hub has welcomed it by the new:
    /// the file stays its user's.
    public let formerly: String?
    /// What the last welcome called the user.
    public let user: String?
    /// The hub that the replica belongs to; `nil` before it met one.
    public let hub: String?
    /// Now, as the replica sends it.
    public let sentAt: DeviceTime
    /// What the replica holds of each table it syncs.
    public let tables: [TableColumns]
    public let cursor: SyncCursor
    /// The schema version that the replica knows; the welcome brings the schema when it is another.
    public let schemaVersion: String?
    /// The number of the last batch that the hub answered; 0 before the first. A hub that knows of
    /// fewer has lost a part of its history.
    public let answered: Int64
    public let batch: Batch?
    /// What is left of the keys that the hub handed out, by table; one that is not named has none.
    /// `nil` when the replica takes none.
    public let keys: [KeysLeft]?
    public let limits: PageLimits
    /// Whether the answer may stay open once the replica has caught up.
    public let isLive: Bool

    public init(
        protocolVersion: Int = MoorageWire.protocolVersion, replica: String,
        formerly: String? = nil, user: String? = nil, hub: String?, sentAt: DeviceTime,
        tables: [TableColumns], cursor: SyncCursor, schemaVersion: String?, answered: Int64 = 0,
        batch: Batch?, keys: [KeysLeft]? = nil, limits: PageLimits, isLive: Bool = false
    ) {
        self.protocolVersion = protocolVersion
        self.replica = replica
        self.formerly = formerly
        self.user = user
        self.hub = hub
        self.sentAt = sentAt
        self.tables = tables
        self.cursor = cursor
        self.schemaVersion = schemaVersion
        self.answered = answered
        self.batch = batch
        self.keys = keys
        self.limits = limits
        self.isLive = isLive
    }
}

extension ExchangeRequest {
    /// The same request with another batch.
    package func carrying(_ batch: Batch?) -> ExchangeRequest { copy(batch: batch, isLive: isLive) }

    /// The same request for an answer that may stay open.
    public var live: ExchangeRequest { copy(batch: batch, isLive: true) }

    /// The same request for an answer that ends.
    public var ending: ExchangeRequest { copy(batch: batch, isLive: false) }

    private func copy(batch: Batch?, isLive: Bool) -> ExchangeRequest {
        ExchangeRequest(
            protocolVersion: protocolVersion, replica: replica, formerly: formerly, user: user,
            hub: hub, sentAt: sentAt, tables: tables, cursor: cursor,
            schemaVersion: schemaVersion, answered: answered, batch: batch, keys: keys,
            limits: limits, isLive: isLive)
    }
}

/// How many keys a replica can still give to rows of a table.
public struct KeysLeft: Hashable, Sendable {
    public let table: String
    public let count: Int

    public init(table: String, count: Int) {
        self.table = table
        self.count = count
    }
}

/// How much a replica takes at once. The hub takes the smaller of these and its own.
public struct PageLimits: Hashable, Sendable {
    /// Rows and removals in one page; always at least one.
    public var maximumRows: Int
    /// Bytes of values in one page; one row may exceed it.
    public var maximumBytes: Int
    /// Pages in one exchange.
    public var maximumPages: Int

    public init(maximumRows: Int = 5000, maximumBytes: Int = 2_000_000, maximumPages: Int = 8) {
        self.maximumRows = maximumRows
        self.maximumBytes = maximumBytes
        self.maximumPages = maximumPages
    }
}
