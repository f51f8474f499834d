import GRDB
import MoorageCore
import MoorageWire

/// Compares the app's tables with logs and triggers, at each start and whenever the schema moved:
/// an added column is taken up, lost triggers are made again, anything else stops that table alone.
struct StoreSchema {
    let db: Database
    let configured: [ReplicaTable]

    private let read = ReadSchema()

    private var meta: Metadata { Metadata(db: db) }

    /// The hub's schema, decoded once: every table asks for it several times.
    private func hubSchema() throws -> SchemaDescription? {
        if let known = read.schema { return known }
        let schema = try meta.schema()
        read.schema = schema
        return schema
    }

    /// Nothing here changes it, and nobody keeps one of these beyond its transaction.
    private final class ReadSchema {
        var schema: SchemaDescription?
    }

    /// What `_moorage_table` says of one table.
    private struct Known {
        let name: String
        let keys: [String]
        let places: [String]
        let columns: [String]?
        let triggers: String?
    }

    private func known(_ name: String) throws -> Known? {
        let sql = "SELECT * FROM _moorage_table WHERE name = ?"
        guard let row = try Row.fetchOne(db, sql: sql, arguments: [name]) else { return nil }
        return try meta.damaged("table \(name)") {
            let columns: String? = row["columns"]
            return Known(
                name: name, keys: try [String](jsonText: row["keys"]),
                places: try [String](jsonText: row["places"]),
                columns: try columns.map { try [String](jsonText: $0) }, triggers: row["triggers"])
        }
    }

    // MARK: Refreshing

    enum Reason {
        case opening, adopting, running
    }

    func refresh(_ reason: Reason) throws {
        let schema = try hubSchema()
        var tracked: [TrackedTable] = []
        var fresh: Set<String> = []
        for table in configured {
            let known = try known(table.name)
            do {
                let now = try take(table, known)
                tracked.append(now)
                if known == nil || known?.columns == nil { fresh.insert(table.name) }
            } catch let error as ReplicaError where known != nil {
                try stop(table.name, error)
            }
        }
        try leaveOthers()
        let triggers = try AppTriggers(db)
        let locals = tracked.map(\.local.name)
        let unreadable = try LocalSchema(db: db).unreadablyReferred()
        for table in tracked {
            do {
                try triggers.check(table.local.name, synced: locals)
                try Self.checkReferences(to: table.local.name, unreadable)
                try makeTriggers(table)
                guard let schema else {
                    try run(table)
                    continue
                }
                let checks = TableChecks(table: table, hub: schema, tracked: tracked)
                let synced = try checks.check()
                try checkKeptColumns(synced)
                try noteNewlySynced(synced)
                try db.execute(
                    sql: "UPDATE _moorage_table SET columns = ? WHERE name = ?",
                    arguments: [synced.columns.columns.jsonText, table.name])
                try run(table)
            } catch let error as ReplicaError {
                // At the first contact every difference stops the replica; later, one table.
                if fresh.contains(table.name), reason != .running { throw error }
                try stop(table.name, error, keepsTriggers: true)
            }
        }
        try meta.bump()
    }

    private static func checkReferences(to table: String, _ unreadable: [String]) throws {
        guard unreadable.contains(where: { SQLText.isSameName($0, table) }) else { return }
        throw ReplicaError(
            .unreadableName,
            """
            A table that refers to \(table) has a name that is not UTF-8, or its referring column has. \
            Rename it.
            """, recovery: .changeSchema)
    }

    private func run(_ table: TrackedTable) throws {
        let name = table.name
        let sql = "SELECT stopped FROM _moorage_table WHERE name = ? AND stopped IS NOT NULL"
        guard try Row.fetchOne(db, sql: sql, arguments: [name]) != nil else { return }
        try db.execute(
            sql: "UPDATE _moorage_table SET stopped = NULL, stopped_code = NULL WHERE name = ?",
            arguments: [name])
        // What the device could not hold may fit now: the table is read again. Rows that the copy
        // does not bring were deleted at the hub meanwhile; and where no trigger looked, nobody can
        // tell an edit made here from an older state.
        guard try readAgain(name) else { return }
        try markUnseen(table)
        try db.execute(
            sql: """
                UPDATE _moorage_table SET unseen = coalesce(unseen, 'replace'),
                  recompare = CASE WHEN recompare THEN 2 ELSE 0 END
                WHERE name = ?
                """, arguments: [name])
    }

