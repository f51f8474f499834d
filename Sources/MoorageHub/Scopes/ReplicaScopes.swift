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
}

/// Reads which scopes a user holds, and which the replica was given before: its cursor names some, and
/// what it must give back is told by name, so it is not believed.
struct ReplicaScopesReader {
    let connection: any CentralConnection
    let settings: ScopeSettings

    /// Notes, too, what is given and lost with this exchange.
    ///
    /// - Returns: `nil` when the hub does not know of all that the cursor names: a file that was put
    ///   back, or another user's, begins anew.
    func read(
        replica: String, of principal: Principal?, at cursor: SyncCursor
    ) throws -> ReplicaScopes? {
        let held = try HeldScopes(connection: connection, settings: settings).held(by: principal)
        if settings.rules.isEmpty { return ReplicaScopes(held: held, given: nil, doubted: []) }
        let metadata = Metadata(connection: connection)
        let named = cursor.complete.union(cursor.partial).subtracting([.everything])
        var known = try metadata.given(to: replica, of: principal?.subject)
        let unknown = named.subtracting(known.keys)
        if let subject = principal?.subject, !unknown.isEmpty {
            let others = try metadata.given(among: unknown, toReplicasOf: subject)
            known.merge(others) { known, _ in known }
        }
        guard named.isSubset(of: known.keys) else { return nil }
        let doubted = try cursor.complete.intersection(held).filter { scope in
            guard let since = known[scope]?.since else { return false }
            return try cursor.mark.map { try !connection.covers($0, since) } ?? true
        }
        let giving = Giving(known: known, held: held, named: named)
        let given =
            giving.isEmpty ? known : try note(giving, to: replica, of: principal, at: cursor)
        return ReplicaScopes(held: held, given: given, doubted: doubted)
    }

    private func note(
        _ giving: Giving, to replica: String, of principal: Principal?, at cursor: SyncCursor
    ) throws -> [Scope: GivenScope] {
        try connection.numberChanges()
        return try connection.settled {
            try connection.writing {
                let mark = try connection.currentMark()
                // What was sent was of a state that the replica knows.
                var newest = cursor.states.first ?? mark
                for state in cursor.states where try connection.covers(state, newest) {
                    newest = state
                }
                return try Metadata(connection: connection).note(
                    giving, to: replica, of: principal?.subject, at: mark, lostAt: newest)
            }
        }
    }
}

extension CentralConnection {
    /// Reads once no row stands whose scopes are to be derived anew; others may leave more meanwhile.
    func settled<Result>(_ read: () throws -> Result) throws -> Result {
        for _ in 1..<maximumSettlings {
            try deriveNotedMoves()
            do {
                return try read()
            } catch let error as CentralError where error.kind == .conflict {
                continue
            }
        }
        try deriveNotedMoves()
        return try read()
    }
}

private let maximumSettlings = 20
