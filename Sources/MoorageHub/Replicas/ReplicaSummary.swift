public import MoorageCore
public import MoorageWire

/// A replica as the hub knows it.
public struct ReplicaSummary: Hashable, Sendable, Identifiable {
    public let id: String
    /// Its user; `nil` for one that never came with one.
    public let subject: String?
    /// Whether the hub accepts it, or how far an order to wipe it is.
    public let standing: ReplicaStanding
    /// When the hub first recorded it, by the central database's clock.
    public let registeredAt: HubTime
    /// When it last came, by the central database's clock, exact to ten minutes. For a replica
    /// without a user it is the time of its last batch or report.
    public let seenAt: HubTime
    /// The last batch of it that the hub took; 0 before the first.
    public let lastBatch: Int64
    /// What it last said of itself; `nil` where it never said anything.
    public internal(set) var report: DeviceReport?
    /// When it said that, by the central database's clock.
    public internal(set) var reportedAt: HubTime?
}
