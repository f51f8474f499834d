import MoorageCore

/// What an exchange changes in the scopes that a replica was granted.
struct GrantChanges {
    let known: [Scope: ScopeGrant]
    /// Granted now: for the first time, or again after the replica had removed all of it.
    let new: Set<Scope>
    /// Authorized again before the replica had removed all of it.
    let regranted: Set<Scope>
    /// Not authorized any more.
    let lost: Set<Scope>
    /// Lost, and removed from the replica completely.
    let ended: Set<Scope>
    /// Granted to another replica of the same user. They are recorded for this replica, because the
    /// hub may forget the other one.
    let adopted: Set<Scope>

    /// - Parameters:
    ///   - named: The scopes of which the replica says that it has rows.
    ///   - visible: The scopes that the user may see. Their grants do not end: another file with
    ///     the same id may have subscribed to them.
    init(
        known: [Scope: ScopeGrant], authorized: Set<Scope>, named: Set<Scope>,
        visible: Set<Scope> = [], adopted: Set<Scope> = []
    ) {
        self.known = known
        self.adopted = adopted
        // Nobody can lose what is everyone's.
        let authorized = authorized.subtracting([.everything])
        let again = authorized.filter { known[$0]?.lostAt != nil }
        regranted = again.intersection(named)
        new = authorized.filter { known[$0] == nil }.union(again.subtracting(named))
        let away = Set(known.keys).subtracting(authorized)
        ended = away.subtracting(named).subtracting(visible)
        lost = away.intersection(named).filter { known[$0]?.lostAt == nil }
    }

    var isEmpty: Bool { changed.isEmpty }

    var changed: Set<Scope> {
        new.union(ended).union(regranted).union(lost).union(adopted)
    }
}

extension Metadata {
    /// The scopes that a replica was granted, and has not removed completely. It leaves out what
    /// another user was granted under the replica's id.
    func grants(to replica: String, of subject: String?) throws -> [Scope: ScopeGrant] {
        let rows = try connection.run(
            "SELECT scope, since, lost_at, subject FROM moorage_grant WHERE replica = ?",
            [.text(replica)])
        var grants: [Scope: ScopeGrant] = [:]
        for row in rows where row[3] == subject.map(Value.text) ?? .null {
            guard case .text(let scope) = row[0], case .text(let since) = row[1] else { continue }
            var lostAt: Checkpoint?
            if case .text(let checkpoint) = row[2] { lostAt = Checkpoint(checkpoint) }
            grants[Scope(scope)] = ScopeGrant(since: Checkpoint(since), lostAt: lostAt)
        }
        return grants
    }

    /// Scopes that another replica of the user's was granted. A file that took a new id, because it
    /// was restored or copied, still has what it got under the old one.
    func grants(among scopes: Set<Scope>, toReplicasOf subject: String) throws
        -> [Scope: ScopeGrant]
    {
        // All of the user's at once: a cursor may name as many scopes as fit into a body.
        let rows = try connection.run(
            "SELECT scope, since FROM moorage_grant WHERE subject = ?", [.text(subject)])
        var oldest: [Scope: Checkpoint] = [:]
        for row in rows {
            guard case .text(let name) = row[0], case .text(let since) = row[1] else { continue }
            let (scope, checkpoint) = (Scope(name), Checkpoint(since))
            guard scopes.contains(scope) else { continue }
            let isOlder = try oldest[scope].map { try connection.covers($0, checkpoint) } ?? true
            if isOlder { oldest[scope] = checkpoint }
        }
        return oldest.mapValues { ScopeGrant(since: $0, lostAt: nil) }
    }

    /// Deletes all grants. Checkpoints of a history that ended mean nothing, and every replica
    /// starts over.
    func forgetGrants() throws { _ = try connection.run("DELETE FROM moorage_grant", []) }

    /// Records the changes before the hub sends anything of them. Call it inside a write
    /// transaction.
    ///
    /// - Parameter checkpoint: The hub's checkpoint now.
    func record(
        _ changes: GrantChanges, to replica: String, of subject: String?, at checkpoint: Checkpoint
    ) throws -> [Scope: ScopeGrant] {
        var grants = changes.known
        for scope in changes.new { grants[scope] = ScopeGrant(since: checkpoint, lostAt: nil) }
        for scope in changes.ended { grants[scope] = nil }
        for scope in changes.regranted {
            grants[scope] = grants[scope].map { ScopeGrant(since: $0.since, lostAt: nil) }
        }
        for scope in changes.lost {
            // This records only that it is lost. The file's own cursor says up to which checkpoint
            // it may have rows.
            grants[scope] = grants[scope].map { ScopeGrant(since: $0.since, lostAt: checkpoint) }
        }
        for scope in changes.changed.sorted() {
            _ = try connection.run(
                "DELETE FROM moorage_grant WHERE replica = ? AND scope = ?",
                [.text(replica), .text(scope.name)])
            guard let now = grants[scope] else { continue }
            do {
                _ = try connection.run(
                    """
                    INSERT INTO moorage_grant (replica, scope, subject, since, lost_at)
                    VALUES (?, ?, ?, ?, ?)
                    """,
                    [
                        .text(replica), .text(scope.name), subject.map(Value.text) ?? .null,
                        .text(now.since.text), now.lostAt.map { .text($0.text) } ?? .null,
                    ])
            } catch let error as CentralError {
                guard case .refused = error.kind else { throw error }
                throw CentralError.scopeGrantedMeanwhile
            }
        }
        return grants
    }
}
