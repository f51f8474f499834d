import MoorageCore
import MoorageHub
import MoorageSupport

extension PostgresConnection {
    /// The table's tracking with its partitions, as an attach makes it.
    private func wholeTracking(_ table: AttachedTable) throws -> TrackingSQL {
        let shape = try TableShape(
            table, in: schema, columns: nativeColumns(of: table.name), facts: facts(of: table.name))
        let literal = SQLText.literal(shape.name)
        let partitions = try link.simple(
            """
            SELECT format('%I.%I', n.nspname, c.relname)
            FROM pg_partition_tree(\(literal)) AS p JOIN pg_class AS c ON c.oid = p.relid
            JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE p.level > 0
            """)
        return TrackingSQL(
            shape: shape, canReplaceTriggers: link.serverVersion >= 140_000,
            partitions: (0..<partitions.rowCount).compactMap { partitions.text($0, 0) })
    }

    func hasMissedChanges(_ table: AttachedTable, previous: AttachedTable) throws -> Bool {
        let sql = try wholeTracking(table)
        return try !isRekeyed(sql.shape) && !areTriggersEnabled(sql)
    }

    func attachSteps(for table: AttachedTable, previous: AttachedTable?) throws -> [String] {
        let sql = try wholeTracking(table)
        let shape = sql.shape
        if let partitioned = try partitioned(among: sql.decidingTables) {
            throw CentralError.partitionedTableDecides(partitioned, scopesOf: table.name)
        }
        var steps: [String] = []
        // Triggers and table change together, so that no writer meets one without the other.
        let changes =
            (try isRekeyed(shape) ? [sql.dropTableStep] : []) + (try upgradeSteps(shape))
            + [sql.tableStep, sql.triggerStep]
        steps.append(changes.joined(separator: ";\n"))
        // All of them are created again, because under other paths the same number is on another
        // table.
        return try steps + dropAncestorSteps(of: table) + sql.ancestorSteps(types: castTypes)
    }

    /// Renames the column of an earlier format.
    private func upgradeSteps(_ shape: TableShape) throws -> [String] {
        let found = try link.simple(
            """
            SELECT 1 FROM pg_attribute WHERE attname = 'entered' AND NOT attisdropped
              AND attrelid = to_regclass(\(SQLText.literal(shape.track)))
            """)
        return found.rowCount == 0
            ? [] : ["ALTER TABLE \(shape.track) RENAME COLUMN entered TO live_since"]
    }

    func detachSteps(for table: AttachedTable) throws -> [String] {
        try dropAncestorSteps(of: table) + TrackingSQL.dropSteps(table, in: schema)
    }

    func leftSteps() throws -> [String] {
        let found = try link.simple(
            """
            SELECT format('DROP FUNCTION IF EXISTS %I.%I() CASCADE', n.nspname, p.proname)
            FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace
            WHERE n.oid = \(schema.number) AND p.pronargs = 0 AND p.proname ~
              '^moorage_(insert|update|delete|row|truncate|resolve|upper[0-9]+_[a-z]+)_[0-9]+(_|$)'
            UNION ALL
            SELECT format('DROP TABLE IF EXISTS %I.%I', n.nspname, c.relname)
            FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
            WHERE n.oid = \(schema.number) AND c.relkind = 'r'
              AND c.relname ~ '^moorage_(track|fill)_[0-9]+_'
            """)
        return (0..<found.rowCount).compactMap { found.text($0, 0) }
    }

    /// Drops the functions of triggers on other tables, with their triggers, and the table's
    /// unresolved moves.
    private func dropAncestorSteps(of table: AttachedTable) throws -> [String] {
        let found = try link.simple(
            """
            SELECT proname FROM pg_proc
            WHERE pronamespace = \(schema.number) AND proname LIKE 'moorage\\_upper%'
            """)
        let own = TrackingSQL.ancestorFunctions(of: table)
        return (0..<found.rowCount).compactMap { found.text($0, 0) }.filter(own.contains)
            .map { "DROP FUNCTION IF EXISTS \(schema.table($0))() CASCADE" } + [
                "DROP FUNCTION IF EXISTS \(TrackingSQL.resolveFunction(table.number, in: schema))()",
                "DELETE FROM \(ScopedTrackingSQL.unresolvedMoveTable(schema)) WHERE number = \(table.number)",
            ]
    }

    private func partitioned(among tables: [String]) throws -> String? {
        if tables.isEmpty { return nil }
        let names = tables.map { SQLText.literal($0) + "::regclass" }.joined(separator: ", ")
        let found = try link.simple(
            "SELECT relname FROM pg_class WHERE relkind = 'p' AND oid IN (\(names)) LIMIT 1")
        return found.rowCount == 0 ? nil : found.text(0, 0)
    }