    /// - Returns: Whether the table had been read before.
    private func readAgain(_ name: String) throws -> Bool {
        let cursor = try meta.cursor()
        guard cursor.tables[name] != nil || cursor.mark != nil else { return false }
        try meta.set(cursor.breakingOff(readingAgain: name))
        return true
    }

    private func stop(_ name: String, _ error: ReplicaError, keepsTriggers: Bool = false) throws {
        // Triggers that do not fit the table any more would break the app's own writes.
        if !keepsTriggers {
            try dropTriggers(name)
            try db.execute(
                sql: "UPDATE _moorage_table SET triggers = NULL WHERE name = ?", arguments: [name])
        }
        try db.execute(
            sql: "UPDATE _moorage_table SET stopped_code = ?, stopped = ? WHERE name = ?",
            arguments: [error.code.rawValue, error.message, name])
    }

    private func dropTriggers(_ name: String) throws {
        for kind in TrackingSQL.kinds {
            let trigger = SQLText.name("_moorage_\(kind)_\(name)")
            try db.execute(sql: "DROP TRIGGER IF EXISTS \(trigger)")
        }
        try db.execute(sql: "DELETE FROM _moorage_group_start WHERE tbl = ?", arguments: [name])
    }

    /// Tables that the app took out of its list: what is in the log stays.
    private func leaveOthers() throws {
        let names = try String.fetchAll(db, sql: "SELECT name FROM _moorage_table")
        for name in names where !configured.contains(where: { $0.name.hasSameBytes(as: name) }) {
            try dropTriggers(name)
            try db.execute(
                sql: "UPDATE _moorage_table SET triggers = NULL WHERE name = ?", arguments: [name])
        }
    }

    // MARK: One table

    private func take(_ table: ReplicaTable, _ known: Known?) throws -> TrackedTable {
        guard let local = try LocalSchema(db: db).table(named: table.name) else {
            throw ReplicaError(
                .noSuchTable,
                """
                There is no local table \(table.name). Create it before the replica is made, or \
                take it out of the replica's list.
                """, recovery: .changeSchema)
        }
        guard !local.primaryKey.isEmpty else {
            throw ReplicaError(
                .keyMismatch,
                "\(local.name) has no primary key; a table without one cannot be synced.",
                recovery: .changeSchema)
        }
        guard let known else { return try begin(table, local) }
        guard known.keys.count == local.keyNames.count,
            zip(known.keys, local.keyNames).allSatisfy({ SQLText.isSameName($0, $1) })
        else {
            throw ReplicaError(
                .tableStopped,
                """
                The primary key of \(local.name) was (\(known.keys.joined(separator: ", "))) and is \
                (\(local.keyNames.joined(separator: ", "))) now. Give it its key back.
                """, recovery: .changeSchema)
        }
        let added = local.plainNames.filter { name in
            !known.places.contains { SQLText.isSameName($0, name) }
        }
        let tracked = TrackedTable(
            name: table.name, local: local, keyNames: local.keyNames,
            logNames: known.places + added)
        try grow(tracked, from: known.places.count)
        let hub = try hubSchema()?.table(named: table.name)
        for place in known.places.count..<tracked.logNames.count {
            let isComputed = hub?.columns.contains {
                $0.isGenerated && SQLText.isSameName($0.name, tracked.logNames[place])
            }
            if isComputed != true { try noteFilled(place, of: tracked) }
        }
        try db.execute(
            sql: "UPDATE _moorage_table SET local = ?, places = ? WHERE name = ?",
            arguments: [local.name, tracked.logNames.jsonText, table.name])
        return tracked
    }

    /// What the app wrote into an added column before its triggers knew it counts as edited, from the
    /// column's default.
    private func noteFilled(_ place: Int, of table: TrackedTable) throws {
        guard let column = table.local.column(named: table.logNames[place]) else { return }
        let name = SQLText.name(table.local.columns[column].name)
        let standard = table.local.columns[column].standardSQL
        let keys = table.keyNames.map { SQLText.name($0) }.joined(separator: ", ")
        let masks = (0..<table.maskCount).map { mask in
            mask == place / TrackedTable.columnsPerMask
                ? 1 << (place % TrackedTable.columnsPerMask) : 0
        }
        try db.execute(
            sql: """
                INSERT INTO \(SQLText.name(table.logTable))(
                  op, at, \(table.keyColumns.joined(separator: ", ")), \
                \(masks.indices.map { "m\($0)" }.joined(separator: ", ")), o\(place))
                SELECT 'U', \(TrackingSQL.now), \(keys), \
                \(masks.map { String($0) }.joined(separator: ", ")), \(standard)
                FROM \(SQLText.name(table.local.name))
                WHERE \(name) COLLATE BINARY IS NOT \(standard)
                """)
    }

