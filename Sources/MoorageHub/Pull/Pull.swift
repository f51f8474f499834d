import MoorageCore
import MoorageWire

/// Reads one page for a replica (docs/reference/hub.md, Pull). Synchronous, in one snapshot,
/// without state between pages.
struct Pull {
    let connection: any CentralConnection
    let epoch: Epoch
    /// The replica's tables, in foreign-key order.
    let tables: [RequestedTable]
    /// All names of suspended tables. Nothing is read of them until they are attached again.
    let suspended: Set<Identifier>
    /// The signatures of the tables that are not suspended, by the replica's own names. The empty
    /// name has the schema's version: a scan starts again when the order of the tables may have
    /// changed.
    /// version: a scan starts again when the order of the tables may have changed.
    let signatures: [Identifier: String]
    let scopes: ReplicaScopes
    /// Signs the cursors; `nil` where no table has scopes.
    let signer: CursorSigner?
    let limits: PageLimits
    /// Whether to withhold rows of the pushed batch on which the database fails. Otherwise the page
    /// fails.
    var isCareful = false

    /// - Parameters:
    ///   - cursor: What the replica knows.
    ///   - answered: The changes just pushed. Their rows are part of the page, whatever their
    ///     version.
    func page(after cursor: SyncCursor, answering answered: [Change]) throws -> Page {
        let snapshot = try connection.openSnapshot()
        defer { connection.rollback() }
        return try page(of: snapshot, after: cursor, answering: answered)
    }

    /// The same in a snapshot that is open, and stays open.
    func page(
        of snapshot: SnapshotState, after cursor: SyncCursor, answering answered: [Change]
    ) throws -> Page {
        // The page cannot send what this snapshot has forgotten: a purge may have run since the
        // welcome.
        if try cursor.isBehind(snapshot.horizon, connection) {
            throw HubError.cursorExpiredMeanwhile
        }
        let checkpoint = snapshot.checkpoint
        let plan = plan(after: cursor)
        let answers = try readAnswers(
            answered,
            // A scan reads them once, when it begins. The cursor names them until a page has caught
            // up.
            ahead: plan.scan == nil ? cursor.ahead : [])
        if plan.scan == nil,
            let page = try caughtUpPage(
                plan, cursor: cursor, checkpoint: checkpoint, answers: answers)
        {
            return page
        }
        return try scanPage(plan, cursor: cursor, now: checkpoint, answers: answers)
    }

    /// The page for a replica whose cursor is at the database's checkpoint. It reads nothing.
    ///
    /// - Parameter checkpoint: The database's checkpoint, of a state that shows no write of this
    ///   exchange.
    /// - Returns: `nil` where something has to be read.
    func pageOfNothing(after cursor: SyncCursor, at checkpoint: Checkpoint) -> Page? {
        guard cursor.checkpoint == checkpoint, cursor.ahead.isEmpty, cursor.scan == nil,
            cursor.brokenOff == nil
        else { return nil }
        let plan = plan(after: cursor)
        let isAtRest = running.allSatisfy { table in
            plan.scopes.allSatisfy {
                plan.reading(of: Identifier(table.name), in: $0) == .beyond(checkpoint)
            }
        }
        guard isAtRest else { return nil }
        return PageContent().page(
            since: cursor,
            cursor: signed(plan.caughtUp(at: checkpoint, epoch: epoch, ahead: []), at: checkpoint),
            isCaughtUp: true, tables: tables)
    }

    private func plan(after cursor: SyncCursor) -> PullPlan {
        PullPlan(
            cursor: cursor, authorized: scopes.authorized, grants: scopes.grants,
            priorities: scopes.priorities, tables: signatures)
    }

    /// The tables that are not suspended.
    private var running: some Sequence<RequestedTable> {
        tables.lazy.filter { !suspended.contains(Identifier($0.name)) }
    }

    // MARK: Everything at once

