import MoorageCore
import MoorageHub

/// Indexes, keys and triggers of the owner's tables.
extension PostgresConnection {
    func indexFindings(_ examination: Examination) throws -> [Finding] {
        let needs = examination.indexNeeds
        let tables = Array(Set(needs.map(\.table))).sorted()
        let answer = try link.simple(
            """
            SELECT s.name, x.relname, a.attname,
              i.indisvalid AND m.amname IN ('btree', 'hash') AND (i.indpred IS NULL
                -- what refers to nothing is not looked for
                OR pg_get_expr(i.indpred, i.indrelid) = (
                  SELECT '(' || quote_ident(f.attname) || ' IS NOT NULL)' FROM pg_attribute AS f
                  WHERE f.attrelid = i.indrelid AND f.attnum = i.indkey[0])),
              t.relkind = 'p'
            FROM \(list(tables)) JOIN pg_class AS t ON t.oid = s.id
            LEFT JOIN pg_index AS i ON i.indrelid = s.id
            LEFT JOIN pg_class AS x ON x.oid = i.indexrelid LEFT JOIN pg_am AS m ON m.oid = x.relam
            LEFT JOIN LATERAL unnest(i.indkey::smallint[]) WITH ORDINALITY AS k(number, position)
              ON k.position <= i.indnkeyatts
            LEFT JOIN pg_attribute AS a ON a.attrelid = s.id AND a.attnum = k.number AND k.number > 0
            ORDER BY s.name, x.oid, k.position
            """)
        var facts: [IndexFact] = []
        var partitioned: Set<String> = []
        var columns: [String] = []
        var isClosed = false
        for row in 0..<answer.rowCount {
            let table = answer.text(row, 0) ?? ""
            if answer.text(row, 4) == "t" { partitioned.insert(table) }
            guard let name = answer.text(row, 1) else { continue }
            if let last = facts.last, last.name == name, last.table == table {
                facts.removeLast()
            } else {
                (columns, isClosed) = ([], false)
            }
            if let column = answer.text(row, 2), !isClosed {
                columns.append(column)
            } else {
                isClosed = true
            }
            facts.append(
                IndexFact(
                    name: name, table: table, columns: columns, isUsable: answer.text(row, 3) == "t"
                ))
        }
        // Tables, sequences and views share their names with indexes.
        let relations = try link.simple(
            "SELECT relname FROM pg_class WHERE relnamespace = \(schema.number)")
        let taken = (0..<relations.rowCount).compactMap { relations.text($0, 0) }
        return examination.indexFindings(facts, taken: Set(taken)) { name, need in
            let columns = need.columns.map(SQLText.name).joined(separator: ", ")
            // An index of a partitioned table cannot be created while others write.
            let way = partitioned.contains(need.table) ? "" : "CONCURRENTLY "
            return [
                """
                CREATE INDEX \(way)\(SQLText.name(name)) ON \(schema.table(need.table)) (\(columns))
                """
            ]
        }
    }

    // MARK: Keys

    func keyFindings(_ table: AttachedTable) throws -> [Finding] {
        let description = table.description
        guard description.primaryKey.count == 1, let position = description.primaryKey.first,
            description.columns[position].type == .integer
        else { return [] }
        let name = description.columns[position].name
        let (quoted, column) = (schema.table(table.name), SQLText.name(name))
        let answer = try link.simple(
            """
            SELECT max(\(column))::bigint,
              (SELECT a.atttypid FROM pg_attribute AS a
               WHERE a.attrelid = \(SQLText.literal(quoted))::regclass AND a.attname = \(SQLText.literal(name)))
            FROM \(quoted)
            """)
        let capacity: Int64 =
            switch answer.text(0, 1) {
            case "21": Int64(Int16.max)
            case "23": Int64(Int32.max)
            default: .max
            }
        // A sequence that counts down, or in a cycle, says nothing about the next key.
        let sequence = try link.simple(
            """
            SELECT format('%I.%I', n.nspname, c.relname),
              CASE WHEN has_sequence_privilege(s.seqrelid, 'USAGE, SELECT')
                THEN coalesce(pg_sequence_last_value(s.seqrelid) + s.seqincrement, s.seqstart) END,
              s.seqtypid
            FROM pg_sequence AS s JOIN pg_class AS c ON c.oid = s.seqrelid
            JOIN pg_namespace AS n ON n.oid = c.relnamespace
            WHERE s.seqrelid = pg_get_serial_sequence(\(SQLText.literal(quoted)), \(SQLText.literal(name)))::regclass
              AND s.seqincrement > 0 AND NOT s.seqcycle
            """)
        let isThere = sequence.rowCount == 1
        let sequenceName = isThere ? sequence.text(0, 0) ?? "" : ""
        let fact = KeyFact(
            table: table.name, column: name,
            highest: answer.text(0, 0).flatMap { Int64($0) }, capacity: capacity,
            next: isThere ? sequence.text(0, 1).flatMap { Int64($0) } : nil)
        return fact.findings(
            widen: try widen(table.name, name)
                + (isThere && sequence.text(0, 2) != "20"
                    ? ["ALTER SEQUENCE \(sequenceName) AS bigint"] : []),
            advance: [
                "SELECT setval(\(SQLText.literal(sequenceName)), (SELECT max(\(column)) FROM \(quoted)))"
            ])
    }

