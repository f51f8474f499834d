package import MoorageCore

/// The version of the protocol that this code speaks, on both sides.
package let protocolVersion = 3

/// What a replica asks for in one exchange.
package struct ExchangeRequest: Hashable, Sendable {
    /// The replica's id, a UUID in lower case.
    package let replica: String
    /// The file's id before this one, until a hub has welcomed the new one. The hub uses the user
    /// and the orders of this id while it does not know `replica`.
    package let formerly: String?
    /// The user's digest from the last welcome.
    package let user: String?
    /// The hub that the replica belongs to; `nil` before it met one.
    package let hub: String?
    /// The version of the app, such as `2.10.1`; `nil` where the app does not say.
    package var clientVersion: String?
    /// When the replica sends the request.
    package let sentAt: DeviceTime
    /// The tables that the replica syncs, each with the columns that it has.
    package let tables: [TableColumns]
    /// The scopes that the replica subscribed to, each once.
    package var scopes: [RequestedScope] = []
    package let cursor: SyncCursor
    /// The schema version that the replica knows. The welcome brings the schema when the hub has
    /// another.
    package let schemaVersion: String?
    /// The version of the user's rights that the replica knows. The welcome brings the rights when
    /// they are others.
    package var rightsVersion: String?
    /// The number of the last batch that the hub answered; 0 before the first. A hub that knows of
    /// fewer has lost a part of its history.
    package let answered: Int64
    package private(set) var batch: Batch?
    /// How many keys from the hub are left, by table. A table that is not listed has no keys left.
    /// `nil` when the replica takes no keys.
    package let keys: [KeysLeft]?
    package let limits: PageLimits
    /// Whether the answer may stay open once the replica has caught up.
    package private(set) var isLive: Bool
    /// What the replica says of itself, where that has changed.
    package var report: DeviceReport?

    package init(
        replica: String, formerly: String? = nil, user: String? = nil, hub: String?,
        sentAt: DeviceTime,
        tables: [TableColumns], cursor: SyncCursor, schemaVersion: String?, answered: Int64 = 0,
        batch: Batch?, keys: [KeysLeft]? = nil, limits: PageLimits, isLive: Bool = false
    ) {
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
    package func carrying(_ batch: Batch?) -> ExchangeRequest {
        var request = self
        request.batch = batch
        return request
    }

    /// The same request for an answer that may stay open.
    package var live: ExchangeRequest { asking(isLive: true) }

    /// The same request for an answer that ends.
    package var ending: ExchangeRequest { asking(isLive: false) }

    private func asking(isLive: Bool) -> ExchangeRequest {
        var request = self
        request.isLive = isLive
        return request
    }
}

/// How many keys a replica can still give to rows of a table.
package struct KeysLeft: Hashable, Sendable {
    package let table: String
    package let count: Int

    package init(table: String, count: Int) {
        self.table = table
        self.count = count
    }
}

/// How much a replica takes at once. The hub uses the smaller of these limits and its own.
public struct PageLimits: Hashable, Sendable {
    /// Rows and removals in one page; always at least one.
    public var maximumRows: Int
    /// Bytes of values in one page; one row may exceed it.
    public var maximumBytes: Int
    /// Pages in one exchange.
    public var maximumPages: Int

    /// Limits for one exchange. The hub treats a value below 1 as 1.
    public init(maximumRows: Int = 5000, maximumBytes: Int = 2_000_000, maximumPages: Int = 8) {
        self.maximumRows = maximumRows
        self.maximumBytes = maximumBytes
        self.maximumPages = maximumPages
    }
}