    /// The page that brings everything beyond the cursor; `nil` when it does not fit.
    private func caughtUpPage(
        _ plan: PullPlan, cursor: SyncCursor, checkpoint: Checkpoint, answers: PageContent
    ) throws -> Page? {
        var content = answers
        var ahead: Set<RowName> = []
        var count = 0
        for table in running {
            for scope in plan.scopes {
                var reading = try ScopeReading(
                    of: table, in: scope, isAuthorized: scopes.authorized.contains(scope),
                    query(plan.reading(of: Identifier(table.name), in: scope), within: nil)
                )
                while let part = try reading.next(
                    content.nextCount(
                        of: reading, limits, most: limits.maximumRows - count + 1),
                    on: connection)
                {
                    count += part.count
                    if count > limits.maximumRows { return nil }
                    let added = try content.add(part, part.count, reading, plan, self, cursor)
                    if added < part.count { return nil }
                    for (row, version) in part.versions.enumerated() where version == nil {
                        ahead.insert(
                            RowName(
                                table: table.name, key: reading.key(of: row, in: part)))
                    }
                }
                if reading.isPartial { return nil }
            }
        }
        // Nothing was read of suspended tables, so the cursor goes on naming their rows.
        let standing = cursor.ahead.filter { suspended.contains(Identifier($0.table)) }
        let next = plan.caughtUp(
            at: checkpoint, epoch: epoch,
            ahead: content.visible(among: ahead).union(standing).union(content.unread))
        return content.page(
            since: cursor, cursor: signed(next, at: checkpoint), isCaughtUp: true, tables: tables)
    }

    // MARK: A scan

    private func scanPage(
        _ plan: PullPlan, cursor: SyncCursor, now: Checkpoint, answers: PageContent
    ) throws -> Page {
        let upperBound = plan.scan?.upperBound ?? now
        var position = plan.scan?.position
        let expected = plan.scan == nil ? try expectedTables(plan, upperBound: upperBound) : nil
        var content = answers
        var newcomers: Set<RowName> = []
        var rest = limits.maximumRows
        for place in places(plan) {
            let reached = position.map { ScanPlace(of: $0, in: plan) }
            // The scan left off behind this.
            if let reached, place < reached { continue }
            let (table, scope) = (tables[place.table], place.scope)
            var reading = try ScopeReading(
                of: table, in: scope, isAuthorized: scopes.authorized.contains(scope),
                query(
                    plan.reading(of: Identifier(table.name), in: scope),
                    within: upperBound),
                after: place == reached ? position?.tracking : nil)
            while let part = try reading.next(
                content.nextCount(of: reading, limits, most: rest + 1), on: connection)
            {
                let read = try content.add(
                    part, min(part.count, rest), reading, plan, self, cursor)
                if read > 0 {
                    let last = reading.position(of: read - 1, in: part)
                    position = ScanPosition(
                        table: place.table, scope: scope, version: last.version, key: last.key)
                }
                newcomers.formUnion(
                    try content.newcomers(
                        among: (0..<read).filter {
                            !part.isLive[$0] || !scopes.authorized.contains(scope)
                        }.map { reading.key(of: $0, in: part) },
                        of: table, pull: self, beyond: upperBound))
                rest -= read
                if read < part.count {
                    return scannedPage(
                        plan, cursor, now, upperBound, position, content, newcomers, expected)
                }
            }
        }
        return scannedPage(plan, cursor, now, upperBound, nil, content, newcomers, expected)
    }

    /// What a scan reads, in its order.
    private func places(_ plan: PullPlan) -> some Sequence<ScanPlace> {
        let running = tables.indices.filter {
            !suspended.contains(Identifier(tables[$0].name))
        }
        return plan.passes.enumerated().lazy.flatMap { pass, scopes in
            running.lazy.flatMap { table in
                scopes.lazy.map { ScanPlace(pass: pass, table: table, scope: $0) }
            }
        }
    }

    private func scannedPage(
        _ plan: PullPlan, _ cursor: SyncCursor, _ now: Checkpoint, _ upperBound: Checkpoint,
        _ position: ScanPosition?,
        _ content: PageContent, _ newcomers: Set<RowName>, _ expected: [ExpectedTable]?
    ) -> Page {
        let next = plan.scanned(
            upTo: upperBound, to: position, epoch: epoch, highWater: now,
            answered: content.visible(among: content.answered).union(newcomers)
                .union(content.unread))
        return content.page(
            since: cursor, cursor: signed(next, at: now), isCaughtUp: false, tables: tables,
            expected: expected)
    }

