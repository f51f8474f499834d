import MoorageCore
import MoorageWire

/// Whose a replica is, and whether it may still come.
struct Registration: Hashable, Sendable {
    let subject: String?
    let standing: ReplicaStanding
    let seenAt: HubTime

    init(subject: String?, standing: ReplicaStanding, seenAt: HubTime) {
        self.subject = subject
        self.standing = standing
        self.seenAt = seenAt
    }

    /// - Parameter row: Subject, standing and time.
    fileprivate init(_ row: [Value]) {
        var subject: String?
        var standing = ReplicaStanding.revoked
        var seenAt: HubTime = 0
        if case .text(let text) = row[0] { subject = text }
        // A word that only a later version knows counts as revoked.
        if case .text(let text) = row[1] { standing = ReplicaStanding(rawValue: text) ?? .revoked }
        if case .integer(let time) = row[2] { seenAt = HubTime(milliseconds: time) }
        self.init(subject: subject, standing: standing, seenAt: seenAt)
    }
}

/// Whether a replica may come.
public enum ReplicaStanding: String, Hashable, Sendable {
    /// The hub accepts it.
    case active
    /// The hub refuses it from now on. What it has stays on it.
    case revoked
    /// The hub tells it to delete what it has at its next exchange, which has not come yet.
    case toBeWiped = "wipe"
    /// The hub has told it to delete what it has, and waits until it comes back empty.
    case beingWiped = "told"
    /// It came back empty after the hub had told it to delete what it has.
    case wiped
}

extension Metadata {
    func registration(of replica: String) throws -> Registration? {
        let rows = try connection.run(
            "SELECT subject, standing, seen_at FROM moorage_registration WHERE replica = ?",
            [.text(replica)])
        return rows.first.map { Registration($0) }
    }

    /// Whose a replica is, and the number of its last batch that the hub took. Each exchange asks
    /// for both.
    func acquaintance(with replica: String) throws -> (Registration?, lastBatch: Int64?) {
        let rows = try connection.run(
            """
            SELECT r.subject, r.standing, r.seen_at, r.replica, b.last_batch
            FROM (SELECT 1 AS one) AS o LEFT JOIN moorage_replica AS b ON b.id = ?
            LEFT JOIN moorage_registration AS r ON r.replica = ?
            """, [.text(replica), .text(replica)])
        guard let row = rows.first, row.count == 5 else { return (nil, nil) }
        var lastBatch: Int64?
        if case .integer(let number) = row[4] { lastBatch = number }
        return (row[3] == .null ? nil : Registration(row), lastBatch)
    }

    func register(_ replica: String, _ registration: Registration, now: HubTime) throws {
        _ = try connection.run(
            """
            INSERT INTO moorage_registration
              (replica, subject, standing, standing_at, registered_at, seen_at)
            VALUES (?, ?, ?, ?, ?, ?)
            """,
            [
                .text(replica), registration.subject.map(Value.text) ?? .null,
                .text(registration.standing.rawValue), .time(now),
                .time(now),
                .time(registration.seenAt),
            ])
    }

    /// Forgets whose a replica is, unless somebody revoked it.
    func forgetActive(_ replica: String) throws {
        _ = try connection.run(
            "DELETE FROM moorage_registration WHERE replica = ? AND standing = ?",
            [.text(replica), .text(ReplicaStanding.active.rawValue)])
    }

    /// Counts the user's replicas that were begun since a time, whatever became of them.
    func countReplicas(of subject: String, since time: HubTime) throws -> Int {
        let rows = try connection.run(
            "SELECT count(*) FROM moorage_registration WHERE subject = ? AND registered_at > ?",
            [.text(subject), .time(time)])
        guard case .integer(let count)? = rows.first?.first else { return 0 }
        return Int(clamping: count)
    }

    /// Records when a replica was seen. A replica without a user becomes this user's.
    func setSeen(_ replica: String, by subject: String?, at time: HubTime) throws {
        _ = try connection.run(
            """
            UPDATE moorage_registration SET seen_at = ?, subject = coalesce(subject, ?)
            WHERE replica = ? AND standing = ?
            """,
            [
                .time(time), subject.map(Value.text) ?? .null, .text(replica),
                .text(ReplicaStanding.active.rawValue),
            ])
    }

    /// - Parameter before: The standing that the replica must have now; `nil` for any.
    func setStanding(
        _ replica: String, _ standing: ReplicaStanding, from before: ReplicaStanding? = nil,
        at time: HubTime
    ) throws {
        _ = try connection.run(
            """
            UPDATE moorage_registration SET standing = ?, standing_at = ?
            WHERE replica = ?\(before == nil ? "" : " AND standing = ?")
            """,
            [.text(standing.rawValue), .time(time), .text(replica)]
                + (before.map { [.text($0.rawValue)] } ?? []))
    }
}
