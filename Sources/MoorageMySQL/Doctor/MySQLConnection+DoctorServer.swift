import MoorageCore
import MoorageHub

/// Triggers, transactions, settings, and Moorage's own objects.
extension MySQLConnection {
    func triggerFindings(_ examination: Examination) throws -> [Finding] {
        let synced = examination.synced.map(\.description)
        let answer = try link.query(
            """
            SELECT trigger_name, event_object_table, action_statement, action_timing = 'BEFORE',
              sql_mode LIKE '%NO_BACKSLASH_ESCAPES%'
            FROM information_schema.triggers
            WHERE event_object_schema = database() AND LEFT(trigger_name, 8) <> 'moorage_'
            ORDER BY trigger_name
            """, isKept: false)
        return (0..<answer.rowCount).compactMap { row in
            let (name, place) = (answer.text(row, 0) ?? "", answer.text(row, 1) ?? "")
            // A general finding covers the triggers whose body the user may not read.
            guard let table = synced.first(where: { $0.name.hasSameBytes(as: place) }),
                let text = answer.text(row, 2)
            else { return nil }
            let body = SQLWords(text, hasEscapes: !answer.isTrue(row, 4))
            return TriggerFact(
                name: name, table: table.name,
                changesRow: answer.isTrue(row, 3) && body.assignsNewRow, written: body.written,
                drop: "DROP TRIGGER \(SQLText.ownersName(name))"
            ).finding(synced: synced)
        }
    }

    /// Reports a MariaDB bug that affects every program that uses savepoints.
    func fullTextFindings() throws -> [Finding] {
        guard link.kind.losesFullText else { return [] }
        let answer = try link.query(
            """
            SELECT DISTINCT table_name FROM information_schema.statistics
            WHERE table_schema = database() AND index_type = 'FULLTEXT' ORDER BY table_name
            """, isKept: false)
        return (0..<answer.rowCount).compactMap { answer.text($0, 0) }.map { table in
            Finding(
                .fullTextIndex, .warning, table: table,
                """
                \(table) has a FULLTEXT index. MariaDB ends abruptly when a program writes to it, rolls back to a \
                savepoint and writes again. Moorage undoes refused changes in another way here, which takes longer; \
                it cannot where your triggers write to such a table in another database, or in one that its user \
                may not read.
                """)
        }
    }

    func transactionFindings(_ examination: Examination) throws -> [Finding] {
        // The server reports their start in the time zone of its machine.
        let answer = try link.query(
            """
            SELECT id, age, user, command FROM (
              SELECT t.trx_mysql_thread_id AS id, p.user, p.command, p.db,
                TIMESTAMPDIFF(SECOND, t.trx_started, CONVERT_TZ(UTC_TIMESTAMP(), '+00:00', 'SYSTEM')) AS age
              FROM information_schema.innodb_trx AS t
              LEFT JOIN information_schema.processlist AS p ON p.id = t.trx_mysql_thread_id) AS x
            WHERE id <> connection_id() AND (db = database() OR db IS NULL)
              AND age >= \(examination.longTransactionSeconds)
            ORDER BY age DESC, id
            """, isKept: false)
        return (0..<answer.rowCount).map { row in
            let (id, age) = (answer.text(row, 0) ?? "", answer.text(row, 1) ?? "")
            guard id != "0" else {
                return Finding(
                    .longTransaction, .warning,
                    """
                    A prepared transaction has waited for \(age) seconds to be committed or rolled back; its rows \
                    are locked.
                    """,
                    repair: .sql([
                        "-- XA RECOVER  -- names it", "-- XA COMMIT …", "-- XA ROLLBACK …",
                    ])
                )
            }
            return Finding(
                .longTransaction, .warning,
                """
                The session \(id) of \(answer.text(row, 2) ?? "a user") has had a transaction open for \(age) seconds \
                (\((answer.text(row, 3) ?? "").lowercased())). What it wrote is in no page yet, pushes wait for its \
                locks, and so does an attach.
                """, repair: .sql(["KILL \(id)"]))
        }
    }