    /// The statements that widen a key and the columns that refer to it.
    private func widen(_ table: String, _ column: String) throws -> [String] {
        let answer = try link.simple(
            """
            SELECT format('%I.%I', n.nspname, c.relname), quote_ident(a.attname)
            FROM pg_constraint AS k JOIN pg_class AS c ON c.oid = k.conrelid
            JOIN pg_namespace AS n ON n.oid = c.relnamespace
            CROSS JOIN LATERAL unnest(k.conkey, k.confkey) AS p(own, other)
            JOIN pg_attribute AS a ON a.attrelid = k.conrelid AND a.attnum = p.own
            JOIN pg_attribute AS b ON b.attrelid = k.confrelid AND b.attnum = p.other
            WHERE k.contype = 'f' AND k.conparentid = 0 AND a.atttypid IN (21, 23)
              AND k.confrelid = \(SQLText.literal(schema.table(table)))::regclass
              AND b.attname = \(SQLText.literal(column))
            ORDER BY 1, 2
            """)
        return [
            "ALTER TABLE \(schema.table(table)) ALTER COLUMN \(SQLText.name(column)) TYPE bigint"
        ]
            + (0..<answer.rowCount).map { row in
                """
                ALTER TABLE \(answer.text(row, 0) ?? "") ALTER COLUMN \(answer.text(row, 1) ?? "") TYPE bigint
                """
            }
    }

    // MARK: Triggers

    func triggerFindings(_ examination: Examination) throws -> [Finding] {
        let synced = examination.synced.map(\.description)
        let answer = try link.simple(
            """
            SELECT s.name, g.tgname, p.prosrc, l.lanname IN ('plpgsql', 'sql'),
              (g.tgtype & 3) = 3 AND (g.tgtype & 20) <> 0,
              'DROP TRIGGER ' || quote_ident(g.tgname)
            FROM \(list(synced.map(\.name))) JOIN pg_trigger AS g ON g.tgrelid = s.id
            JOIN pg_proc AS p ON p.oid = g.tgfoid JOIN pg_language AS l ON l.oid = p.prolang
            WHERE NOT g.tgisinternal AND g.tgenabled IN ('O', 'A') AND g.tgname NOT LIKE 'moorage\\_%'
            UNION ALL
            SELECT s.name, r.rulename, pg_get_ruledef(r.oid), true, r.is_instead,
              'DROP RULE ' || quote_ident(r.rulename)
            FROM \(list(synced.map(\.name)))
            JOIN pg_rewrite AS r ON r.ev_class = s.id AND r.ev_type IN ('2', '3', '4')
              AND r.ev_enabled IN ('O', 'A')
            ORDER BY 1, 2
            """)
        return (0..<answer.rowCount).compactMap { row in
            let table = answer.text(row, 0) ?? ""
            let isReadable = answer.text(row, 3) == "t"
            let body = SQLWords(isReadable ? answer.text(row, 2) ?? "" : "")
            let isRule = answer.text(row, 5)?.hasPrefix("DROP RULE") == true
            // A function in another language, such as C, may change the row in any way before it is
            // written.
            let changes =
                answer.text(row, 4) == "t"
                && (isRule || !isReadable || body.assignsNewRow || body.dropsRow)
            return TriggerFact(
                name: answer.text(row, 1) ?? "", table: table, changesRow: changes,
                written: isRule ? body.writtenByRule : body.written,
                drop: "\(answer.text(row, 5) ?? "") ON \(schema.table(table))"
            ).finding(synced: synced)
        }
    }
}

extension SQLWords {
    /// A trigger that returns NULL drops the row. One that returns OLD keeps it as it was.
    fileprivate var dropsRow: Bool {
        zip(words, words.dropFirst()).contains {
            $0.isKeyword("RETURN") && ($1.isKeyword("NULL") || $1.isKeyword("OLD"))
        }
    }

    /// The tables that a rule writes to. They follow DO, and the event precedes it.
    fileprivate var writtenByRule: [String] {
        guard let start = words.firstIndex(where: { $0.isKeyword("DO") }) else { return [] }
        return SQLWords(Array(words[start...])).written
    }
}
