/// What a pull has to read, decided from the cursor, the scopes the replica holds now and its
/// tables. Pure.
public struct PullPlan: Hashable, Sendable {
    /// How one table is read in one scope.
    public enum Reading: Hashable, Sendable {
        /// Everything that changed beyond the checkpoint.
        case beyond(Checkpoint)
        /// Read from nothing: live rows by key. With a checkpoint, the replica may hold rows of it, from
        /// another shape of the table or from a scan that was broken off, and hears of rows that
        /// went beyond that checkpoint too.
        case fromNothing(copiedAt: Checkpoint?)
        /// A scope that is lost, or was read in part and is not held now: every row by key that the
        /// replica may hold, to be taken back.
        ///
        /// - Parameters:
        ///   - goneAfter: Of rows that are gone, only those that went beyond this checkpoint.
        ///   - lostAt: The replica holds what had come into the scope by this checkpoint; without it anything.
        case revoke(goneAfter: Checkpoint?, lostAt: Checkpoint?)
    }

    /// The scopes to visit, in order: those held now, and those lost.
    public let scopes: [Scope]
    /// The scopes held now.
    public let authorized: Set<Scope>
    /// The tables with their signatures now.
    public let tables: [Identifier: String]
    /// The scan to continue; `nil` when there is none, or it scanned other scopes or tables.
    public let scan: Scan?
    private let cursor: SyncCursor
    private let grants: [Scope: ScopeGrant]?
    private let unverified: Set<Scope>
    private let lost: Set<Scope>
    /// As in the cursor, with the scan that is broken off now.
    private let brokenOff: Checkpoint?

    /// - Parameters:
    ///   - authorized: The scopes that the user may see now.
    ///   - grants: Scopes that the replica was granted before. It hears of no other one, whatever its
    ///     cursor says. `nil` where a cursor is believed.
    ///   - unverified: Scopes that cannot be complete at the cursor's checkpoint, whatever it says.
    public init(
        cursor: SyncCursor, authorized: Set<Scope>, grants: [Scope: ScopeGrant]? = nil,
        unverified: Set<Scope> = [], tables: [Identifier: String]
    ) {
        self.cursor = cursor
        self.authorized = authorized
        self.grants = grants
        self.unverified = unverified
        self.tables = tables
        let named = cursor.complete.union(cursor.partial)
        lost = named.filter { grants == nil || grants?[$0] != nil }.subtracting(authorized)
        scopes = authorized.union(lost).sorted()
        scan = cursor.scan.flatMap {
            $0.scopes == authorized && $0.tables == tables ? $0 : nil
        }
        brokenOff = cursor.brokenOff ?? (scan == nil ? cursor.scan?.upperBound : nil)
    }

    public func reading(of table: Identifier, in scope: Scope) -> Reading {
        let known = grants?[scope]
        if lost.contains(scope) {
            return .revoke(goneAfter: known?.since, lostAt: known?.lostAt)
        }
        // It may hold rows that went while the scope was taken back, or read for the first time.
        if isBegun(scope), let known { return .fromNothing(copiedAt: known.since) }
        if isNew(scope) { return .fromNothing(copiedAt: nil) }
        guard let checkpoint = cursor.checkpoint, cursor.complete.contains(scope),
            let signature = cursor.tables[table]
        else { return .fromNothing(copiedAt: brokenOff) }
        return signature == tables[table]
            ? .beyond(checkpoint) : .fromNothing(copiedAt: checkpoint)
    }

    /// Whether the replica may hold rows of the scope that no checkpoint accounts for: a scan that was broken
    /// off brought rows that came after the checkpoint.
    ///
    /// Of a scope that is lost the reading itself tells, where the hub knows when.
    public func isPartial(_ scope: Scope) -> Bool {
        if lost.contains(scope) { return grants == nil }
        return isBegun(scope) || brokenOff != nil && !isNew(scope)
    }

    /// Some of the scope may be on the replica.
    private func isBegun(_ scope: Scope) -> Bool {
        cursor.partial.contains(scope) || unverified.contains(scope)
    }

    /// Nothing of the scope is on the replica: it was given after the cursor was made.
    private func isNew(_ scope: Scope) -> Bool {
        grants?[scope] != nil && !isBegun(scope) && !cursor.complete.contains(scope)
    }

    /// The cursor after a page that brought everything, read at `checkpoint`.
    public func caughtUp(at checkpoint: Checkpoint, epoch: Epoch, ahead: Set<RowName>) -> SyncCursor
    {
        SyncCursor(
            epoch: epoch, checkpoint: checkpoint, complete: authorized, tables: tables, ahead: ahead
        )
    }

    /// The cursor after one page of a scan towards `upperBound`; with no position the scan has ended.
    ///
    /// - Parameters:
    ///   - state: The state that the page was read in: the upper bound, or a later one.
    ///   - answered: Rows of the pushed batch that the page brought, whatever their version.
    public func scanned(
        upTo upperBound: Checkpoint, to position: ScanPosition?, epoch: Epoch,
        highWater state: Checkpoint,
        answered: Set<RowName>
    ) -> SyncCursor {
        let highWater = state == upperBound ? nil : state
        // What was sent ahead stays named until a page catches up: the upper bound may lie before it.
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
