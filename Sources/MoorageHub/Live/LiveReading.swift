import MoorageCore
import MoorageWire

/// Streams that get the same pages.
struct LiveGroup: Hashable, Sendable {
    let view: LiveView
    let cursor: SyncCursor
    /// Whether the page before said that it had caught up. If not, another page has to say so, even
    /// an empty one.
    let isCaughtUp: Bool

    static func == (left: LiveGroup, right: LiveGroup) -> Bool {
        left.view === right.view && left.isCaughtUp == right.isCaughtUp
            && left.cursor == right.cursor
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(view))
        hasher.combine(cursor.checkpoint)
    }
}

/// Reads what has come for streams. Synchronous, and in one snapshot, so that all streams have the
/// same checkpoint afterwards and go on together.
struct LiveReading: Sendable {
    struct Asked: Sendable {
        let group: LiveGroup
        /// Whether it has not read all of the state that was polled last.
        let isBehind: Bool
    }

    enum Answer: Sendable {
        case nothing
        case page(Page)
        /// There was no time to read for it.
        case later
        /// It needs an exchange of its own.
        case over
    }

    struct Found: Sendable {
        let changeToken: String
        let checkpoint: Checkpoint
        /// One answer for each group that was asked for.
        let answers: [Answer]
        let pagesRead: Int
        /// The readers of changes that were asked for, and whether there may be one for them.
        var readers: [Int: Bool] = [:]
    }

    let states: HubStateReader
    let configuration: HubConfiguration
    /// The state that was polled last.
    let changeToken: String?
    let checkpoint: Checkpoint?
    /// The group that has been behind for longest comes first.
    let asked: [Asked]
    /// Those who read changes, and wait for them.
    var readers: [Int: LiveInterest] = [:]

    /// Others want the connection, and the snapshot must not grow old. The next poll reads what is
    /// left.
    private static let time = Duration.milliseconds(100)
    /// Up to this many groups are read without asking first in which scopes anything changed.
    static let readUnpolled = 4

    /// - Parameter state: The hub as it was read right before; `nil` to read it here.
    func read(on connection: any CentralConnection, knowing state: HubState? = nil) throws -> Found
    {
        let state = try state ?? states.state(connection)
        try connection.numberChanges()
        if configuration.scopes.rules.isEmpty { return try readSnapshot(connection, state) }
        return try connection.withMovesResolved { try readSnapshot(connection, state) }
    }

    private func readSnapshot(
        _ connection: any CentralConnection, _ state: HubState
    ) throws -> Found {
        let end = ContinuousClock.now + Self.time
        let snapshot = try connection.openSnapshot()
        defer { connection.rollback() }
        let isChanged = changeToken.map { !$0.hasSameBytes(as: snapshot.changeToken) } ?? true
        let affected = try isChanged ? affected(connection, state) : []
        let interested = try isChanged ? interested(connection, state) : []
        var pagesRead = 0
        var hasFailed = false
        let answers = try asked.enumerated().map { index, asked -> Answer in
            guard asked.group.view.isCurrent(state) else { return .over }
            guard asked.isBehind || affected.contains(index) else { return .nothing }
            if hasFailed || (pagesRead > 0 && .now > end) { return .later }
            pagesRead += 1
            do {
                return try read(asked.group, of: snapshot, connection, state)
            } catch let error as CentralError where error.kind != .unavailable {
                // The snapshot may be unusable now. An exchange of its own tells this group's
                // replicas why, and the next poll reads for the others.
                hasFailed = true
                return .over
            }
        }
        return Found(
            changeToken: snapshot.changeToken, checkpoint: snapshot.checkpoint, answers: answers,
            pagesRead: pagesRead,
            readers: Dictionary(
                uniqueKeysWithValues: readers.keys.map { ($0, interested.contains($0)) }))
    }

    private func read(
        _ group: LiveGroup, of snapshot: SnapshotState, _ connection: any CentralConnection,
        _ state: HubState
    ) throws -> Answer {
        let principal = group.view.name.signedFor.map { Principal(subject: $0) }
        let signer = CursorSigner(state.facts, of: principal, settings: configuration.scopes)
        do {
            let page = try group.view.pull(on: connection, state, signer: signer)
                .page(of: snapshot, after: group.cursor, answering: [])
            return page.isEmpty && group.isCaughtUp ? .nothing : .page(page)
        } catch is HubError {
            // Its cursor is too old: an exchange says what to do.
            return .over
        }
    }

    /// Which of the groups that were not behind have changes beyond the checkpoint that was polled
    /// last.
    private func affected(
        _ connection: any CentralConnection, _ state: HubState
    ) throws -> Set<Int> {
        let all = asked.indices.filter {
            !asked[$0].isBehind && asked[$0].group.view.isCurrent(state)
        }
        guard let checkpoint, all.count > Self.readUnpolled else { return Set(all) }
        var tables: [Int: AttachedTable] = [:]
        var authorized: Set<Scope> = []
        for index in all {
            let view = asked[index].group.view
            authorized.formUnion(view.name.authorized)
            for table in view.tables { tables[table.attached.number] = table.attached }
        }
        var changed: [Int: Set<Scope>] = [:]
        for (number, table) in tables where state.attached.suspended[Identifier(table.name)] == nil
        {
            let scopes = try connection.changedScopes(table, among: authorized, beyond: checkpoint)
            if !scopes.isEmpty { changed[number] = scopes }
        }
        return Set(
            all.filter { index in
                let view = asked[index].group.view
                return view.tables.contains {
                    changed[$0.attached.number]?.isDisjoint(with: view.name.authorized) == false
                }
            })
    }
}

extension LiveReading {
    /// Which readers of changes may have one beyond the checkpoint that was polled last. One lookup
    /// for each scope of all of them together.
    private func interested(
        _ connection: any CentralConnection, _ state: HubState
    ) throws -> Set<Int> {
        let current = readers.filter { $0.value.isCurrent(state) }
        guard let checkpoint else { return Set(readers.keys) }
        var asked: [Int: (table: AttachedTable, scopes: Set<Scope>)] = [:]
        for (table, scopes) in current.values.flatMap(\.tables) {
            asked[table.number, default: (table, [])].scopes.formUnion(scopes)
        }
        let changed = try asked.mapValues { table, scopes in
            try connection.changedScopes(table, among: scopes, beyond: checkpoint)
        }
        let others = Set(readers.keys).subtracting(current.keys)
        return others.union(
            current.filter { _, interest in
                interest.tables.contains { table, scopes in
                    let changed = changed[table.number] ?? []
                    return !changed.isEmpty && scopes.contains(where: changed.contains)
                }
            }.keys)
    }
}

extension Page {
    /// Whether the page would only say that there is nothing new.
    fileprivate var isEmpty: Bool {
        isCaughtUp && tables.isEmpty && removals.isEmpty && withheld.isEmpty
    }
}