    private func grow(_ table: TrackedTable, from places: Int) throws {
        let sql = TrackingSQL(table: table)
        for statement in [sql.createLog, sql.createTouched, sql.createUnseen] {
            try db.execute(sql: statement)
        }
        // The log may be new or old: what it has decides.
        let columns = Set(
            try String.fetchAll(
                db, sql: "SELECT name FROM pragma_table_info(?)", arguments: [table.logTable]))
        let wanted =
            ["grp"] + (0..<table.maskCount).map { "m\($0)" }
            + table.logNames.indices.map { "o\($0)" }
        for name in wanted where !columns.contains(name) {
            try db.execute(sql: "ALTER TABLE \(SQLText.name(table.logTable)) ADD COLUMN \(name)")
        }
    }

    private func begin(_ table: ReplicaTable, _ local: LocalTable) throws -> TrackedTable {
        let tracked = TrackedTable(
            name: table.name, local: local, keyNames: local.keyNames, logNames: local.plainNames)
        let target = SQLText.name(local.name)
        let isFilled =
            try Int.fetchOne(db, sql: "SELECT 1 FROM \(target) LIMIT 1") != nil
        if isFilled, table.firstContact == .refuse {
            throw ReplicaError(
                .tableNotEmpty,
                """
                \(local.name) has rows already. Say what becomes of them: \
                `.table("\(table.name)", firstContact: .upload)` pushes them, `.replace` drops \
                those that the hub does not have.
                """, recovery: .choose)
        }
        let sql = TrackingSQL(table: tracked)
        for statement in [sql.createLog, sql.createTouched, sql.createUnseen] {
            try db.execute(sql: statement)
        }
        try db.execute(
            sql: """
                INSERT INTO _moorage_table(name, local, keys, places, unseen, recompare)
                VALUES(?, ?, ?, ?, ?, 0)
                """,
            arguments: [
                table.name, local.name, tracked.keyNames.jsonText, tracked.logNames.jsonText,
                isFilled && table.firstContact == .replace ? "replace" : nil,
            ])
        guard isFilled else { return tracked }
        if planted(.existingRowsNotNoted) { return tracked }
        if table.firstContact == .upload {
            try noteEveryRow(tracked)
        } else {
            try markUnseen(tracked)
        }
        return tracked
    }

    private func noteEveryRow(_ table: TrackedTable, again: Bool = false) throws {
        let at =
            again
            ? "coalesce((SELECT max(at) FROM _moorage_acknowledged), \(TrackingSQL.now))"
            : TrackingSQL.now
        try db.execute(
            sql: """
                INSERT INTO \(SQLText.name(table.logTable))(
                  op, at, again, \(table.keyColumns.joined(separator: ", ")))
                SELECT 'I', \(at), \(again ? 1 : 0), \(SQLText.names(table.keyNames))
                FROM \(SQLText.name(table.local.name))
                """)
    }

    /// What was sent and deleted while no trigger looked.
    private func noteDeletionsInFlight(_ table: TrackedTable) throws {
        guard let changes = try meta.inFlight()?.batch.changes,
            let hub = try hubSchema()?.table(named: table.name),
            let synced = SyncedTable(tracked: table, hub: hub),
            let now = try Int64.fetchOne(db, sql: "SELECT \(TrackingSQL.now)")
        else { return }
        let reading = LogReading(
            table: synced, statements: RawStatements(db, kept: KeptStatements()))
        try reading.noteDeletions(ofInFlight: changes, at: now)
    }

    func markUnseen(_ table: TrackedTable) throws {
        try db.execute(
            sql: """
                INSERT OR IGNORE INTO \(SQLText.name(table.unseenTable))
                SELECT \(SQLText.names(table.keyNames)) FROM \(SQLText.name(table.local.name))
                WHERE \(table.keyNames.map { "\(SQLText.name($0)) IS NOT NULL" }.joined(separator: " AND "))
                """)
    }

