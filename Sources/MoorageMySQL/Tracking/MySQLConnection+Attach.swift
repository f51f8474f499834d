import MoorageCore
import MoorageHub

extension MySQLConnection {
    func attachSteps(for table: AttachedTable, previous: AttachedTable?) throws -> [String] {
        let columns = try nativeColumns(of: table.name)
        let shape = try TableShape(
            table, columns: columns, facts: facts(of: table.name, columns: columns), kind: link.kind
        )
        let sql = TrackingSQL(shape, edges: try readForeignEdges())
        let wanted = try sql.triggers()
        let user = try link.query("SELECT current_user()", isKept: false).text(0, 0)
        var steps: [String] = []
        let all = try readTriggers(of: table)
        var found = all
        let narrow = try keptKeys(shape).filter { !shape.isKept(as: $0.types) }
        if !narrow.isEmpty, let previous, Self.isKeyed(table, as: previous),
            narrow.allSatisfy({ $0.types.count == shape.keys.count })
        {
            // Queues and tombstones remain, and triggers record every write meanwhile.
            steps += narrow.map { Self.widening($0.table, $0.types, shape) }
        } else if !narrow.isEmpty {
            steps += found.map { "DROP TRIGGER IF EXISTS \(SQLText.name($0.name))" }
            steps += TrackingSQL.tables(of: table).map {
                "DROP TABLE IF EXISTS \(SQLText.name($0))"
            }
            found = []
        }
        // Queues of other paths do not fit. Cascade triggers record what actions do all the while.
        // They pass over a missing queue, and are replaced before a queue of another kind exists.
        let isAlike = previous.map { $0.scopes == table.scopes } ?? false
        let stale = isAlike ? [] : try readTables(named: table.ancestorNames(["queue"]))
        if !stale.isEmpty {
            let ancestors = found.filter { $0.name.hasPrefix("moorage_upper") }
            steps += ancestors.map { "DROP TRIGGER IF EXISTS \(SQLText.name($0.name))" }
            steps += stale.map { "DROP TABLE IF EXISTS \(SQLText.name($0))" }
            found.removeAll { $0.name.hasPrefix("moorage_upper") }
        }
        func isCascade(_ trigger: TrackingSQL.Trigger) -> Bool {
            trigger.name.hasPrefix("moorage_cascade")
        }
        func triggerSteps(_ triggers: [TrackingSQL.Trigger]) -> [String] {
            triggers.flatMap { trigger -> [String] in
                let known = found.first { $0.name == trigger.name }
                // A trigger runs as the user who created it. If that user is gone or lacks a
                // privilege, every write fails. The user who attaches now exists. No write
                // succeeded before, so none was missed.
                if let known, known.matches(trigger), known.definer == user { return [] }
                // A trigger stays with a table that was renamed. A new trigger on another table
                // does not replace it.
                let isElsewhere = known.map { !$0.table.hasSameBytes(as: trigger.table) } ?? false
                return (isElsewhere ? ["DROP TRIGGER IF EXISTS \(SQLText.name(trigger.name))"] : [])
                    + [sql.step(trigger, isReplacing: known != nil && !isElsewhere)]
            }
        }
        if !stale.isEmpty { steps += triggerSteps(wanted.filter(isCascade)) }
        steps += try upgradeSteps(table) + sql.tableSteps(types: declaredTypes)
        steps += triggerSteps(stale.isEmpty ? wanted : wanted.filter { !isCascade($0) })
        steps += found.filter { old in !wanted.contains { $0.name == old.name } }
            .map { "DROP TRIGGER IF EXISTS \(SQLText.name($0.name))" }
        guard let previous else { return steps }
        // While a trigger was missing, no trigger recorded changes. The table of
        // ``TrackingSQL/createMissed`` remembers this, in case the attach ends right after it
        // creates the triggers.
        let isMissed =
            try !isWatched(previous, all)
            || !readTables(named: [sql.missedName]).isEmpty
        return isMissed ? [sql.createMissed] + steps + [sql.restamp, sql.dropMissed] : steps
    }

