public import GRDB
public import MoorageCore
import MoorageSupport

/// The lists for review: what is pending, refused, overruled or withheld, and what the app can do
/// about it.
extension Replica {
    /// Runs a call that makes changes to send.
    private func change<Result: Sendable>(
        _ body: @escaping @Sendable (Database, ReplicaStore) throws -> Result
    ) async throws -> Result {
        let result = try await access { [seen] db, store in
            let result = try body(db, store)
            try seen.changed(db, store)
            return result
        }
        // The change is made. Whoever called must not learn of a failure to count.
        await recount()
        wakeUp.signal(.edit)
        return result
    }

    // MARK: Pending changes

    /// Local changes that are not answered yet, one for each row, those in flight first. A row in
    /// flight that was edited again has two. The list is empty until the replica has met its hub,
    /// although ``ReplicaStatus/pendingCount`` counts the changes.
    public nonisolated var pendingChanges: ReviewList<PendingChange> {
        let logs = store.tables.map { "_moorage_log_" + $0.name }
        return list(logs + ["_moorage_inflight"]) { try $1.pending($0, limit: $2) }
    }

    /// Reverts a local change: the row becomes what it was before its first edit that is not
    /// pushed. Columns that are not synced stay as they are. A deleted row gets them back.
    ///
    /// A row that was inserted here is removed. So is a row that was uploaded at the first contact
    /// and not pushed yet. The replica asks the hub for the row, and the next sync brings it. The
    /// call itself does not wait for the network.
    ///
    /// - Parameter change: A change from ``pendingChanges``.
    /// - Throws: ``ReplicaError``, and nothing changes. The code is `alreadySent` if the change was
    ///   listed as in flight, or as one that may be at the hub. It is `pendingChanged` if the row
    ///   was edited or sent after it was listed. It is `revertBlocked` if another row, or the state
    ///   of the table, prevents the revert.
    public func revert(_ change: PendingChange) async throws { try await revert([change]) }

    /// Reverts several changes in one transaction, all of them or none; see
    /// ``revert(_:)-(PendingChange)``.
    ///
    /// - Parameter changes: Changes from ``pendingChanges``, in any order.
    /// - Throws: ``ReplicaError`` `alreadySent`, `pendingChanged` or `revertBlocked` if one of them
    ///   cannot be reverted. Nothing changes then.
    public func revert(_ changes: [PendingChange]) async throws {
        let now = clock.time
        try await change { db, store in try store.revert(db, changes, now: now) }
    }

    /// Reverts every change that was not sent yet, in one transaction; see
    /// ``revert(_:)-(PendingChange)``. Changes of tables that this device has suspended stay.
    ///
    /// - Returns: How many changes were reverted, and how many stay because they were sent.
    /// - Throws: ``ReplicaError`` `revertBlocked` if one of them cannot be reverted. Nothing
    ///   changes then.
    /// - Complexity: O(pending changes), with their keys in memory.
    @discardableResult
    public func revertAll() async throws -> RevertSummary {
        let now = clock.time
        return try await change { db, store in try store.revertAll(db, now: now) }
    }

    // MARK: Groups

    /// Marks the changes that the closure makes as one unit: the hub accepts all of them or refuses
    /// all.
    ///
    /// Any writer can do the same in SQL, inside its transaction: `INSERT INTO _moorage_group
    /// DEFAULT VALUES` before the changes, `DELETE FROM _moorage_group` after them. A group within
    /// a group is part of it. In SQL it deletes only its own marker, because deleting the last
    /// marker ends the group. Groups that change the same row before they are sent go together.
    ///
    /// - Parameters:
    ///   - db: The connection of the app's own write, inside its transaction.
    ///   - changes: Writes on that connection.
    /// - Returns: What the closure returns.
    /// - Throws: ``ReplicaError`` `groupTooLarge` when the group changes more rows than a batch may
    ///   contain. It throws `groupOutsideTransaction` outside a transaction, and what the closure
    ///   throws. Let the transaction roll back then.
    public nonisolated func group<Result>(
        _ db: Database, _ changes: () throws -> Result
    ) throws -> Result {
        try store.group(db, changes)
    }

    // MARK: Keys

    /// A key for a row that is inserted here. The hub handed it out to this replica only: no other
    /// device has it, and the central database gives it to no row.
    ///
    /// - Parameters:
    ///   - db: The connection of the app's own write. A transaction that is rolled back returns the
    ///     keys that were taken in it.
    ///   - table: A table with a `keyBlock` in the hub's configuration, by its name at the hub.
    /// - Returns: A key that no row has. The next call returns another one.
    /// - Throws: ``ReplicaError`` `noKeysLeft` when all keys are used, until the next exchange.
    ///   After each exchange there are two blocks again. The code is `noSuchTable` for a table that
    ///   this device has suspended, or that is not synced.
    public nonisolated func nextID(_ db: Database, for table: String) throws -> Int64 {
        try store.nextID(db, for: table)
    }

    /// A key for a row that is inserted here, in a transaction of its own; see ``nextID(_:for:)``.
    /// It waits for the app's writes, not for the network.
    ///
    /// - Parameter table: A table with a `keyBlock` in the hub's configuration.
    /// - Returns: A key that no row has. The next call returns another one.
    /// - Throws: ``ReplicaError`` `noKeysLeft` or `noSuchTable`. If the task is cancelled, a key
    ///   may stay unused.
    public func nextID(for table: String) async throws -> Int64 {
        try await access { db, store in
            try db.returning(.immediate) { try store.nextID(db, for: table) }
        }
    }

    // MARK: Conflicts

