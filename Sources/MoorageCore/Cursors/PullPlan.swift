/// What a pull has to read: a pure function of the cursor, the scopes and the tables.
package struct PullPlan: Hashable, Sendable {
    /// How one table is read in one scope.
    package enum Reading: Hashable, Sendable {
        /// Everything that changed beyond the checkpoint.
        case beyond(Checkpoint)
        /// Live rows by key, from the beginning. With a checkpoint, the replica may have rows from
        /// another shape of the table or from a scan that was broken off. The reading then also
        /// brings rows that were removed beyond that checkpoint.
        case fromNothing(copiedAt: Checkpoint?)
        /// A scope that is lost, or that was read in part and is not authorized now. The reading
        /// brings every row, by key, that the replica may have, so that the row is revoked.
        ///
        /// - Parameters:
        ///   - goneAfter: The reading brings a removed row only if it was removed beyond this
        ///     checkpoint.
        ///   - lostAt: The replica has only rows that came into the scope by this checkpoint.
        ///     Without it the replica may have any row.
        case revoke(goneAfter: Checkpoint?, lostAt: Checkpoint?)
    }

    /// The scopes to visit, in order: those authorized now, and those lost.
    package let scopes: [Scope]
    /// The scopes that the replica gets now.
    package let authorized: Set<Scope>
    /// The tables, each with its signature now.
    package let tables: [Identifier: String]
    /// The scan to continue; `nil` when there is no scan, or it covered other scopes or tables.
    package let scan: Scan?
    private let cursor: SyncCursor
    private let grants: [Scope: ScopeGrant]?
    private let lost: Set<Scope>
    private let priorities: [Scope: ScopePriority]
    /// ``SyncCursor/brokenOff``, or the upper bound of the scan that is broken off now.
    private let brokenOff: Checkpoint?

    /// - Parameters:
    ///   - authorized: The scopes that the replica gets now.
    ///   - grants: Scopes that the replica was granted before. The pull reads no other lost scope,
    ///     whatever the cursor says. `nil` where the hub trusts the cursor.
    ///   - priorities: Scopes that are not of normal priority.
    package init(
        cursor: SyncCursor, authorized: Set<Scope>, grants: [Scope: ScopeGrant]? = nil,
        priorities: [Scope: ScopePriority] = [:], tables: [Identifier: String]
    ) {
        self.cursor = cursor
        self.authorized = authorized
        self.grants = grants
        self.tables = tables
        let named = cursor.complete.union(cursor.partial)
        lost = named.filter { grants == nil || grants?[$0] != nil }.subtracting(authorized)
        scopes = authorized.union(lost).sorted()
        self.priorities = priorities
        scan = cursor.scan.flatMap {
            $0.scopes == authorized && $0.tables == tables ? $0 : nil
        }
        brokenOff = cursor.brokenOff ?? (scan == nil ? cursor.scan?.upperBound : nil)
    }

    /// The scopes in the order of a scan: it reads all tables in the scopes of one pass before it
    /// goes on to the next.
    package var passes: [[Scope]] {
        ScopePriority.allCases.map { priority in
            scopes.filter { pass(of: $0) == priority.pass }
        }
    }

    /// The pass in which a scan reads a scope.
    package func pass(of scope: Scope) -> Int { (priorities[scope] ?? .normal).pass }

    package func reading(of table: Identifier, in scope: Scope) -> Reading {
        let known = grants?[scope]
        if lost.contains(scope) {
            return .revoke(goneAfter: known?.since, lostAt: known?.lostAt)
        }
        // The replica may have rows that were removed while the scope was revoked, or read for the
        // first time.
        if cursor.partial.contains(scope), let known { return .fromNothing(copiedAt: known.since) }
        if isNew(scope) { return .fromNothing(copiedAt: nil) }
        guard let checkpoint = cursor.checkpoint, cursor.complete.contains(scope),
            let signature = cursor.tables[table]
        else { return .fromNothing(copiedAt: brokenOff) }
        return signature == tables[table]
            ? .beyond(checkpoint) : .fromNothing(copiedAt: checkpoint)
    }

    /// Whether the replica may have rows of the scope that no checkpoint accounts for. A scan that
    /// was broken off brought rows that came after the checkpoint.
    ///
    /// Where the hub has grants, a lost scope is never partial: its reading selects the rows by
    /// checkpoint.
    package func isPartial(_ scope: Scope) -> Bool {
        if lost.contains(scope) { return grants == nil }
        return cursor.partial.contains(scope) || brokenOff != nil && !isNew(scope)
    }

    /// Whether the replica has nothing of the scope, because it was granted after the cursor was
    /// made.
    private func isNew(_ scope: Scope) -> Bool {
        grants?[scope] != nil && !cursor.partial.contains(scope)
            && !cursor.complete.contains(scope)
    }

    /// The cursor after a page that brought everything, read at `checkpoint`.
    package func caughtUp(at checkpoint: Checkpoint, epoch: Epoch, ahead: Set<RowName>)
        -> SyncCursor
    {
        SyncCursor(
            epoch: epoch, checkpoint: checkpoint, complete: authorized, tables: tables, ahead: ahead
        )
    }

    /// The cursor after one page of a scan towards `upperBound`. Without a position the scan has
    /// ended.
    ///
    /// - Parameters:
    ///   - state: The checkpoint at which the page was read: the upper bound, or a later one.
    ///   - answered: Rows of the pushed batch that the page brought, whatever their version.
    package func scanned(
        upTo upperBound: Checkpoint, to position: ScanPosition?, epoch: Epoch,
        highWater state: Checkpoint,
        answered: Set<RowName>
    ) -> SyncCursor {
        let highWater = state == upperBound ? nil : state
        // A row that was sent ahead stays named until a page catches up: it may lie beyond the
        // upper bound.
        let ahead = cursor.ahead.union(answered)
        guard let position else {
            return SyncCursor(
                epoch: epoch, checkpoint: upperBound, complete: authorized, tables: tables,
                highWater: highWater,
                ahead: ahead)
        }
        return SyncCursor(
            epoch: epoch, checkpoint: cursor.checkpoint,
            complete: cursor.complete.subtracting(lost),
            partial: cursor.partial.intersection(scopes).union(
                authorized.subtracting(cursor.complete)
            )
            .union(lost),
            tables: cursor.tables,
            scan: Scan(
                upperBound: upperBound, scopes: authorized, tables: tables, position: position),
            brokenOff: brokenOff, highWater: highWater, ahead: ahead)
    }
}
