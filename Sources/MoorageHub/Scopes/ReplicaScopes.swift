import MoorageCore

/// The scopes that one exchange goes by.
struct ReplicaScopes: Sendable {
    /// The scopes that the user holds.
    let authorized: Set<Scope>
    /// What the replica was given before, and may have to give back; `nil` where no table has scopes.
    let grants: [Scope: ScopeGrant]?
    /// Scopes that the cursor calls complete at a checkpoint that is older than they were given.
    let unverified: Set<Scope>

    static let everyones = ReplicaScopes(authorized: [.everything], grants: nil, unverified: [])

    /// The newest state of which the replica may hold rows of scopes that it has to give back.
    var lost: [Scope: Checkpoint] {
        (grants ?? [:]).filter { !authorized.contains($0.key) }.compactMapValues(\.lostAt)
    }
}

/// Reads which scopes a user holds, and which the replica was given before: its cursor names some, and
/// what it must give back is told by name, so it is not believed.
struct ReplicaScopesReader {
    let connection: any CentralConnection
    let settings: ScopeSettings
    let signer: CursorSigner?

    /// Records, too, what is given and lost with this exchange.
    ///
    /// - Returns: `nil` when the hub did not make what the cursor says of scopes, or does not know of all
    ///   that it names: a file that was put back, or another user's, starts over.
    func read(
        replica: String, of principal: Principal?, at cursor: SyncCursor
    ) throws -> ReplicaScopes? {
        let authorized = try AuthorizedScopesReader(connection: connection, settings: settings)
            .read(for: principal)
        guard let signer else {
            return ReplicaScopes(authorized: authorized, grants: nil, unverified: [])
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
        let unverified = try cursor.complete.intersection(authorized).filter { scope in
            guard let since = known[scope]?.since else { return false }
            return try cursor.checkpoint.map { try !connection.covers($0, since) } ?? true
        }
        let changes = GrantChanges(
            known: known, authorized: authorized, named: named, adopted: adopted)
        var grants = changes.isEmpty ? known : try record(changes, to: replica, of: principal)
        // Each file's own word: another one of the same name may know less, or more.
        if let signature = cursor.signature {
            for scope in named.subtracting(authorized) {
                grants[scope] = grants[scope].map {
                    ScopeGrant(since: $0.since, lostAt: signature.newestCheckpoint(of: scope))
                }
            }
        }
        return ReplicaScopes(authorized: authorized, grants: grants, unverified: unverified)
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
    /// Reads once no row stands whose scopes are to be derived again; others may leave more meanwhile.
    func withMovesResolved<Result>(_ read: () throws -> Result) throws -> Result {
        try numbered {
            try resolveMoves()
            return try read()
        }
    }

    /// Reads, and where others were in the way, once more behind what they wrote.
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
