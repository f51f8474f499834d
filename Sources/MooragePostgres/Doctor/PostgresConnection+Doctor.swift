import MoorageCore
import MoorageHub

/// What a doctor reads from PostgreSQL. All of it is in catalogs, except the highest keys.
extension PostgresConnection {
    func examine(_ examination: Examination) throws -> [Finding] {
        // The doctor reads the highest keys from the tables, which the owner's DDL may have locked.
        try link.simple("SET LOCAL lock_timeout TO 500")
        var findings = try examining("Privileges") { try privilegeFindings(examination) }
        findings += try examining("The indexes") { try indexFindings(examination) }
        for table in examination.synced {
            findings += try examining("The keys of \(table.name)") { try keyFindings(table) }
        }
        findings += try examining("Your foreign keys") { try referenceFindings(examination) }
        findings += try examining("Your triggers") { try triggerFindings(examination) }
        findings += try examining("Transactions") { try transactionFindings(examination) }
        findings += try examining("Settings") { try settingFindings(examination) }
        findings += try examining("Collations of keys") { try collationFindings(examination) }
        findings += try examining("Moorage's own objects") { try ownFindings(examination) }
        return findings
    }

    /// Tables with their object numbers, as a row source `s (name, id)`.
    func list(_ tables: [String]) -> String {
        if tables.isEmpty { return "(SELECT ''::text, 0::oid WHERE false) AS s(name, id)" }
        let rows = tables.map { name in
            "(\(SQLText.literal(name))::text, to_regclass(\(SQLText.literal(schema.table(name))))::oid)"
        }
        return "(VALUES \(rows.joined(separator: ", "))) AS s(name, id)"
    }

    // MARK: Transactions

    private func transactionFindings(_ examination: Examination) throws -> [Finding] {
        let age = "extract(epoch FROM now() - %)::bigint"
        let seconds = examination.longTransactionSeconds
        let answer = try link.simple(
            """
            SELECT a.pid, \(age.replacing("%", with: "a.xact_start")), a.state, quote_ident(a.usename)
            FROM pg_stat_activity AS a
            WHERE a.pid <> pg_backend_pid() AND a.backend_type = 'client backend'
              AND (a.datname = current_database() OR a.backend_xid IS NOT NULL)
              AND a.xact_start <= now() - interval '\(seconds) seconds'
            ORDER BY a.xact_start
            """)
        var findings = (0..<answer.rowCount).map { row in
            let (pid, age) = (answer.text(row, 0) ?? "", answer.text(row, 1) ?? "")
            return Finding(
                .longTransaction, .warning,
                """
                The session \(pid) of \(answer.text(row, 3) ?? "a role") has had a transaction open for \(age) \
                seconds (\(answer.text(row, 2) ?? "")). Until it ends every page reads again what came since, \
                and an attach waits for its locks.
                """, repair: .sql(["SELECT pg_terminate_backend(\(pid))"]))
        }
        let prepared = try link.simple(
            """
            SELECT p.gid, \(age.replacing("%", with: "p.prepared")) FROM pg_prepared_xacts AS p
            WHERE p.prepared <= now() - interval '\(seconds) seconds' ORDER BY p.prepared
            """)
        findings += (0..<prepared.rowCount).map { row in
            let name = SQLText.literal(prepared.text(row, 0) ?? "")
            return Finding(
                .longTransaction, .warning,
                """
                The prepared transaction \(name) has waited for \(prepared.text(row, 1) ?? "") seconds to be \
                committed or rolled back. Its rows are locked, and every page reads again what came since.
                """,
                repair: .sql(["-- COMMIT PREPARED \(name)", "-- ROLLBACK PREPARED \(name)"]))
        }
        let rights = try link.simple(
            "SELECT pg_has_role('pg_read_all_stats', 'USAGE'), quote_ident(current_user)")
        if rights.text(0, 0) != "t" {
            findings.append(
                Finding(
                    .notExamined, .note,
                    "Transactions of other roles could not be looked at.",
                    repair: .sql(["GRANT pg_read_all_stats TO \(rights.text(0, 1) ?? "")"])))
        }
        return findings
    }

