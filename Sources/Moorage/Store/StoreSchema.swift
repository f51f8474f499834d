import GRDB
import MoorageCore
import MoorageWire
import SQLiteSupport

/// Compares the app's tables with logs and triggers, at each start and whenever the schema changed.
/// It adopts an added column, follows a renamed one, and makes lost triggers again. Any other
/// difference suspends that table alone.
///
/// - V7: After the first contact, an error that needs the hub's schema suspends its table and
///   nothing else.
struct StoreSchema {
    let db: Database
    let configured: [ReplicaTable]

    let read = SchemaCache()

    var meta: Metadata { Metadata(db: db) }

    /// The hub's schema in the app's names.
    func hubSchema() throws -> SchemaDescription? {
        try read.hubSchema(meta, listing: configured)
    }

    var records: TableRecords { TableRecords(db: db) }

    /// Whether pages bring rows of the table; `true` until the hub is known.
    func isReceived(_ name: Identifier) throws -> Bool {
        try hubSchema()?.table(named: name.text)?.direction.isReceived ?? true
    }

    enum Reason {
        case opening
        /// The hub's schema is the first one that the file gets.
        case meeting
        case adopting, running
    }

    func refresh(_ reason: Reason) throws {
        let schema = try hubSchema()
        let isFirstContact = schema == nil || reason == .meeting
        var tracked: [TrackedTable] = []
        var new: Set<Identifier> = []
        for table in configured {
            let known = try records.record(of: table.id)
            if known == nil || isFirstContact { new.insert(table.id) }
            do {
                tracked.append(try track(table, known))
            } catch let error as ReplicaError where known != nil {
                try suspend(table.id, error)
            }
        }
        try leaveOthers()
        let triggers = try AppTriggers(db)
        let locals = tracked.map(\.local.name)
        let unreadable = try read.local(db).unreadablyReferred()
        let names = try read.local(db).tableNames()
        for table in tracked {
            do {
                try triggers.check(table.local.name, synced: locals)
                try Self.checkReferences(to: table.local.name, unreadable)
                try makeTriggers(table)
            } catch let error as ReplicaError {
                // What the file alone says of a new table is a mistake of the app.
                if new.contains(table.name), reason != .running { throw error }
                try suspend(table.name, error, keepsTriggers: true)
                continue
            }
            do {
                if let schema {
                    try adopt(
                        TableChecks(
                            table: table, hub: schema, tracked: tracked,
                            listed: configured.map(\.name), locals: names))
                }
                try run(table)
            } catch let error as ReplicaError {
                // The schema that the file remembers may be old, and only the hub knows. At the
                // first contact it is the hub's own, and every difference stops the replica.
                if reason == .meeting { throw error }
                try suspend(table.name, error, keepsTriggers: true)
            }
        }
        try keepRowStates(of: tracked, isOpening: reason == .opening)
        try keepRightTriggers(of: tracked)
        try meta.bump()
    }

    private static func checkReferences(to table: String, _ unreadable: [String]) throws {
        guard unreadable.contains(where: { SQLText.isSameName($0, table) }) else { return }
        throw ReplicaError.unreadableReference(to: table)
    }

    /// Syncs the columns that both sides have.
    private func adopt(_ checks: TableChecks) throws {
        let synced = try checks.check()
        try checkKeptColumns(synced)
        try avoidRepairOfStaleColumns(synced)
        try recordNewlySynced(synced)
        try records.change(synced.name) {
            $0.columns = synced.columns.columns
            $0.layout?.sync(synced)
        }
    }

    private func run(_ table: TrackedTable) throws {
        let name = table.name
        guard let record = try records.record(of: name),
            record.suspension != nil || record.state.unconfirmed != nil
        else { return }
        let isReceived = try isReceived(name)
        // No copy comes of a table that this device only sends, so its rows wait for none.
        if !isReceived, record.state.unconfirmed != nil {
            try forgetUnconfirmed(table)
            try records.change(name) { $0.state.finishCopy() }
        }
        guard record.suspension != nil else { return }
        try records.change(name) { $0.suspension = nil }
        // What the device could not store may fit now, so the table is read again. Rows that the
        // copy does not bring were deleted at the hub meanwhile. Where triggers were missing,
        // nobody can tell an edit made here from an older state.
        guard isReceived, try readAgain(name) else { return }
        try markUnconfirmed(table)
        try records.change(name) { $0.state.resume() }
    }

    /// The hub syncs the table again. If pages left it out of the cursor meanwhile, a copy of it
    /// comes. Rows that the copy does not bring were deleted at the hub.
    func resumeAtHub(_ table: TrackedTable) throws {
        let name = table.name
        if try records.record(of: name)?.unreadColumns.isEmpty == false {
            try meta.set(meta.cursor().breakingOff(readingAgain: name))
        }
        let cursor = try meta.cursor()
        guard cursor.checkpoint != nil, cursor.tables[name] == nil, try isReceived(name),
            try records.record(of: name)?.wasCopied == true
        else { return }
        // A scan that is under way has passed some of these rows, and would not return to them.
        try meta.set(cursor.breakingOff())
        try markUnconfirmed(table)
        try records.change(name) { $0.state.resume() }
    }

    /// - Returns: Whether the table had been read before, even in part.
    private func readAgain(_ name: Identifier) throws -> Bool {
        let cursor = try meta.cursor()
        let wasCopied = try records.record(of: name)?.wasCopied == true
        guard wasCopied || cursor.tables[name] != nil || cursor.checkpoint != nil else {
            return false
        }
        try meta.set(cursor.breakingOff(readingAgain: name))
        return true
    }

    private func suspend(_ name: Identifier, _ error: ReplicaError, keepsTriggers: Bool = false)
        throws
    {
        // Triggers that no longer fit the table would break the app's own writes.
        if !keepsTriggers { try dropTriggers(name) }
        try records.change(name) {
            if !keepsTriggers { $0.triggers = nil }
            $0.suspension = .init(code: error.code.rawValue, reason: error.message)
        }
    }

    /// Removes the triggers of tables that the app took out of its list. Their logs stay.
    private func leaveOthers() throws {
        for name in try records.names()
        where !configured.contains(where: { $0.id == name }) {
            try dropTriggers(name)
            try records.forgetTriggers(of: name)
        }
    }
}