    /// The tables of which the scan brings rows.
    private func expectedTables(
        _ plan: PullPlan, upperBound: Checkpoint
    ) throws -> [ExpectedTable] {
        try running.compactMap { table in
            let rows = try plan.scopes.reduce(0) { sum, scope in
                let reading = plan.reading(of: Identifier(table.name), in: scope)
                return try sum
                    + connection.countTracked(
                        table.attached, in: scope, query(reading, within: upperBound))
            }
            return rows == 0 ? nil : ExpectedTable(table: table.name, rows: rows)
        }
    }

    // MARK: Both

    private func signed(_ cursor: SyncCursor, at checkpoint: Checkpoint) -> SyncCursor {
        signer?.signed(cursor, at: checkpoint, lost: scopes.lost) ?? cursor
    }

    private func query(_ reading: PullPlan.Reading, within upperBound: Checkpoint?) -> TrackingQuery
    {
        switch reading {
        case .beyond(let checkpoint): .beyond(since: checkpoint, within: upperBound)
        case .fromNothing(let copiedAt): .fromNothing(copiedAt: copiedAt, within: upperBound)
        case .revoke(let goneAfter, let lostAt): .revoke(goneAfter: goneAfter, lostAt: lostAt)
        }
    }

    /// The rows of the pushed batch, as this snapshot shows them, and those sent ahead that are
    /// gone. No query reads the tracking row of a row that went before it had a number.
    private func readAnswers(_ changes: [Change], ahead: Set<RowName>) throws -> PageContent {
        var content = PageContent()
        for table in running {
            let own = changes.filter { table.isKnown(as: $0.table) }
            let sent = ahead.filter { table.isKnown(as: $0.table) }.map(\.key)
            if own.isEmpty && sent.isEmpty { continue }
            // The hub does not know what a device has in a column that it does not send.
            let hasOwnColumns = table.restricted.columns.contains(where: \.isGenerated)
            var pushed: [RowKey: [Value]] = [:]
            var keys = try gone(sent, of: table)
            for change in own {
                let key = table.attached.description.key(change.key.values)
                keys.append(key)
                if case .insert(let row) = change.operation, !hasOwnColumns { pushed[key] = row }
            }
            content.answered.formUnion(keys.map { RowName(table: table.name, key: $0) })
            try content.answer(keys, of: table, pull: self, alreadyHeld: pushed)
        }
        for table in tables where suspended.contains(Identifier(table.name)) {
            for change in changes where table.isKnown(as: change.table) {
                let key = table.attached.description.key(change.key.values)
                content.unread.insert(RowName(table: table.name, key: key))
            }
        }
        content.beginBudget()
        return content
    }

    private func gone(_ keys: [RowKey], of table: RequestedTable) throws -> [RowKey] {
        if keys.isEmpty { return [] }
        let tracked = try connection.tracked(table.attached, keys: keys, in: scopes.authorized)
        // A set has another order in each process, but the same history must give the same page.
        let gone = keys.filter { tracked[$0] != true }.map { key in
            var order = Fingerprint()
            for value in key.values { order.add(value) }
            return (key: key, order: order.hex)
        }
        return gone.sorted { $0.order < $1.order }.map(\.key)
    }
}

/// How far a scan is: pass, table, scope.
private struct ScanPlace: Comparable {
    let pass: Int
    let table: Int
    let scope: Scope

    static func < (left: ScanPlace, right: ScanPlace) -> Bool {
        (left.pass, left.table, left.scope) < (right.pass, right.table, right.scope)
    }
}

extension ScanPlace {
    init(of position: ScanPosition, in plan: PullPlan) {
        self.init(
            pass: plan.pass(of: position.scope), table: position.table, scope: position.scope)
    }
}

extension ScanPosition {
    fileprivate var tracking: TrackingPosition { TrackingPosition(version: version, key: key) }
}
