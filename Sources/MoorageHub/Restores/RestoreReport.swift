public import MoorageCore

/// What a central database says of itself, and what happens when replicas come back to it after it
/// was restored, moved or copied.
public struct RestoreReport: Hashable, Sendable {
    /// The hub's id.
    public let hub: String
    /// The name of the history that replicas know, unless ``isOtherDatabase``.
    public let epoch: String
    /// When that history began, by the database's clock; `nil` where an earlier version recorded
    /// none.
    public let epochBeganAt: HubTime?
    /// Whether the database says that it is another one than when the epoch began: it was restored,
    /// moved or copied. The first exchange then begins a new epoch. `false` proves nothing.
    public let isOtherDatabase: Bool
    /// When the owner copied the rows from another database; `nil` where the hub began in this one.
    public let copiedAt: HubTime?
    /// When this was found out, by the database's clock.
    public let checkedAt: HubTime
    /// The newest push that the database knows of; `nil` for none.
    public let newestPushAt: HubTime?
    /// The newest report of a device that the database knows of; `nil` for none.
    public let newestReportAt: HubTime?
    /// When the database last heard of any replica; `nil` for never.
    public let newestContactAt: HubTime?
    /// How many replicas the database knows.
    public let replicas: Replicas
    /// The attached tables.
    public let tables: [Table]
    /// What to do before replicas come back, in this order.
    public let steps: [Step]

    /// Whether replicas may come back as it is.
    public var mayComeBack: Bool { steps.isEmpty }

    /// About how many rows the replicas read in all after a new epoch, without the tables whose
    /// rows are in scopes.
    public var rowsToRead: Int {
        tables.reduce(0) { sum, table in
            guard let rows = table.rowCount, table.suspension == nil else { return sum }
            let (product, overflow) = rows.multipliedReportingOverflow(by: table.replicaCount)
            let (total, more) = sum.addingReportingOverflow(product)
            return overflow || more ? .max : total
        }
    }

    /// Replicas by what the database knows of them.
    public struct Replicas: Hashable, Sendable {
        /// A replica is recent if the database heard of it at this time or later.
        public let since: HubTime
        /// Replicas that the hub accepts. After a new epoch each of them reads everything once.
        public internal(set) var accepted = 0
        /// Those among them that are recent.
        public internal(set) var recent = 0
        /// Those among them that reported since.
        public internal(set) var reported = 0
        /// Replicas that pushed since, whether the hub accepts them or not.
        public internal(set) var pushed = 0
        /// Accepted replicas that were away for longer than the retention time. Some of their
        /// changes may be too old to be sent again.
        public internal(set) var away = 0
        /// Accepted replicas of which the database does not know for which tables they ask.
        public internal(set) var unknown = 0
        /// Replicas that the hub refuses: they were revoked or wiped.
        public internal(set) var refused = 0
    }

    /// A table that is attached.
    public struct Table: Hashable, Sendable {
        /// The table's name.
        public let name: String
        /// About how many rows a replica reads of it; `nil` where the rows are in scopes, of which
        /// each replica has its own.
        public let rowCount: Int?
        /// How many accepted replicas read it. One of which nobody knows for which tables it asks
        /// counts for each table.
        public let replicaCount: Int
        /// Why the table is suspended, in full sentences; `nil` where it is synced.
        public let suspension: String?
    }

    /// Something to do before replicas come back.
    public struct Step: Hashable, Sendable {
        /// What kind of step it is.
        public enum Kind: String, Hashable, Sendable {
            /// Correct the configuration.
            case configure
            /// Run `moorage attach`.
            case attach
            /// Run `moorage attach --new-epoch`, unless the database lost nothing.
            case newEpoch
        }

        /// What to do.
        public let kind: Kind
        /// Why, in full sentences.
        public let reason: String

        /// The command that does it; `nil` where somebody has to decide more.
        public var command: String? {
            switch kind {
            case .configure: nil
            case .attach: "moorage attach"
            case .newEpoch: "moorage attach --new-epoch"
            }
        }
    }
}