    private func makeTriggers(_ table: TrackedTable) throws {
        // A clone loads its rows first.
        if try meta.text(.clone) != nil { return }
        let triggers = TrackingSQL(
            table: table, readOnly: try readOnlyColumns(table), times: try keptTimes(table)
        ).triggers
        let wanted = triggers.map(\.sql).jsonText
        let recorded = try known(table.name)?.triggers
        var isWhole = false
        if let recorded {
            let made = Set(try [String](jsonText: recorded).map(Value.text))
            // The schema has no index by name: one look finds them all.
            let names = TrackingSQL.kinds.map { "_moorage_\($0)_\(table.name)" }
            let places = names.map { _ in "?" }.joined(separator: ", ")
            let there = try String.fetchAll(
                db,
                sql: """
                    SELECT sql FROM sqlite_master WHERE type = 'trigger' AND name IN (\(places))
                    """, arguments: StatementArguments(names))
            isWhole = made == Set(there.map(Value.text))
        }
        if isWhole, recorded == wanted { return }
        try dropTriggers(table.name)
        for trigger in triggers { try db.execute(sql: trigger.sql) }
        let isNew =
            try Int.fetchOne(
                db, sql: "SELECT 1 FROM _moorage_table WHERE name = ? AND tracked = 0",
                arguments: [table.name]) != nil
        try db.execute(
            sql: "UPDATE _moorage_table SET triggers = ?, tracked = 1 WHERE name = ?",
            arguments: [wanted, table.name])
        if !isWhole, !isNew, !planted(.lostTriggersTrusted) { try rowsMovedUnseen(table) }
    }

    /// The columns that only the hub writes, where it says so.
    private func readOnlyColumns(_ table: TrackedTable) throws -> [String]? {
        guard let hub = try hubSchema()?.table(named: table.name), hub.direction == .down,
            let synced = SyncedTable(tracked: table, hub: hub)
        else { return nil }
        return synced.localNames
    }

    /// The columns whose times the app wants kept.
    private func keptTimes(_ table: TrackedTable) throws -> TrackingSQL.KeptTimes {
        let synced = try hubSchema()?.table(named: table.name).flatMap {
            SyncedTable(tracked: table, hub: $0)
        }
        // What comes from the hub alone keeps its times.
        if let synced, !synced.description.direction.takesChanges { return .init() }
        let wanted = configured.first { $0.name.hasSameBytes(as: table.name) }
        func column(_ name: String?) throws -> LocalColumn? {
            guard let name else { return nil }
            guard let position = table.local.column(named: name),
                !table.local.columns[position].isGenerated,
                !table.keyNames.contains(where: { SQLText.isSameName($0, name) })
            else {
                throw ReplicaError(
                    .missingColumn,
                    """
                    \(table.local.name) has no column \(name) for the time of a change: one that is \
                    neither generated nor part of the key. Add it, or leave it out of the replica's \
                    list of tables.
                    """, recovery: .changeSchema)
            }
            return table.local.columns[position]
        }
        return TrackingSQL.KeptTimes(
            created: try column(wanted?.createdAt), updated: try column(wanted?.updatedAt),
            edits: synced?.localNames)
    }

    /// The triggers were gone for a while: what changed meanwhile is found by comparison, or, before
    /// the first copy, by offering every row.
    private func rowsMovedUnseen(_ table: TrackedTable) throws {
        let name = table.name
        let cursor = try meta.cursor()
        let mode = try String.fetchOne(
            db, sql: "SELECT unseen FROM _moorage_table WHERE name = ?", arguments: [name])
        let isReceived = try hubSchema()?.table(named: name)?.direction.isReceived ?? true
        // A walk that was broken off just now, for another such table, may have brought rows of this
        // one.
        let isUnread =
            mode == nil && cursor.walk == nil && cursor.brokenOff == nil
            && cursor.tables[name] == nil
        if !isReceived || isUnread {
            // Rows of a table that is only sent may have been sent: they are offered again, and what
            // the centre made of them since stands.
            try noteEveryRow(table, again: !isReceived)
            return try noteDeletionsInFlight(table)
        }
        // While a copy of the table is under way its rows are of no one state: what the walk has yet
        // to bring is no deletion made here.
        let isBeingCopied =
            cursor.walk.map { $0.tables[name] != cursor.tables[name] }
            ?? (cursor.tables[name] == nil)
        guard mode != nil || isBeingCopied else {
            // The walk that is under way brought newer rows, and would not come back to them.
            try meta.set(cursor.breakingOff())
            return try db.execute(
                sql: "UPDATE _moorage_table SET recompare = 1 WHERE name = ?", arguments: [name])
        }
        try meta.set(cursor.breakingOff(readingAgain: name))
        try markUnseen(table)
        try db.execute(
            sql: """
                UPDATE _moorage_table SET unseen = 'recover', recompare = 2 WHERE name = ?
                """, arguments: [name])
    }