    /// Changes of this device that lost a conflict at the hub, wholly or in part, with both sides'
    /// values. The device forgets them after ``ReplicaOptions/retention``. The hub's log keeps its
    /// own.
    public nonisolated var overruledChanges: ReviewList<OverruledChange> {
        list([OverruledList.table]) { try $1.overruled($0, limit: $2) }
    }

    /// Writes the losing values again as a new change on top of the present row, and takes the
    /// conflict off the list. If nobody changes the row meanwhile, the hub accepts the change.
    ///
    /// It does not wait for the network. Nothing happens if the conflict is off the list already.
    ///
    /// - Parameter conflict: An entry of ``overruledChanges``.
    /// - Throws: ``ReplicaError`` `resubmitBlocked` if a constraint, a row that is gone or a
    ///   suspended table prevents it. Nothing changes then.
    public func reapply(_ conflict: OverruledChange) async throws {
        try await change { db, store in try store.resubmit(db, conflict) }
    }

    /// Writes the other side's values where the merge gave the row others, as a new change, and
    /// takes the conflict off the list. If the merge took all of them, no row changes.
    ///
    /// It does not wait for the network. Nothing happens if the conflict is off the list already.
    ///
    /// - Parameter conflict: An entry of ``overruledChanges``.
    /// - Throws: ``ReplicaError`` `resubmitBlocked` if a constraint, a row that is gone or a
    ///   suspended table prevents it. Nothing changes then.
    public func keepTheirs(_ conflict: OverruledChange) async throws {
        try await change { db, store in try store.keepTheirs(db, conflict) }
    }

    /// Writes values that a person entered, as a new change on top of the present row, and takes the
    /// conflict off the list. If nobody changes the row meanwhile, the hub accepts the change.
    ///
    /// It does not wait for the network. Nothing happens if the conflict is off the list already.
    ///
    /// - Parameters:
    ///   - conflict: An entry of ``overruledChanges``.
    ///   - values: By column, as the hub names and writes them. Other columns stay as they are.
    /// - Throws: ``ReplicaError`` `resubmitBlocked` if the table has no such column, if the column
    ///   is generated or a part of the key, or if the value is not of its type. Also if a
    ///   constraint, a row that is gone or a suspended table prevents it. Nothing changes then.
    public func resolve(_ conflict: OverruledChange, with values: [String: Value]) async throws {
        try await change { db, store in try store.resolve(db, conflict, with: values) }
    }

    /// Deletes the row of a conflict, as a new change, and takes the conflict off the list.
    ///
    /// It does not wait for the network. Nothing happens if the conflict is off the list already.
    ///
    /// - Parameter conflict: An entry of ``overruledChanges``.
    /// - Throws: ``ReplicaError`` `resubmitBlocked` if a constraint or a suspended table prevents
    ///   it. Nothing changes then.
    public func resolveByDeleting(_ conflict: OverruledChange) async throws {
        try await change { db, store in try store.resolveByDeleting(db, conflict) }
    }

    /// Takes a conflict off the list: its result is right. No row changes.
    ///
    /// - Parameter conflict: An entry of ``overruledChanges``. Nothing happens if it is off the
    ///   list already.
    /// - Throws: ``ReplicaError`` if the file cannot be written.
    public func dismiss(_ conflict: OverruledChange) async throws {
        let id = conflict.id
        try await access { db, store in
            try store.transaction(db) { try store.dismissOverruled($0.db, id: id) }
        }
        await recount()
    }

    // MARK: Refused changes

    /// Changes that the hub or this device did not accept, with their values and the reason.
    public nonisolated var refusedChanges: ReviewList<RefusedChange> {
        list([RefusedList.table]) { try $1.refused($0, limit: $2) }
    }

    /// Writes a refused change again, as a new change on top of the present row, and takes it off
    /// the list. If an update did not find its row, the row is inserted again. The changes that
    /// were refused with it as one group are written as one group with it.
    ///
    /// It does not wait for the network. Nothing happens if the change is off the list already.
    ///
    /// - Parameter refused: An entry of ``refusedChanges``.
    /// - Throws: ``ReplicaError`` `resubmitBlocked` if a constraint, a row that is gone or a
    ///   suspended table prevents it, or if the change is still pending. Nothing changes then.
    public func retry(_ refused: RefusedChange) async throws {
        try await change { db, store in try store.resubmit(db, refused) }
    }

    /// Takes a change off the list of refused ones. No row changes. A change that is still pending
    /// (``RefusedChange/isBlocked``) is listed again if it cannot be sent with the next batch.
    ///
    /// - Parameter refused: An entry of ``refusedChanges``. Nothing happens if it is off the list
    ///   already.
    /// - Throws: ``ReplicaError`` if the file cannot be written.
    public func dismiss(_ refused: RefusedChange) async throws {
        let id = refused.id
        try await access { db, store in
            try store.transaction(db) { try store.dismissRefused($0.db, id: id) }
        }
        await recount()
    }

    // MARK: Rows that are not here, or not whole

    /// Values that this device, or any device, cannot store; one for each row.
    public nonisolated var withheldValues: ReviewList<WithheldValue> {
        list([WithheldRows.table]) { try $1.withheld($0, limit: $2) }
    }

    /// Rows whose foreign key names no row, as in the central database; 1,000 of each foreign key
    /// at most.
    public nonisolated var danglingRows: ReviewList<DanglingRow> {
        list([DanglingRows.table]) { try $1.dangling($0, limit: $2) }
    }

    private nonisolated func list<Element: Sendable>(
        _ tables: [String],
        _ read: @escaping @Sendable (Database, ReplicaStore, _ limit: Int) throws -> [Element]
    ) -> ReviewList<Element> {
        ReviewList(in: database, store, tables: tables, read: read)
    }
}
