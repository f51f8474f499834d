public import MoorageCore

/// A replica as the hub knows it.
public struct ReplicaSummary: Hashable, Sendable, Identifiable {
    public let id: String
    /// Its user; `nil` for one that never came with one.
    public let subject: String?
    public let standing: ReplicaStanding
    /// By the central database's clock. `seenAt` is exact to ten minutes; for a replica without a
    /// user it is the time of its last batch.
    public let registeredAt: HubTime
    public let seenAt: HubTime
    /// The last batch of it that the hub took; 0 before the first.
    public let lastBatch: Int64
}
