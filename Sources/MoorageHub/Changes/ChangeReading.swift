import MoorageCore
import MoorageWire

/// Reads one page of changes for a program (docs/reference/changes.md). Synchronous, in one
/// snapshot, without state between pages.
struct ChangeReading {
    let connection: any CentralConnection
    let states: HubStateReader
    let configuration: HubConfiguration
    let principal: Principal?
    let request: ChangeRequest

    /// - Throws: ``RowProblem`` `expired` for a position from which nobody can read on, and what the
    ///   request throws for its tables.
    func page() throws -> ChangePage {
        let state = try states.state(connection)
        let settings = configuration.scopes
        let schema = RowSchema(state.attached, UserRights(configuration, of: principal))
        let tables = try inOrder(request.tables(schema), of: schema)
        let hasScopes = tables.contains { settings.rules[$0.name] != nil }
        let visible =
            hasScopes
            ? try VisibleScopesReader(connection: connection, settings: settings)
                .read(for: principal).all : [.everything]
        let feed = ChangeFeed(
            of: tables, settings, visible: visible, facts: state.facts, principal: principal)
        var position: ChangePosition?
        if case .after(let text) = request.start {
            // The next exchange begins another epoch.
            guard state.identity == state.facts.identity else { throw RowProblem.expired }
            position = try feed.position(text)
        }
        if let position, let page = try pageOfNothing(feed, at: position, state) { return page }
        try connection.numberChanges()
        guard !settings.rules.isEmpty else {
            return try connection.numbered { try page(of: feed, after: position, state) }
        }
        return try connection.withMovesResolved { try page(of: feed, after: position, state) }
    }

    /// - Throws: ``RowProblem`` for a table that is suspended.
    private func inOrder(_ tables: [RowTable], of schema: RowSchema) throws -> [RowTable] {
        let numbers = Set(tables.map(\.attached.number))
        return try schema.tables.filter { numbers.contains($0.attached.number) }
            .map { try schema.table(named: $0.name) }
    }

    /// The page for a position that is the database's checkpoint. It reads nothing.
    private func pageOfNothing(
        _ feed: ChangeFeed, at position: ChangePosition, _ state: HubState
    ) throws -> ChangePage? {
        guard let checkpoint = state.checkpoint, position == .caughtUp(checkpoint) else {
            return nil
        }
        return try page([], feed, next: position, hasMore: false, state)
    }

    private func page(
        of feed: ChangeFeed, after position: ChangePosition?, _ state: HubState
    ) throws -> ChangePage {
        let snapshot = try connection.openSnapshot()
        defer { connection.rollback() }
        let now = snapshot.checkpoint
        if case .now = request.start {
            return try page([], feed, next: .caughtUp(now), hasMore: false, state)
        }
        if let position { try check(position, at: snapshot.horizon, state) }
        let bound = position?.bound ?? now
        var candidates = ChangeCandidates(feed, on: connection, limit: max(1, request.limit))
        if let since = position?.since {
            try candidates.readChanges(since: since, within: bound, after: position?.place)
        } else {
            try candidates.readRows(within: bound, after: position?.place)
        }
        let (changes, end) = try ChangeContent(
            feed: feed, connection: connection, since: position?.since, bound: bound,
            mostBytes: request.maximumBytes
        ).changes(of: candidates.found)
        guard let place = end ?? candidates.place else {
            return try page(changes, feed, next: .caughtUp(bound), hasMore: bound != now, state)
        }
        let next = ChangePosition(since: position?.since, bound: bound, place: place)
        return try page(changes, feed, next: next, hasMore: true, state)
    }

    /// - Throws: ``RowProblem`` `expired` where deletes were forgotten that the program would need,
    ///   or the history went back.
    private func check(
        _ position: ChangePosition, at horizon: Checkpoint?, _ state: HubState
    ) throws {
        let cursor = SyncCursor(
            epoch: state.facts.epoch, checkpoint: position.since, brokenOff: position.bound)
        guard try !cursor.isBehind(horizon, connection),
            try !cursor.isOfLostHistory(state.facts, connection)
        else { throw RowProblem.expired }
    }

    private func page(
        _ changes: [RowChange], _ feed: ChangeFeed, next: ChangePosition, hasMore: Bool,
        _ state: HubState
    ) throws -> ChangePage {
        ChangePage(
            changes: changes, next: try feed.text(of: next), hasMore: hasMore,
            interest: LiveInterest(feed, state))
    }
}