    func settingFindings(_ examination: Examination, isTrusted: Bool) throws -> [Finding] {
        let answer = try link.query(
            """
            SELECT @@global.sql_mode, @@global.log_bin, @@global.binlog_format,
              @@global.log_bin_trust_function_creators, @@global.max_allowed_packet, @@global.read_only,
              CASE @@global.time_zone WHEN 'SYSTEM' THEN @@global.system_time_zone ELSE @@global.time_zone END
            """, isKept: false)
        var settings = ServerSettings()
        settings.sqlMode = answer.text(0, 0) ?? ""
        settings.hasBinaryLog = answer.isTrue(0, 1)
        settings.binaryLogFormat = answer.text(0, 2) ?? ""
        settings.trustsTriggers = answer.isTrue(0, 3)
        settings.isTrusted = isTrusted
        settings.maximumPacketBytes = answer.integer(0, 4) ?? .max
        settings.isReadOnly = answer.isTrue(0, 5)
        let zone = answer.text(0, 6) ?? "UTC"
        return settings.findings
            + examination.timeZoneFindings(zone: zone) { table, column in
                """
                ALTER TABLE \(SQLText.ownersName(table)) MODIFY \(SQLText.ownersName(column.name)) TIMESTAMP …  \
                -- in a session with time_zone = \(SQLText.literal(zone))
                """
            }
    }

    // MARK: Moorage's own

    func ownFindings(
        _ examination: Examination, _ edges: [ForeignEdge], _ who: Role
    ) throws -> [Finding] {
        guard let attached = examination.attached else { return [] }
        let answer = try link.query(
            """
            SELECT table_name FROM information_schema.tables
            WHERE table_schema = database() AND LEFT(table_name, 8) = 'moorage_'
            """, isKept: false)
        let tables = (0..<answer.rowCount).compactMap { answer.text($0, 0) }
            .map { OwnObject(.table, $0) }
        // The server hides a table on which the user has no privilege. Another finding reports the
        // missing privilege.
        func isShown(_ table: OwnObject) -> Bool {
            may("SELECT", with: table.name, who)
        }
        var findings = OwnObject.findings(
            expected: metadataSteps().compactMap(Self.table).filter(isShown), found: tables,
            of: nil)
        let triggers = try readTriggers()
        var notExamined: [String] = []
        for table in attached {
            let sql = try tracking(of: table, edges)
            let wanted = try sql.triggers().compactMap { trigger -> OwnObject? in
                let place = trigger.table
                // Without the privilege TRIGGER a user sees at most the names of triggers.
                let isSeen = may("TRIGGER", with: place, who)
                if !isSeen, !notExamined.contains(where: { $0.hasSameBytes(as: place) }) {
                    notExamined.append(place)
                }
                // Some users see the names of triggers whose bodies they may not read.
                guard isSeen || triggers.contains(where: { $0.table.hasSameBytes(as: place) })
                else { return nil }
                return OwnObject(
                    .trigger, trigger.name, on: place,
                    definition: isSeen
                        ? [trigger.event, TrackingSQL.block(trigger.body)] : nil)
            }
            let found = triggers.filter { $0.number == table.number }.map { trigger in
                OwnObject(
                    .trigger, trigger.name, on: trigger.table,
                    definition: trigger.body.map { [trigger.event, $0] })
            }
            findings += OwnObject.findings(
                expected: wanted + Self.trackingTables(sql).filter(isShown),
                found: found + tables, of: table.name)
        }
        if !notExamined.isEmpty {
            findings.append(
                Finding(
                    .notExamined, .note,
                    """
                    The triggers on \(Self.firstFew(notExamined.sorted())), yours and Moorage's, could not be looked \
                    at: the user \(who.grantee) lacks TRIGGER there. It needs none to serve; `moorage doctor` \
                    as the user that attaches sees them.
                    """))
        }
        return findings
    }

    /// MySQL does not show what roles grant.
    private func may(_ privilege: String, with table: String, _ who: Role) -> Bool {
        who.grants.has(privilege, on: who.database, table: table)
            || (!link.kind.isMariaDB && who.grants.hasRoles)
    }

    /// Moorage's own tables, with those of the attached tables where these are known.
    func ownTables(_ examination: Examination, _ edges: [ForeignEdge]) throws -> [String] {
        let tables = try (examination.attached ?? []).flatMap {
            Self.trackingTables(try tracking(of: $0, edges))
        }
        return (metadataSteps().compactMap(Self.table) + tables).map(\.name)
    }

    private func tracking(of table: AttachedTable, _ edges: [ForeignEdge]) throws -> TrackingSQL {
        let columns = try nativeColumns(of: table.name)
        let shape = try TableShape(
            table, columns: columns, facts: facts(of: table.name, columns: columns),
            kind: link.kind)
        return TrackingSQL(shape, edges: edges)
    }

    private static func trackingTables(_ sql: TrackingSQL) -> [OwnObject] {
        // A table's name does not depend on the types of its columns.
        sql.tableSteps { _, columns in columns.map { _ in "INT" } }.compactMap(Self.table)
    }

    private static func table(_ step: String) -> OwnObject? {
        OwnObject(creating: SQLWords(step)).map { OwnObject($0.kind, $0.name) }
    }
}
