import MoorageCore

/// What the replica's file remembers of one of its tables: a row of `_moorage_table`.
struct TableRecord: Sendable {
    /// The hub's name of the table, as the app gave it.
    let name: Identifier
    /// What SQLite calls the table.
    var local: String
    /// The key's columns in the log's order.
    let keys: [String]
    /// The columns that the log has a place for.
    var places: [String]
    /// The synced columns; `nil` until the hub is known.
    var columns: [String]?
    /// The triggers as they were made, as JSON; `nil` where there are none.
    var triggers: String?
    /// Whether the table ever had triggers.
    var hadTriggers = false
    var state = CopyState()
    /// Columns that are synced since the table was last read: what they hold here says nothing.
    var unreadColumns: [String] = []
    /// Why this device has suspended the table.
    var suspension: Suspension?
    /// Why the hub has suspended the table: its changes stay in the log until it goes on.
    var hubSuspension: String?

    struct Suspension: Sendable {
        /// A code of ``ReplicaError``.
        let code: String
        let reason: String
    }
}

/// What becomes of rows that were here before a copy of their table, and that it does not bring.
enum UnconfirmedRows: Hashable, Sendable {
    /// The app chose at the first contact that they go.
    case drop
    /// They were the hub's own once: they are listed, and go.
    case list
}

/// Whether a table is compared with the hub before a page goes in, because its triggers were lost.
enum TableRepair: Hashable, Sendable {
    case none
    /// The rows here are as old as the cursor: what differs was changed here.
    case due
    /// The rows here are older than the cursor: nobody can tell an edit from an older state.
    case dueOnStaleRows
}

/// How far the rows of a table are the hub's.
///
/// | event | unconfirmed rows | repair |
/// |---|---|---|
/// | the table goes on after a suspension, and is read again | what was chosen, else `drop` | one that is due is on stale rows |
/// | the central history is another one, or was forgotten in part | `list` | one that is due is on stale rows |
/// | its triggers were lost, after its copy | | `due` |
/// | its triggers were lost, during its copy | `list` | `dueOnStaleRows` |
/// | the hub sends the table from now on | `list` | |
/// | it was compared | `list` where its rows were stale | `none` |
/// | its copy is complete | none | |
struct CopyState: Hashable, Sendable {
    /// What becomes of rows that the copy under way does not bring; `nil` where no row waits for one.
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

    mutating func loseTriggers(duringCopy: Bool) {
        repair = duringCopy ? .dueOnStaleRows : .due
        if duringCopy { unconfirmed = .list }
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