    /// The types of columns, to cast a text to.
    private func castTypes(_ table: String, _ columns: [String]) throws -> [String] {
        let natives = try nativeColumns(of: table)
        return columns.map { column in
            guard let native = natives.first(where: { $0.name.hasSameBytes(as: column) }) else {
                return "text"
            }
            return native.typeName + (native.collation.map { " COLLATE \($0)" } ?? "")
        }
    }

    func runStep(_ sql: String) throws {
        if sql.hasPrefix(Self.concurrentIndex) {
            // It refuses to run in a transaction, and no writer queues behind its lock.
            defer { forgetShapes() }
            try link.simple(sql)
            return
        }
        let milliseconds = max(1, options.stepLockTimeout.milliseconds)
        let isOwn = !link.isInTransaction
        if isOwn { try begin(.write) }
        do {
            // One attach at a time: two would both find an object missing, and one would fail.
            try link.simple(
                """
                SET LOCAL lock_timeout TO \(milliseconds);
                SELECT pg_advisory_xact_lock(8317245091640)
                """)
            try link.simple(sql)
            if isOwn { try commit() }
        } catch {
            if isOwn { rollback() }
            forgetShapes()
            if (error as? CentralError)?.isPermission == true {
                rollback()
                throw try notPermitted()
            }
            throw error
        }
        forgetShapes()
    }

    /// Why a step was not allowed, and what to do. Call it outside the transaction, which has
    /// failed.
    private func notPermitted() throws -> CentralError {
        let answer = try link.simple(
            """
            SELECT quote_ident(current_user), string_agg(DISTINCT quote_ident(r.rolname), ', ')
            FROM (SELECT c.relowner AS owner FROM pg_class AS c
                  WHERE c.relnamespace = \(schema.number) AND c.relname LIKE 'moorage\\_%'
                  UNION SELECT p.proowner FROM pg_proc AS p
                  WHERE p.pronamespace = \(schema.number) AND p.proname LIKE 'moorage\\_%') AS o
            JOIN pg_roles AS r ON r.oid = o.owner WHERE NOT pg_has_role(o.owner, 'USAGE')
            """)
        let role = answer.text(0, 0) ?? ""
        guard let owners = answer.text(0, 1) else { return CentralError.roleLacksRight(role) }
        return CentralError.objectsOfOthers(owners, role: role)
    }

    /// Whether the tracking table exists with other keys.
    private func isRekeyed(_ shape: TableShape) throws -> Bool {
        let found = try link.simple(
            """
            SELECT string_agg(format_type(a.atttypid, a.atttypmod), ',' ORDER BY a.attnum)
            FROM pg_attribute AS a
            WHERE a.attrelid = to_regclass(\(SQLText.literal(shape.track)))
              AND a.attnum > 0 AND NOT a.attisdropped AND a.attname ~ '^k[0-9]+$'
            """
        ).text(0, 0)
        guard let found else { return false }
        let wanted = try link.simple(
            "SELECT "
                + shape.keys.map {
                    "to_regtype(\(SQLText.literal($0.plainTrackType)))::text"
                }.joined(separator: " || ',' || ")
        ).text(0, 0)
        return found != wanted
    }

    private func areTriggersEnabled(_ sql: TrackingSQL) throws -> Bool {
        let wanted =
            sql.shape.isPartitioned
            ? ["row", "truncate"] : ["insert", "update", "delete", "truncate"]
        let names = wanted.map { SQLText.literal(sql.shape.table.objectName($0)) }
        // A new partition has no trigger for TRUNCATE yet, so this does not ask for it. Attaching
        // compares what is missing.
        let copies = sql.partitions.map { SQLText.literal($0) + "::regclass" }
        let row = SQLText.literal(sql.shape.table.objectName("row"))
        // Ordinary triggers do not fire in a session that applies another server's changes.
        let count = try link.simple(
            """
            SELECT count(*) FROM pg_trigger AS g JOIN pg_class AS c ON c.oid = g.tgrelid
            WHERE (g.tgrelid = \(SQLText.literal(sql.shape.name))::regclass
                   AND g.tgname IN (\(names.joined(separator: ", ")))
                OR g.tgrelid = ANY (ARRAY[\(copies.joined(separator: ", "))]::oid[])
                   AND g.tgname = \(row))
              AND (g.tgenabled = 'A' OR g.tgenabled = 'O' AND NOT pg_has_role(c.relowner, 'USAGE'))
            """
        ).text(0, 0)
        return count == String(wanted.count + copies.count)
    }
}
