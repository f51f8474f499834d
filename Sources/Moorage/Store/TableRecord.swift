import MoorageCore

/// What the replica's file remembers of one of its tables: a row of `_moorage_table`.
struct TableRecord: Sendable {
    /// The hub's name of the table, as the app gave it.
    let name: Identifier
    /// What SQLite calls the table.
    var local: String
    /// The key's columns in the log's order.
    var keys: [String]
    /// The columns that the log has a place for.
    var places: [String]
    /// The synced columns; `nil` until the hub is known.
    var columns: [String]?
    /// The local table as it was last seen; `nil` in a file of an earlier build.
    var layout: TableLayout?
    /// The triggers as they were made, as JSON; `nil` if there are no triggers.
    var triggers: String?
    /// Whether the table ever had triggers.
    var hadTriggers = false
    /// Whether a page ever covered the table, even in part: its rows here may be the hub's.
    var wasCopied = false
    var state = CopyState()
    /// Columns that are synced since the table was last read. Their values here say nothing about
    /// the hub's.
    var unreadColumns: [String] = []
    /// Those of them that were synced before. Their values here may be what the hub had then.
    var staleColumns: [String] = []
    /// Why this device has suspended the table.
    var suspension: Suspension?
    /// Why the hub has suspended the table. Its changes stay in the log until it resumes.
    var hubSuspension: Suspension?

    /// Whether the app took the table out of its list: it had triggers, and an opening of the file
    /// removed them. A suspended table may have lost its own.
    var isNotListed: Bool { hadTriggers && triggers == nil && suspension == nil }

    struct Suspension: Hashable, Sendable {
        /// A code of ``ReplicaError``.
        let code: String
        let reason: String
    }
}

/// What becomes of rows that were here before a copy of their table, if it does not bring them.
enum UnconfirmedRows: Hashable, Sendable {
    /// They are dropped: the app chose that at the first contact.
    case drop
    /// They are listed and removed: they came from the hub once.
    case list
}

/// Whether a table is compared with the hub before a page goes in, because its triggers were lost.
enum TableRepair: Hashable, Sendable {
    case none
    /// The rows here are as old as the cursor, so a difference is a change made here.
    case due
    /// The rows here are older than the cursor, so nobody can tell an edit from an older state.
    case dueOnStaleRows
}

/// What is not known yet of a table's rows here: whether the hub has them, and whether they were
/// edited.
///
/// | event | unconfirmed rows | repair |
/// |---|---|---|
/// | the table resumes after a suspension | as before, else `drop` | a due one is on stale rows |
/// | the central history is another, or lost in part | `list` | a due one is on stale rows |
/// | its triggers were lost, after its copy | | `due` |
/// | the same, during its copy or without it in the cursor | `list` | `dueOnStaleRows` |
/// | the hub sends the table from now on | `list` | |
/// | it was compared | `list` where its rows were stale | `none` |
/// | its copy is complete | none | |
struct CopyState: Hashable, Sendable {
    /// What becomes of rows that the current copy does not bring; `nil` if no row waits for one.
    var unconfirmed: UnconfirmedRows?
    var repair = TableRepair.none

    mutating func resume() {
        unconfirmed = unconfirmed ?? .drop
        staleRows()
    }

    mutating func restart() {
        unconfirmed = .list
        staleRows()
    }

    mutating func loseTriggers(onStaleRows isStale: Bool) {
        repair = isStale ? .dueOnStaleRows : .due
        if isStale { unconfirmed = .list }
    }

    mutating func becomeReceived() { unconfirmed = .list }

    mutating func finishRepair() {
        if repair == .dueOnStaleRows { unconfirmed = .list }
        repair = .none
    }

    mutating func finishCopy() { unconfirmed = nil }

    private mutating func staleRows() {
        if repair != .none { repair = .dueOnStaleRows }
    }
}
