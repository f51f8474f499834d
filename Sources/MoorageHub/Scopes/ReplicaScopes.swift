import MoorageCore
import MoorageWire

/// The scopes of one exchange.
struct ReplicaScopes: Sendable {
    /// The scopes that the user may see. What the replica pushes is judged by them.
    let visible: Set<Scope>
    /// The scopes among them that the replica gets.
    let authorized: Set<Scope>
    /// The priorities of those that the replica named one for, except normal ones.
    let priorities: [Scope: ScopePriority]
    /// The scopes that the replica was granted before, of which some may have to be revoked; `nil`
    /// where no table has scopes.
    let grants: [Scope: ScopeGrant]?

    static let everyones = ReplicaScopes(
        visible: [.everything], authorized: [.everything], priorities: [:], grants: nil)

    /// For each scope to revoke, the newest checkpoint of which the replica may have rows.
    var lost: [Scope: Checkpoint] {
        (grants ?? [:]).filter { !authorized.contains($0.key) }.compactMapValues(\.lostAt)
    }
}

/// Reads which scopes a user may see, and which the replica was granted before. The cursor names
/// granted scopes, too, but the hub does not believe it: revoking a scope reveals the keys of its
/// rows.
struct ReplicaScopesReader {
    let connection: any CentralConnection
    let signer: CursorSigner?
    let visible: VisibleScopes

    /// Also records which scopes this exchange grants, and which the user has lost.
    ///
    /// - Parameter requested: What the replica subscribed to.
    /// - Returns: `nil` when the hub did not sign the cursor's scopes, or did not grant all of them
    ///   to a replica of this user. Also `nil` when it granted one after the replica's last page. The
    ///   replica had that scope under a grant that has ended, and was not told of what left the
    ///   scope in between. A file that was restored, or is another user's, starts over then.
    func read(
        replica: String, of principal: Principal?, at cursor: SyncCursor,
        requested: [RequestedScope]
    ) throws -> ReplicaScopes? {
        let authorized = visible.delivered(requested.scopes)
        let priorities = requested.priorities(among: authorized)
        guard let signer else {
            return ReplicaScopes(
                visible: visible.all, authorized: authorized, priorities: priorities, grants: nil)
        }
        guard signer.accept(cursor) else { return nil }
        let metadata = Metadata(connection: connection)
        let named = cursor.named
        var known = try metadata.grants(to: replica, of: principal?.subject)
        let unknown = named.subtracting(known.keys)
        var adopted: Set<Scope> = []
        if let subject = principal?.subject, !unknown.isEmpty {
            let others = try metadata.grants(among: unknown, toReplicasOf: subject)
            adopted = Set(others.keys)
            known.merge(others) { known, _ in known }
        }
        guard named.isSubset(of: known.keys) else { return nil }
        if let readAt = cursor.signature?.readAt {
            // One exchange may have granted thousands.
            let granted = Set(named.compactMap { known[$0]?.since })
            guard try granted.allSatisfy({ try connection.covers(readAt, $0) }) else { return nil }
        }
        let changes = GrantChanges(
            known: known, authorized: authorized, named: named, visible: visible.all,
            adopted: adopted)
        var grants = changes.isEmpty ? known : try record(changes, to: replica, of: principal)
        // The file's own cursor counts, because another file with the same id may know less, or
        // more.
        if let signature = cursor.signature {
            for scope in named.subtracting(authorized) {
                grants[scope] = grants[scope].map {
                    ScopeGrant(since: $0.since, lostAt: signature.newestCheckpoint(of: scope))
                }
            }
        }
        return ReplicaScopes(
            visible: visible.all, authorized: authorized, priorities: priorities,
            grants: grants)
    }

    private func record(
        _ changes: GrantChanges, to replica: String, of principal: Principal?
    ) throws -> [Scope: ScopeGrant] {
        try connection.numberChanges()
        return try connection.withMovesResolved {
            try connection.writing {
                try Metadata(connection: connection).record(
                    changes, to: replica, of: principal?.subject,
                    at: try connection.currentCheckpoint())
            }
        }
    }
}

extension CentralConnection {
    /// Reads once there is no row whose scopes have to be derived again. Others may write such rows
    /// meanwhile.
    func withMovesResolved<Result>(_ read: () throws -> Result) throws -> Result {
        try numbered {
            try resolveMoves()
            return try read()
        }
    }

    /// Reads. Where others were in the way, it numbers what they wrote and reads again, with at
    /// most 20 tries.
    func numbered<Result>(_ read: () throws -> Result) throws -> Result {
        for _ in 1..<maximumAttempts {
            do {
                return try read()
            } catch let error as CentralError where error.kind == .conflict {
                try numberChanges()
            }
        }
        return try read()
    }
}

private let maximumAttempts = 20
