import MoorageCore

/// A table that a replica syncs.
public struct ReplicaTable: Hashable, Sendable {
    /// What becomes of rows that are there already when the replica is made.
    public enum FirstContact: String, Hashable, Sendable {
        /// Each row is pushed as an insert: absent at the hub it goes in, equal it is done,
        /// different it is a conflict.
        case upload
        /// Rows that the hub does not have are dropped once its copy is complete. Of a table that goes up
        /// only no copy comes: its rows stay, and are not sent.
        case replace
        /// A typed error; nothing is touched.
        case refuse
    }

    public let name: String
    public let firstContact: FirstContact
    /// A column that gets the time of the row's local insert; `nil` where the app writes it itself.
    public let createdAt: String?
    /// A column that gets the time of each local change of the row.
    public let updatedAt: String?

    var id: Identifier { Identifier(name) }

    /// A table under the hub's name of it; the local table may differ in the case of its letters.
    ///
    /// Times are written in the transaction that makes the change, by the device's clock: into an
    /// `INTEGER` column as milliseconds since 1970, into any other as `YYYY-MM-DD HH:MM:SS.SSS` in
    /// UTC. A value that the app writes itself stands. Rows of the hub's keep the times they came
    /// with.
    public static func table(
        _ name: String, firstContact: FirstContact = .refuse, createdAt: String? = nil,
        updatedAt: String? = nil
    ) -> ReplicaTable {
        ReplicaTable(
            name: name, firstContact: firstContact, createdAt: createdAt, updatedAt: updatedAt)
    }
}