    /// A synced column that went away locally cannot be told from a mistake.
    private func checkKeptColumns(_ table: SyncedTable) throws {
        guard let before = try known(table.name)?.columns, let schema = try hubSchema(),
            let hub = schema.table(named: table.name)
        else { return }
        for name in before where hub.column(named: name) != nil {
            guard table.description.column(named: name) == nil else { continue }
            throw ReplicaError(
                .tableStopped,
                """
                \(table.tracked.local.name) lost its column \(name), which is synced. Add it \
                again; local changes are kept.
                """, recovery: .changeSchema)
        }
    }

    /// A column that the hub has from now on: what the app wrote into it before counts as edited, or
    /// the hub's values would take its place.
    private func noteNewlySynced(_ table: SyncedTable) throws {
        guard let before = try known(table.name)?.columns, !planted(.newColumnNotNoted) else {
            return
        }
        var unread = try unread(table.name)
        for (column, place) in table.placeOfColumn.enumerated() {
            let description = table.description.columns[column]
            let name = description.name
            guard let place, !before.contains(where: { $0.hasSameBytes(as: name) }) else {
                continue
            }
            if !description.isGenerated { try noteFilled(place, of: table.tracked) }
            unread.append(name)
        }
        try db.execute(
            sql: "UPDATE _moorage_table SET unread = ? WHERE name = ?",
            arguments: [unread.isEmpty ? nil : unread.jsonText, table.name])
    }

    private func unread(_ name: String) throws -> [String] {
        let sql = "SELECT unread FROM _moorage_table WHERE name = ?"
        guard let text = try String.fetchOne(db, sql: sql, arguments: [name]) else { return [] }
        return try meta.damaged("table \(name)") { try [String](jsonText: text) }
    }

    // MARK: Loading

    func load() throws -> LoadedTables {
        let schema = try hubSchema()
        let local = LocalSchema(db: db)
        var tracked: [TrackedTable] = []
        var stopped: [StoppedReplicaTable] = []
        var recompare: Set<String> = []
        var stale: Set<String> = []
        var hubStopped: [String: String] = [:]
        var unseen: [String: String] = [:]
        var unread: [String: [String]] = [:]
        for table in configured {
            let sql = "SELECT * FROM _moorage_table WHERE name = ?"
            guard let row = try Row.fetchOne(db, sql: sql, arguments: [table.name]) else {
                continue
            }
            if let reason: String = row["stopped"] {
                stopped.append(
                    StoppedReplicaTable(
                        name: table.name, code: row["stopped_code"], reason: reason))
            }
            let recompares: Int = row["recompare"]
            if recompares > 0 { recompare.insert(table.name) }
            if recompares > 1 { stale.insert(table.name) }
            if let reason: String = row["hub_stopped"] { hubStopped[table.name] = reason }
            if let mode: String = row["unseen"] { unseen[table.name] = mode }
            if row["unread"] != nil { unread[table.name] = try self.unread(table.name) }
            guard let known = try known(table.name), row["stopped"] == nil,
                let found = try local.table(named: table.name)
            else { continue }
            tracked.append(
                TrackedTable(
                    name: table.name, local: found, keyNames: known.keys, logNames: known.places))
        }
        let synced = (schema?.tables ?? []).compactMap { hub in
            tracked.first { $0.name.hasSameBytes(as: hub.name) }
                .flatMap { SyncedTable(tracked: $0, hub: hub) }
        }
        let names = configured.map(\.name)
        let references = try local.tableNames()
            .filter { name in !names.contains { SQLText.isSameName($0, name) } }
            .flatMap { try local.foreignKeys(of: $0) }
        return LoadedTables(
            schema: schema, tracked: tracked, synced: synced, stopped: stopped,
            hubStopped: hubStopped, recompare: recompare, stale: stale, unseen: unseen,
            unread: unread, localReferences: references)
    }
}
