import MoorageCore

/// The scopes that one exchange goes by.
struct ReplicaScopes: Sendable {
    /// The scopes that the user holds.
    let held: Set<Scope>
    /// What the replica was given before, and may have to give back; `nil` where no table has scopes.
    let given: [Scope: GivenScope]?
    /// Scopes that the cursor calls complete at a mark that is older than they were given.
    let doubted: Set<Scope>

    static let everyones = ReplicaScopes(held: [.everything], given: nil, doubted: [])

    /// The newest state of which the replica may hold rows of scopes that it has to give back.
    var lost: [Scope: Mark] {
        (given ?? [:]).filter { !held.contains($0.key) }.compactMapValues(\.lostAt)
    }
}

/// Reads which scopes a user holds, and which the replica was given before: its cursor names some, and
/// what it must give back is told by name, so it is not believed.
struct ReplicaScopesReader {
    let connection: any CentralConnection
    let settings: ScopeSettings
    let seals: CursorSeals?

    /// Notes, too, what is given and lost with this exchange.
    ///
    /// - Returns: `nil` when the hub did not make what the cursor says of scopes, or does not know of all
    ///   that it names: a file that was put back, or another user's, begins anew.
    func read(
        replica: String, of principal: Principal?, at cursor: SyncCursor
    ) throws -> ReplicaScopes? {
        let held = try HeldScopes(connection: connection, settings: settings).held(by: principal)
        guard let seals else { return ReplicaScopes(held: held, given: nil, doubted: []) }
        guard seals.accept(cursor) else { return nil }
        let metadata = Metadata(connection: connection)
        let named = cursor.named
        var known = try metadata.given(to: replica, of: principal?.subject)
        let unknown = named.subtracting(known.keys)
        var adopted: Set<Scope> = []
        if let subject = principal?.subject, !unknown.isEmpty {
            let others = try metadata.given(among: unknown, toReplicasOf: subject)
            adopted = Set(others.keys)
            known.merge(others) { known, _ in known }
        }
        guard named.isSubset(of: known.keys) else { return nil }
        let doubted = try cursor.complete.intersection(held).filter { scope in
            guard let since = known[scope]?.since else { return false }
            return try cursor.mark.map { try !connection.covers($0, since) } ?? true
        }
        let giving = Giving(known: known, held: held, named: named, adopted: adopted)
        var given = giving.isEmpty ? known : try note(giving, to: replica, of: principal)
        // Each file's own word: another one of the same name may know less, or more.
        if let seal = cursor.seal {
            for scope in named.subtracting(held) {
                given[scope] = given[scope].map {
                    GivenScope(since: $0.since, lostAt: seal.newestState(of: scope))
                }
            }
        }
        return ReplicaScopes(held: held, given: given, doubted: doubted)
    }

    private func note(
        _ giving: Giving, to replica: String, of principal: Principal?
    ) throws -> [Scope: GivenScope] {
        try connection.numberChanges()
        return try connection.settled {
            try connection.writing {
                try Metadata(connection: connection).note(
                    giving, to: replica, of: principal?.subject,
                    at: try connection.currentMark())
            }
        }
    }
}

extension CentralConnection {
    /// Reads once no row stands whose scopes are to be derived anew; others may leave more meanwhile.
    func settled<Result>(_ read: () throws -> Result) throws -> Result {
        try numbered {
            try deriveNotedMoves()
            return try read()
        }
    }

    /// Reads, and where others were in the way, once more behind what they wrote.
    func numbered<Result>(_ read: () throws -> Result) throws -> Result {
        for _ in 1..<maximumSettlings {
            do {
                return try read()
            } catch let error as CentralError where error.kind == .conflict {
                try numberChanges()
            }
        }
        return try read()
    }
}

private let maximumSettlings = 20
