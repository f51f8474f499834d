import MoorageCore
import MoorageWire

/// Streams that get the same pages.
struct LiveGroup: Hashable, Sendable {
    let view: LiveView
    let cursor: SyncCursor
    /// Whether the page before said so: else one must come that does, if only to say it.
    let isCaughtUp: Bool

    static func == (left: LiveGroup, right: LiveGroup) -> Bool {
        left.view === right.view && left.isCaughtUp == right.isCaughtUp
            && left.cursor == right.cursor
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(view))
        hasher.combine(cursor.mark)
    }
}

/// Reads what has come for streams: synchronous, in one snapshot, so that all of them stand at one mark
/// afterwards and go on together.
struct LiveReading: Sendable {
    struct Asked: Sendable {
        let group: LiveGroup
        /// Whether it has not read all of the state that was looked at last.
        let isBehind: Bool
    }

    enum Answer: Sendable {
        case nothing
        case page(Page)
        /// There was no time for it.
        case later
        /// It needs an exchange of its own.
        case over
    }

    struct Found: Sendable {
        let sign: String
        let mark: Mark
        /// One for each that was asked for.
        let answers: [Answer]
        let pagesRead: Int
    }

    let states: HubStateReader
    let configuration: HubConfiguration
    /// The state that was looked at last.
    let sign: String?
    let mark: Mark?
    /// Who has waited longest comes first.
    let asked: [Asked]

    /// Others want the connection and the snapshot must not grow old: what is left then comes with the next.
    private static let time = Duration.milliseconds(100)
    /// Few groups are read as soon as they are looked at.
    static let readUnseen = 4

    /// - Parameter state: The hub as it was seen right before; without it, it is asked for.
    func read(on connection: any CentralConnection, knowing state: HubState? = nil) throws -> Found
    {
        let state = try state ?? states.state(connection)
        try connection.numberChanges()
        if configuration.scopes.rules.isEmpty { return try readSnapshot(connection, state) }
        return try connection.settled { try readSnapshot(connection, state) }
    }

    private func readSnapshot(
        _ connection: any CentralConnection, _ state: HubState
    ) throws -> Found {
        let end = ContinuousClock.now + Self.time
        let snapshot = try connection.openSnapshot()
        defer { connection.rollback() }
        let isChanged = sign.map { !$0.hasSameBytes(as: snapshot.sign) } ?? true
        let touched = try isChanged ? touched(connection, state) : []
        var pagesRead = 0
        var hasFailed = false
        let answers = try asked.enumerated().map { index, asked -> Answer in
            guard asked.group.view.isCurrent(state) else { return .over }
            guard asked.isBehind || touched.contains(index) else { return .nothing }
            if hasFailed || (pagesRead > 0 && .now > end) { return .later }
            pagesRead += 1
            do {
                return try read(asked.group, of: snapshot, connection, state)
            } catch let error as CentralError where error.kind != .unavailable {
                // The snapshot may be of no use any more. Its own exchange tells this one why, and the
                // others come with the next look.
                hasFailed = true
                return .over
            }
        }
        return Found(
            sign: snapshot.sign, mark: snapshot.mark, answers: answers, pagesRead: pagesRead)
    }

    private func read(
        _ group: LiveGroup, of snapshot: SnapshotBearings, _ connection: any CentralConnection,
        _ state: HubState
    ) throws -> Answer {
        let principal = group.view.name.sealed.map { Principal(subject: $0) }
        let seals = CursorSeals(state.facts, of: principal, settings: configuration.scopes)
        do {
            let page = try group.view.pull(on: connection, state, seals: seals)
                .page(of: snapshot, after: group.cursor, answering: [])
            return page.isEmpty && group.isCaughtUp ? .nothing : .page(page)
        } catch is HubError {
            // Its place grew too old: an exchange says what to do.
            return .over
        }
    }

    /// Which of those that were not behind have something beyond the mark that was looked at last.
    private func touched(
        _ connection: any CentralConnection, _ state: HubState
    ) throws -> Set<Int> {
        let all = asked.indices.filter {
            !asked[$0].isBehind && asked[$0].group.view.isCurrent(state)
        }
        guard let mark, all.count > Self.readUnseen else { return Set(all) }
        var tables: [Int: AttachedTable] = [:]
        var held: Set<Scope> = []
        for index in all {
            let view = asked[index].group.view
            held.formUnion(view.name.held)
            for table in view.tables { tables[table.attached.number] = table.attached }
        }
        var changed: [Int: Set<Scope>] = [:]
        for (number, table) in tables where state.attached.stopped[table.name] == nil {
            let scopes = try connection.changedScopes(table, among: held, beyond: mark)
            if !scopes.isEmpty { changed[number] = scopes }
        }
        return Set(
            all.filter { index in
                let view = asked[index].group.view
                return view.tables.contains {
                    changed[$0.attached.number]?.isDisjoint(with: view.name.held) == false
                }
            })
    }
}

extension Page {
    /// It would say only that there is nothing to say.
    fileprivate var isEmpty: Bool {
        isCaughtUp && tables.isEmpty && removals.isEmpty && withheld.isEmpty
    }
}
