/// A table that a replica syncs.
public struct ReplicaTable: Hashable, Sendable {
    /// What becomes of rows that are there already when the replica is made.
    public enum FirstContact: String, Hashable, Sendable {
        /// Each row is pushed as an insert: absent at the hub it goes in, equal it is done,
        /// different it is a conflict.
        case upload
        /// Rows that the hub does not have are dropped once its copy is complete.
        case replace
        /// A typed error; nothing is touched.
        case refuse
    }

    public let name: String
    public let firstContact: FirstContact

    /// A table under the hub's name of it; the local table may differ in the case of its letters.
    public static func table(_ name: String, firstContact: FirstContact = .refuse) -> ReplicaTable {
        ReplicaTable(name: name, firstContact: firstContact)
    }
}
