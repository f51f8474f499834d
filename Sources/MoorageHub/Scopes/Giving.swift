import MoorageCore

/// What an exchange changes of the scopes that a replica was given.
struct Giving {
    let known: [Scope: GivenScope]
    /// Given now: for the first time, or again after the replica had given back all of it.
    let new: Set<Scope>
    /// Held again before all of it was given back.
    let regained: Set<Scope>
    /// Held no more.
    let lost: Set<Scope>
    /// Given back.
    let over: Set<Scope>
    /// Given under another name of the user's, which may forget them.
    let adopted: Set<Scope>

    /// - Parameter named: The scopes that the replica says it holds rows of.
    init(
        known: [Scope: GivenScope], held: Set<Scope>, named: Set<Scope>, adopted: Set<Scope> = []
    ) {
        self.known = known
        self.adopted = adopted
        // What is everyone's cannot be lost.
        let held = held.subtracting([.everything])
        let again = held.filter { known[$0]?.lostAt != nil }
        regained = again.intersection(named)
        new = held.filter { known[$0] == nil }.union(again.subtracting(named))
        let away = Set(known.keys).subtracting(held)
        over = away.subtracting(named)
        lost = away.intersection(named).filter { known[$0]?.lostAt == nil }
    }

    var isEmpty: Bool { changed.isEmpty }

    var changed: Set<Scope> {
        new.union(over).union(regained).union(lost).union(adopted)
    }
}

extension Metadata {
    /// The scopes that a replica was given, and has not given back; none of what another user got under
    /// its name.
    func given(to replica: String, of subject: String?) throws -> [Scope: GivenScope] {
        let rows = try connection.run(
            "SELECT scope, since, lost_at, subject FROM moorage_given WHERE replica = ?",
            [.text(replica)])
        var given: [Scope: GivenScope] = [:]
        for row in rows where row[3] == subject.map(Value.text) ?? .null {
            guard case .text(let scope) = row[0], case .text(let since) = row[1] else { continue }
            var lostAt: Mark?
            if case .text(let mark) = row[2] { lostAt = Mark(mark) }
            given[Scope(scope)] = GivenScope(since: Mark(since), lostAt: lostAt)
        }
        return given
    }

    /// Scopes that another replica of the user's was given: a file that took a new name, because it was
    /// restored or copied, holds what it got under the old one.
    func given(among scopes: Set<Scope>, toReplicasOf subject: String) throws
        -> [Scope: GivenScope]
    {
        // All of the user's at once: a cursor may name as many scopes as a body has room for.
        let rows = try connection.run(
            "SELECT scope, since FROM moorage_given WHERE subject = ?", [.text(subject)])
        var oldest: [Scope: Mark] = [:]
        for row in rows {
            guard case .text(let name) = row[0], case .text(let since) = row[1] else { continue }
            let (scope, mark) = (Scope(name), Mark(since))
            guard scopes.contains(scope) else { continue }
            let isOlder = try oldest[scope].map { try connection.covers($0, mark) } ?? true
            if isOlder { oldest[scope] = mark }
        }
        return oldest.mapValues { GivenScope(since: $0, lostAt: nil) }
    }

    /// Forgets all of it: marks of a history that ended mean nothing, and every replica begins anew.
    func forgetGivenScopes() throws { _ = try connection.run("DELETE FROM moorage_given", []) }

    /// Notes it before anything of it is sent. Inside a write transaction.
    ///
    /// - Parameter mark: The hub's state now.
    func note(
        _ giving: Giving, to replica: String, of subject: String?, at mark: Mark
    ) throws -> [Scope: GivenScope] {
        var given = giving.known
        for scope in giving.new { given[scope] = GivenScope(since: mark, lostAt: nil) }
        for scope in giving.over { given[scope] = nil }
        for scope in giving.regained {
            given[scope] = given[scope].map { GivenScope(since: $0.since, lostAt: nil) }
        }
        for scope in giving.lost {
            // That it is lost; of which state a file may hold rows is said by its own cursor.
            given[scope] = given[scope].map { GivenScope(since: $0.since, lostAt: mark) }
        }
        for scope in giving.changed.sorted() {
            _ = try connection.run(
                "DELETE FROM moorage_given WHERE replica = ? AND scope = ?",
                [.text(replica), .text(scope.name)])
            guard let now = given[scope] else { continue }
            do {
                _ = try connection.run(
                    """
                    INSERT INTO moorage_given (replica, scope, subject, since, lost_at)
                    VALUES (?, ?, ?, ?, ?)
                    """,
                    [
                        .text(replica), .text(scope.name), subject.map(Value.text) ?? .null,
                        .text(now.since.text), now.lostAt.map { .text($0.text) } ?? .null,
                    ])
            } catch let error as CentralError {
                guard case .refused = error.kind else { throw error }
                throw CentralError(
                    .conflict, "another exchange of the replica was given it just now")
            }
        }
        return given
    }
}