    // MARK: Settings

    private func settingFindings(_ examination: Examination) throws -> [Finding] {
        // The defaults of a session that does not set these itself, as Moorage's do.
        let answer = try link.simple(
            """
            SELECT current_setting('server_encoding'),
              (SELECT reset_val FROM pg_settings WHERE name = 'TimeZone'),
              (SELECT reset_val FROM pg_settings WHERE name = 'default_transaction_read_only'),
              quote_ident(current_database())
            """)
        var findings: [Finding] = []
        let encoding = answer.text(0, 0) ?? ""
        if encoding != "UTF8" {
            findings.append(
                Finding(
                    .textEncoding, .warning,
                    """
                    The database has the encoding \(encoding): what a device writes in other characters is refused. \
                    Make a database with the encoding UTF8 and move the data.
                    """))
        }
        if answer.text(0, 2) == "on" {
            findings.append(
                Finding(
                    .readOnly, .warning,
                    """
                    Sessions are read-only here unless they say otherwise. Moorage's do, and write what devices \
                    send: is this the right database?
                    """,
                    repair: .sql([
                        "SET default_transaction_read_only = off",
                        "ALTER DATABASE \(answer.text(0, 3) ?? "") SET default_transaction_read_only = off",
                    ])))
        }
        let zone = answer.text(0, 1) ?? "UTC"
        findings += examination.timeZoneFindings(zone: zone) { table, column in
            let name = SQLText.name(column.name)
            return """
                ALTER TABLE \(schema.table(table)) ALTER COLUMN \(name) TYPE timestamptz \
                USING \(name) AT TIME ZONE \(SQLText.literal(zone))
                """
        }
        return findings
    }

    /// Texts in keys that the database calls equal and devices do not.
    private func collationFindings(_ examination: Examination) throws -> [Finding] {
        var findings: [Finding] = []
        for table in examination.synced {
            let description = table.description
            let keys = description.primaryKey + description.uniqueKeys.flatMap(\.self)
            guard keys.contains(where: { description.columns[$0].type == .text }) else { continue }
            let natives = try nativeColumns(of: table.name)
            for position in Set(keys).sorted() {
                let name = description.columns[position].name
                guard let column = natives.first(where: { $0.name.hasSameBytes(as: name) }),
                    column.family == .text,
                    let (what, type) = Self.loose(column)
                else { continue }
                let isPrimary = description.primaryKey.contains(position)
                findings.append(
                    Finding(
                        .keyCollation, isPrimary ? .warning : .note, table: table.name,
                        """
                        \(table.name).\(name) is \(isPrimary ? "a key" : "unique") and \(what): devices compare by \
                        bytes, and may send two rows that are one here.
                        """,
                        repair: .sql([
                            """
                            ALTER TABLE \(schema.table(table.name)) ALTER COLUMN \(column.quoted) TYPE \(type)
                            """
                        ])))
            }
        }
        return findings
    }

    /// Why a column calls different texts equal, and the type that does not.
    private static func loose(_ column: NativeColumn) -> (String, String)? {
        switch column.typeID {
        case 1042:
            let length = column.maximumLength.map { "(\($0))" } ?? ""
            return ("takes no account of spaces at the end", "varchar\(length)")
        case 25, 1043:
            if column.isDeterministic { return nil }
            let type = column.maximumLength.map { "varchar(\($0))" } ?? "text"
            return (
                "compares by \(column.collation ?? "a collation"), which calls different texts equal",
                "\(type) COLLATE pg_catalog.\"default\""
            )
        case 16384... where column.typeName.contains("citext"):
            return ("takes no account of case", "text")
        default: return nil
        }
    }
}
