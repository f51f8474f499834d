import MoorageCore
import MoorageWire

/// What the hub's own tables contain about a person. The owner's tables are not part of it.
public struct PersonalData: Hashable, Sendable {
    /// The replicas of the user with what they reported, the last seen first.
    public let replicas: [ReplicaSummary]
    /// The scopes that those replicas were granted.
    public let scopes: [String]
    /// What they lost or were refused, with values.
    public let conflicts: [ConflictRecord]
    /// The changes that the user pushed, newest first; empty where the hub keeps no audit trail.
    public let audit: [AuditRecord]
}

/// Reads and deletes what the hub's own tables contain about a person.
struct PersonalDataAccess {
    let connection: any CentralConnection
    let subject: String
    private var metadata: Metadata { Metadata(connection: connection) }

    /// More lines than anybody reads. Lines beyond this limit remain in the tables.
    private static let maximumLines = 1_000_000

    private func replicas() throws -> [String] {
        try connection.run(
            "SELECT replica FROM moorage_registration WHERE subject = ? ORDER BY replica",
            [.text(subject)]
        ).compactMap { row in
            if case .text(let id)? = row.first { id } else { nil }
        }
    }

    func read() throws -> PersonalData {
        var conflicts: [ConflictRecord] = []
        for replica in try replicas() {
            var filter = ConflictFilter()
            filter.replica = replica
            filter.includesDecided = true
            conflicts += try metadata.conflicts(filter, limit: Self.maximumLines)
        }
        var filter = AuditFilter()
        filter.subject = subject
        let scopes = try connection.run(
            "SELECT DISTINCT scope FROM moorage_grant WHERE subject = ? ORDER BY scope",
            [.text(subject)])
        return PersonalData(
            replicas: try ReplicaDirectory(connection: connection)
                .list(subject: subject, limit: Self.maximumLines),
            scopes: scopes.compactMap { row in
                if case .text(let scope)? = row.first { scope } else { nil }
            },
            conflicts: conflicts, audit: try metadata.audit(filter, limit: Self.maximumLines))
    }

    /// Call it inside a write transaction. The registrations of the person's replicas remain,
    /// without the user, and the hub refuses these replicas. If it forgot a replica altogether, the
    /// replica's next exchange would look like a history that went back.
    func forget(now: HubTime) throws {
        for replica in try replicas() {
            let id = Value.text(replica)
            // Programs have no history: the user's next request begins a new one.
            if RowIdentity.isReplica(replica) { try metadata.forgetActive(replica) }
            // This comes first: an exchange that runs at the same time waits, and is refused. An
            // order to wipe remains.
            try metadata.setStanding(replica, .revoked, from: .active, at: now)
            _ = try connection.run(
                """
                DELETE FROM moorage_decision
                WHERE id IN (SELECT id FROM moorage_conflict WHERE replica = ?)
                """, [id])
            var tables = [
                "moorage_conflict", "moorage_audit", "moorage_grant", "moorage_batch",
                "moorage_report",
            ]
            // An older version may have attached the database.
            if try connection.hasOwnTable("moorage_request") { tables.append("moorage_request") }
            for table in tables {
                _ = try connection.run("DELETE FROM \(table) WHERE replica = ?", [id])
            }
            _ = try connection.run(
                "UPDATE moorage_replica SET outcomes = NULL WHERE id = ?", [id])
        }
        for table in ["moorage_grant", "moorage_audit"] {
            _ = try connection.run("DELETE FROM \(table) WHERE subject = ?", [.text(subject)])
        }
        _ = try connection.run(
            "UPDATE moorage_registration SET subject = NULL WHERE subject = ?", [.text(subject)])
    }
}
