/// What a pull has to read, decided from the cursor, the scopes the replica holds now and its
/// tables. Pure.
public struct PullPlan: Hashable, Sendable {
    /// How one table is read in one scope.
    public enum Reading: Hashable, Sendable {
        /// Everything that changed beyond the mark.
        case beyond(Mark)
        /// Read from nothing: live rows by key. With a mark, the replica may hold rows of it, from
        /// another shape of the table or from a walk that was broken off, and hears of rows that
        /// went beyond that mark too.
        case fromNothing(heldAt: Mark?)
        /// A scope that is lost, or was read in part and is not held now: every row by key that the
        /// replica may hold, to be taken back.
        ///
        /// - Parameters:
        ///   - goneAfter: Of rows that are gone, only those that went beyond this mark.
        ///   - lostAt: The replica holds what had come into the scope by this mark; without it anything.
        case takeBack(goneAfter: Mark?, lostAt: Mark?)
    }

    /// The scopes to visit, in order: those held now, and those lost.
    public let scopes: [Scope]
    /// The scopes held now.
    public let held: Set<Scope>
    /// The tables with their signatures now.
    public let tables: [String: String]
    /// The walk to continue; `nil` when there is none, or it walked other scopes or tables.
    public let walk: Walk?
    private let cursor: SyncCursor
    private let given: [Scope: GivenScope]?
    private let doubted: Set<Scope>
    private let lost: Set<Scope>
    /// As in the cursor, with the walk that is broken off now.
    private let brokenOff: Mark?

    /// - Parameters:
    ///   - given: Scopes that the replica was given before: of no other one does it hear anything,
    ///     whatever its cursor says. `nil` where a cursor is believed.
    ///   - doubted: Scopes that cannot be complete at the cursor's mark, whatever it says.
    public init(
        cursor: SyncCursor, held: Set<Scope>, given: [Scope: GivenScope]? = nil,
        doubted: Set<Scope> = [], tables: [String: String]
    ) {
        self.cursor = cursor
        self.held = held
        self.given = given
        self.doubted = doubted
        self.tables = tables
        let named = cursor.complete.union(cursor.partial)
        lost = named.filter { given == nil || given?[$0] != nil }.subtracting(held)
        scopes = held.union(lost).sorted()
        walk = cursor.walk.flatMap {
            $0.scopes == held && ($0.tables == tables || planted(.walkKeptAcrossSchemas)) ? $0 : nil
        }
        let target = cursor.brokenOff ?? (walk == nil ? cursor.walk?.target : nil)
        brokenOff = planted(.brokenOffForgotten) ? nil : target
    }

    public func reading(of table: String, in scope: Scope) -> Reading {
        let known = given?[scope]
        if lost.contains(scope) {
            return .takeBack(goneAfter: known?.since, lostAt: known?.lostAt)
        }
        // It may hold rows that went while the scope was taken back, or read for the first time.
        if isBegun(scope), let known { return .fromNothing(heldAt: known.since) }
        if isNew(scope) { return .fromNothing(heldAt: nil) }
        guard let mark = cursor.mark, cursor.complete.contains(scope),
            let signature = cursor.tables[table]
        else { return .fromNothing(heldAt: brokenOff) }
        if planted(.everythingSentAgain) { return .fromNothing(heldAt: mark) }
        return signature == tables[table] || planted(.signatureIgnored)
            ? .beyond(mark) : .fromNothing(heldAt: mark)
    }

    /// Whether the replica may hold rows of the scope that no mark accounts for: a walk that was broken
    /// off brought rows that came after the mark.
    ///
    /// Of a scope that is lost the reading itself tells, where the hub knows when.
    public func isPartial(_ scope: Scope) -> Bool {
        if lost.contains(scope) { return given == nil }
        return isBegun(scope) || brokenOff != nil && !isNew(scope)
    }

    /// Some of the scope may be on the replica.
    private func isBegun(_ scope: Scope) -> Bool {
        cursor.partial.contains(scope) || doubted.contains(scope)
    }

    /// Nothing of the scope is on the replica: it was given after the cursor was made.
    private func isNew(_ scope: Scope) -> Bool {
        given?[scope] != nil && !isBegun(scope) && !cursor.complete.contains(scope)
    }

    /// The cursor after a page that brought everything, read at `mark`.
    public func caughtUp(at mark: Mark, epoch: Epoch, ahead: Set<RowName>) -> SyncCursor {
        SyncCursor(epoch: epoch, mark: mark, complete: held, tables: tables, ahead: ahead)
    }

    /// The cursor after one page of a walk towards `target`; with no position the walk has ended.
    ///
    /// - Parameters:
    ///   - state: The state that the page was read in: the target, or a later one.
    ///   - answered: Rows of the pushed batch that the page brought, whatever their version.
    public func walked(
        towards target: Mark, to position: WalkPosition?, epoch: Epoch, seen state: Mark,
        answered: Set<RowName>
    ) -> SyncCursor {
        let seen = state == target || planted(.seenForgotten) ? nil : state
        // What was sent ahead stays named until a page catches up: the target may lie before it.
        let ahead = planted(.sentAheadForgotten) ? [] : cursor.ahead.union(answered)
        guard let position else {
            return SyncCursor(
                epoch: epoch, mark: target, complete: held, tables: tables, seen: seen,
                ahead: ahead)
        }
        return SyncCursor(
            epoch: epoch, mark: planted(.markMovesEarly) ? target : cursor.mark,
            complete: cursor.complete.subtracting(lost),
            partial: cursor.partial.intersection(scopes).union(held.subtracting(cursor.complete))
                .union(lost),
            tables: cursor.tables,
            walk: Walk(target: target, scopes: held, tables: tables, position: position),
            brokenOff: brokenOff, seen: seen, ahead: ahead)
    }
}
