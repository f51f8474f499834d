/// A class of replicas, such as the supervisors' devices. The hub's owner names them; a device
/// cannot claim one.
public struct ReplicaClass: Hashable, Sendable {
    /// What a merge handler reads as ``ChangeOrigin/replicaClass``.
    public let name: String
    /// Where `newest` decides, the higher priority wins, and the later time among equal priorities.
    /// Replicas without a class, and other programs, have 0.
    public let priority: Int
    /// The replicas' ids.
    public let replicas: Set<String>

    /// Where a replica is in several classes, the one with the highest priority counts.
    public init(name: String, priority: Int, replicas: Set<String>) {
        self.name = name
        self.priority = priority
        self.replicas = replicas
    }
}