    /// Renames the column of an earlier format. No trigger writes tracking rows meanwhile.
    private func upgradeSteps(_ table: AttachedTable) throws -> [String] {
        let track = table.objectName("track")
        let found = try link.query(
            """
            SELECT 1 FROM information_schema.columns WHERE table_schema = database()
              AND table_name = \(SQLText.literal(track)) AND column_name = 'entered'
            """)
        return found.rowCount == 0
            ? [] : ["ALTER TABLE \(SQLText.name(track)) CHANGE entered live_since BIGINT"]
    }

    func detachSteps(for table: AttachedTable) throws -> [String] {
        try readTriggers(of: table).map { "DROP TRIGGER IF EXISTS \(SQLText.name($0.name))" }
            + readTables(named: Set(TrackingSQL.tables(of: table))).map {
                "DROP TABLE IF EXISTS \(SQLText.name($0))"
            }
    }

    /// Whether every trigger exists that the table needs as it was attached.
    private func isWatched(_ previous: AttachedTable, _ found: [FoundTrigger]) throws -> Bool {
        let known = try attachedTables().first { $0.number == previous.number }
        guard let known, let columns = try? nativeColumns(of: known.name) else { return false }
        let shape = try? TableShape(
            known, columns: columns, facts: facts(of: known.name, columns: columns),
            kind: link.kind)
        guard let shape else { return false }
        return try TrackingSQL(shape, edges: readForeignEdges()).triggers()
            .allSatisfy { trigger in found.contains { $0.matches(trigger) } }
    }

    /// A trigger of Moorage's, as it exists on some table.
    struct FoundTrigger {
        let name: String
        let table: String
        let event: String
        /// `nil` for a user without the privilege `TRIGGER`.
        let body: String?
        /// The user that it runs as, `user@host`; `nil` where the body is `nil`.
        let definer: String?

        /// The number of the table that it works for.
        var number: Int? { MySQLConnection.number(of: name) }

        func stands(for trigger: TrackingSQL.Trigger) -> Bool {
            name == trigger.name && table.hasSameBytes(as: trigger.table)
                && event == trigger.event
        }

        func matches(_ trigger: TrackingSQL.Trigger) -> Bool {
            stands(for: trigger) && body == TrackingSQL.block(trigger.body)
        }
    }

    /// The triggers of a table, on whichever table they are.
    private func readTriggers(of table: AttachedTable) throws -> [FoundTrigger] {
        try readTriggers().filter { $0.number == table.number }
    }

    /// All of Moorage's triggers. The server opens every table to list them.
    func readTriggers() throws -> [FoundTrigger] {
        let answer = try link.query(
            """
            SELECT trigger_name, event_object_table, concat(action_timing, ' ', event_manipulation),
              action_statement, definer
            FROM information_schema.triggers
            WHERE event_object_schema = database() AND LEFT(trigger_name, 8) = 'moorage_'
            ORDER BY trigger_name
            """, isKept: false)
        return (0..<answer.rowCount).map { row in
            FoundTrigger(
                name: answer.text(row, 0) ?? "", table: answer.text(row, 1) ?? "",
                event: answer.text(row, 2) ?? "", body: answer.text(row, 3),
                definer: answer.text(row, 4))
        }
    }

    /// The number in `moorage_<kind>_<number>_<table>`. A kind has no part of digits only, but a
    /// table's name may look like anything.
    static func number(of objectName: String) -> Int? {
        let parts = objectName.split(separator: "_", omittingEmptySubsequences: false)
        return parts.dropFirst(2).lazy
            .filter { !$0.isEmpty && $0.utf8.allSatisfy { (48...57).contains($0) } }
            .first.flatMap { Int($0) }
    }

    private func readTables(named names: Set<String>) throws -> [String] {
        let answer = try link.query(
            """
            SELECT table_name FROM information_schema.tables
            WHERE table_schema = database() AND LEFT(table_name, 8) = 'moorage_' ORDER BY table_name
            """, isKept: false)
        return (0..<answer.rowCount).compactMap { answer.text($0, 0) }.filter(names.contains)
    }

