public import MoorageCore

/// Which versions of the app run on the replicas that still come, and which columns they lack.
public struct SchemaUsage: Hashable, Sendable {
    /// A version of the app together with a version of its schema.
    public struct Version: Hashable, Sendable {
        /// The version of the app; `nil` where the replicas did not say it.
        public let appVersion: String?
        /// The version of the schema that the app was built for; `nil` where the replicas did not
        /// say it.
        public let schemaVersion: String?
        /// How many replicas have it.
        public internal(set) var replicaCount = 0
        /// When the last of them came, by the central database's clock.
        public internal(set) var lastSeenAt: HubTime = 0
        /// How many changes they had still to send, all together.
        public internal(set) var pendingCount = 0
    }

    /// A table that is attached.
    public struct Table: Hashable, Sendable {
        /// The table's name.
        public let name: String
        /// How many replicas ask for it.
        public let replicaCount: Int
        /// Columns that some of them do not ask for, in the table's order. Columns that the hub
        /// hides are not among them.
        public let lackingColumns: [LackingColumn]
    }

    /// A column that some replicas do not ask for, though they ask for its table.
    public struct LackingColumn: Hashable, Sendable {
        /// The column's name.
        public let name: String
        /// How many replicas lack it.
        public let replicaCount: Int
    }

    /// How many replicas count.
    public let counts: ReplicaCounts
    /// The newest version of the app first. Replicas without a version come last.
    public let versions: [Version]
    /// The attached tables, in the order in which they were first attached.
    public let tables: [Table]
}

/// Whether a table or column may be dropped without harm to a replica that still comes.
public struct DropCheck: Hashable, Sendable {
    /// Why a replica may need what is to be dropped.
    public enum Need: String, Hashable, Sendable {
        /// It asked for it when it reported last.
        case requested
        /// The device has suspended the table, and may ask for any column again.
        case suspended
        /// The hub does not know what it asks for. It sent no report, an older hub recorded the
        /// report, or the lists of the report are cut.
        case unknown
    }

    /// A replica that may need what is to be dropped.
    public struct Replica: Hashable, Sendable {
        /// The replica, with its last report.
        public let summary: ReplicaSummary
        /// Why it may need it.
        public let need: Need
    }

    /// How many replicas count.
    public let counts: ReplicaCounts
    /// How many of them may need it.
    public let needCount: Int
    /// Those that may need it, the last seen first, as many as were wanted.
    public let replicas: [Replica]

    /// Whether no replica that counts may need it.
    public var isSafe: Bool { needCount == 0 }
}

/// How many replicas count in an answer about the schema.
public struct ReplicaCounts: Hashable, Sendable {
    /// A replica counts if the hub accepts it, and saw it at this time or later.
    public let since: HubTime
    /// Replicas that count.
    public internal(set) var counted = 0
    /// Those among them of which the hub does not know what they ask for. They may need everything.
    public internal(set) var unknown = 0
    /// Replicas that the hub accepts, and did not see since. They do not count.
    public internal(set) var away = 0
    /// Replicas that the hub refuses: they were revoked or wiped. They do not count.
    public internal(set) var refused = 0
}