    /// The declared types of columns, for columns of Moorage's that must store the same values.
    private func declaredTypes(_ table: String, _ columns: [String]) throws -> [String] {
        let natives = try nativeColumns(of: table)
        return try columns.map { name in
            guard let native = natives.first(where: { $0.name.hasSameBytes(as: name) }) else {
                throw CentralError.columnGoneDuringAttach(name, of: table)
            }
            guard let set = native.characterSet, let collation = native.collation else {
                return "\(native.columnType) NULL"
            }
            return "\(native.columnType) CHARACTER SET \(set) COLLATE \(collation) NULL"
        }
    }

    /// Whether Moorage's key columns can no longer store every key of the table. This happens when
    /// the owner gives a key column another type. Until the next attach nothing records the keys
    /// that do not fit.
    func keyTypeProblem(_ shape: TableShape) throws -> Bool {
        try keptKeys(shape).contains { !shape.isKept(as: $0.types) }
    }

    /// The types of `k0, k1, …` in those of Moorage's tables that exist.
    private func keptKeys(_ shape: TableShape) throws -> [(table: String, types: [String])] {
        let names = ["queue", "track", "touched", "derived"]
            .map { SQLText.literal(shape.table.objectName($0)) }
        let answer = try link.query(
            """
            SELECT table_name, column_type FROM information_schema.columns
            WHERE table_schema = database() AND table_name IN (\(names.joined(separator: ", ")))
              AND column_name REGEXP '^k[0-9]+$'
            ORDER BY table_name, ordinal_position
            """, isKept: false)
        var kept: [(table: String, types: [String])] = []
        for row in 0..<answer.rowCount {
            let (table, type) = (answer.text(row, 0) ?? "", answer.text(row, 1) ?? "")
            if kept.last?.table != table { kept.append((table, [])) }
            kept[kept.count - 1].types.append(type)
        }
        return kept
    }

    /// Whether a table's keys are the same as before. A number may have become the same number as
    /// text.
    private static func isKeyed(_ table: AttachedTable, as previous: AttachedTable) -> Bool {
        func types(_ table: AttachedTable) -> [ColumnType] {
            table.description.primaryKey.map { table.description.columns[$0].type }
        }
        let (new, old) = (types(table), types(previous))
        return new.count == old.count
            && zip(new, old).allSatisfy { $0 == $1 || ($0 == .text && $1 == .integer) }
    }

    private static func widening(_ table: String, _ types: [String], _ shape: TableShape) -> String
    {
        let columns = shape.keys.indices.filter { !shape.keys[$0].isKept(as: types[$0]) }
            .map { "MODIFY k\($0) \(shape.trackTypes[$0]) NOT NULL" }
        return "ALTER TABLE \(SQLText.name(table)) \(columns.joined(separator: ", "))"
    }

    func runStep(_ sql: String) throws {
        let wasInTransaction = link.isInTransaction
        let seconds = max(1, options.stepLockTimeout.components.seconds)
        do {
            try link.simple("SET SESSION lock_wait_timeout = \(seconds)")
            try link.simple(sql)
            try link.simple(
                "SET SESSION lock_wait_timeout = \(max(1, options.lockTimeout.components.seconds))")
        } catch {
            forgetShapes()
            // LOCK TABLES keeps its locks until UNLOCK TABLES.
            if link.isOpen, sql.hasPrefix("LOCK TABLES") { try link.simple("UNLOCK TABLES") }
            throw error
        }
        forgetShapes()
        // A statement that changes the schema commits. What follows is again written wholly or not
        // at all: without its format, an installation looks like none.
        if wasInTransaction, !link.isInTransaction { try begin(.write) }
    }

    func restamp(_ table: AttachedTable) throws {
        try link.simple(TrackingSQL(try shape(of: table)).restamp)
    }

    /// One statement, because it only writes into the queue, which makes nobody wait.
    func restamp(_ table: AttachedTable, batch: Int, progress: (Int) throws -> Void) throws {
        try begin(.write)
        do {
            try restamp(table)
            try commit()
        } catch {
            rollback()
            throw error
        }
    }

    /// The steps of an attach see to it, because each of them is a transaction of its own.
    func hasMissedChanges(_ table: AttachedTable, previous: AttachedTable) throws -> Bool { false }
}
