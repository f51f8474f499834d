import MoorageCore
import MoorageHub

/// What the catalog says of the owner's tables, all in one schema.
extension PostgresConnection {
    func readTables() throws -> [CentralTable] {
        try findExtensions()
        let columns = try nativeColumns(of: nil)
        let keys = try readKeys()
        let foreignKeys = try readForeignKeys()
        let facts = try readFacts()
        var problems = ByteKeyedDictionary<TableProblem>()
        var supported = ByteKeyedDictionary<Bool>()
        let role = try facts.contains(where: \.hasRowSecurity) ? quotedRole() : ""
        for fact in facts {
            problems[fact.name] = problem(
                fact, columns[fact.name] ?? [], keys[fact.name] ?? [], role: role)
            if problems[fact.name] == nil { supported[fact.name] = true }
        }
        return facts.map { fact in
            if let problem = problems[fact.name] {
                return CentralTable(name: fact.name, problem: problem)
            }
            let own = columns[fact.name] ?? []
            func positions(_ names: [String]) -> [Int] {
                names.compactMap { name in own.firstIndex { $0.name.hasSameBytes(as: name) } }
            }
            let unique = keys[fact.name] ?? []
            let primary = unique.first { $0.isPrimary }
            let description = TableDescription(
                name: fact.name, columns: own.map(\.description),
                primaryKey: positions(primary?.columns ?? []),
                uniqueKeys: unique.filter { !$0.isPrimary }.map { positions($0.columns) },
                foreignKeys: (foreignKeys[fact.name] ?? [])
                    .filter { foreign in
                        // Only the central database checks a reference by an equality that devices
                        // do not know.
                        supported[foreign.referencedTable] != nil
                            && positions(foreign.columns).allSatisfy { own[$0].isComparedByBytes }
                    }
                    .map { foreign in
                        ForeignKey(
                            columns: positions(foreign.columns),
                            referencedTable: foreign.referencedTable,
                            referencedColumns: foreign.referencedColumns,
                            onDelete: foreign.onDelete, onUpdate: foreign.onUpdate,
                            isDeferrable: foreign.isDeferrable)
                    })
            return primary == nil
                ? keyless(description, own, canAddKey: fact.kind == "r")
                : CentralTable(name: fact.name, support: .supported(description))
        }
    }

    /// A digest of object numbers and names, without expressions. It changes with any statement
    /// that changes a table, and is cheap to read.
    func schemaStamp() throws -> String {
        // A transaction may have changed the catalog itself, which no snapshot shows.
        guard !link.isInTransaction else { return try readStamp() }
        return try schemaStamp(at: changeToken())
    }

    /// - Parameter snapshot: A snapshot that was read just now, outside a transaction.
    func schemaStamp(at snapshot: String) throws -> String {
        // The snapshot is the same, so nothing was committed meanwhile and no table changed.
        if let known = lastStamp, known.snapshot == snapshot { return known.stamp }
        let stamp = try readStamp()
        lastStamp = (snapshot, stamp)
        return stamp
    }

    private func readStamp() throws -> String {
        let answer = try link.query(
            """
            WITH t AS (
              SELECT c.oid, c.relname, c.relkind, c.relpersistence, c.relispartition,
                     c.relrowsecurity, c.relforcerowsecurity, c.relhasrules,
                     EXISTS (SELECT FROM pg_subscription_rel AS s WHERE s.srrelid = c.oid)
              FROM pg_class AS c
              WHERE c.relnamespace = \(schema.number) AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
                AND c.relname NOT LIKE 'moorage\\_%')
            SELECT md5(concat(
              (SELECT string_agg(t::text, ';' ORDER BY t.oid) FROM t),
              (SELECT string_agg(concat_ws(',', a.attrelid, a.attnum, a.attname, a.atttypid,
                        a.atttypmod, a.attnotnull, a.attidentity, a.attgenerated, a.attcollation,
                        d.oid), ';' ORDER BY a.attrelid, a.attnum)
               FROM t JOIN pg_attribute AS a ON a.attrelid = t.oid AND a.attnum > 0
               LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
               WHERE NOT a.attisdropped),
              (SELECT string_agg(concat_ws(',', i.indexrelid, i.indisunique, i.indisprimary,
                        i.indisvalid), ';' ORDER BY i.indexrelid)
               FROM t JOIN pg_index AS i ON i.indrelid = t.oid WHERE i.indisunique),
              (SELECT string_agg(concat_ws(',', k.oid, k.conname, k.condeferrable), ';'
                        ORDER BY k.oid)
               FROM t JOIN pg_constraint AS k ON k.conrelid = t.oid),
              (SELECT string_agg(concat_ws(',', g.tgrelid, g.tgname, g.tgenabled), ';'
                        ORDER BY g.oid)
               FROM t JOIN pg_trigger AS g ON g.tgrelid = t.oid
               WHERE NOT g.tgisinternal),
              (SELECT string_agg(concat_ws(',', h.inhrelid, h.inhparent), ';'
                        ORDER BY h.inhrelid, h.inhparent)
               FROM t JOIN pg_inherits AS h ON h.inhparent = t.oid),
              (SELECT string_agg(concat_ws(',', e.oid, e.enumlabel), ';' ORDER BY e.oid)
               FROM pg_enum AS e)))
            """, Parameters())
        let stamp = answer.text(0, 0) ?? ""
        try noticed(stamp: stamp)
        return stamp
    }

    // MARK: Tables

    private struct TableFact {
        let name: String
        let kind: String
        let persistence: String
        let isPartition: Bool
        let inherits: Bool
        let hasRowSecurity: Bool
        let isSubscribed: Bool
    }

    private func readFacts() throws -> [TableFact] {
        let answer = try link.simple(
            """
            SELECT c.relname, c.relkind, c.relpersistence, c.relispartition,
                   EXISTS (SELECT FROM pg_inherits AS h
                           WHERE (h.inhrelid = c.oid AND NOT c.relispartition)
                              OR (h.inhparent = c.oid AND c.relkind <> 'p')),
                   row_security_active(c.oid),
                   EXISTS (SELECT FROM pg_subscription_rel AS s WHERE s.srrelid = c.oid)
            FROM pg_class AS c
            WHERE c.relnamespace = \(schema.number)
              AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.relname NOT LIKE 'moorage\\_%'
              AND NOT EXISTS (SELECT FROM pg_depend AS d
                              WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid
                                AND d.deptype = 'e')
            ORDER BY c.relname COLLATE "C"
            """)
        return (0..<answer.rowCount).map { row in
            TableFact(
                name: answer.text(row, 0) ?? "", kind: answer.text(row, 1) ?? "",
                persistence: answer.text(row, 2) ?? "", isPartition: answer.text(row, 3) == "t",
                inherits: answer.text(row, 4) == "t", hasRowSecurity: answer.text(row, 5) == "t",
                isSubscribed: answer.text(row, 6) == "t")
        }
    }

    private func problem(
        _ fact: TableFact, _ columns: [NativeColumn], _ keys: [UniqueKey], role: String
    ) -> TableProblem? {
        let alter = "ALTER TABLE \(schema.table(fact.name))"
        switch fact.kind {
        case "v", "m": return TableProblem.view(fact.name)
        case "f": return TableProblem.foreignTable(fact.name)
        default: break
        }
        if fact.isPartition { return TableProblem.partition(fact.name) }
        if fact.inherits { return TableProblem.inherited(fact.name) }
        if fact.persistence != "p" {
            return TableProblem.unlogged(fact.name, repair: ["\(alter) SET LOGGED"])
        }
        if fact.hasRowSecurity {
            return TableProblem.rowPolicies(
                of: fact.name, repair: ["ALTER ROLE \(role) BYPASSRLS"])
        }
        if fact.isSubscribed, fact.kind == "r" { return TableProblem.subscribed(fact.name) }
        for key in keys.first(where: \.isPrimary)?.columns ?? [] {
            guard let column = columns.first(where: { $0.name.hasSameBytes(as: key) }) else {
                continue
            }
            if KeyColumn(column) == nil {
                return TableProblem.keyType(column.typeName, of: fact.name)
            }
        }
        return nil
    }

    /// A table whose only problem is that it has no primary key. What is required of a primary
    /// key's columns is required of a substitute's.
    private func keyless(
        _ description: TableDescription, _ columns: [NativeColumn], canAddKey: Bool
    ) -> CentralTable {
        let substitutes = description.uniqueKeys.filter { key in
            key.allSatisfy {
                !columns[$0].isNullable && !columns[$0].isGenerated && KeyColumn(columns[$0]) != nil
            }
        }
        let keyless = KeylessTable(
            description: description,
            substitutes: substitutes.map { KeylessTable.Substitute(columns: $0) },
            // An index of a partitioned table is unique only with the columns that divide it.
            addedKeyType: canAddKey ? .uuid : nil)
        return CentralTable(
            name: description.name,
            problem: TableProblem.noPrimaryKey(
                of: description.name, keyless, repair: keyRepair(keyless)), keyless: keyless)
    }

    /// Makes a unique key the primary one where possible. Otherwise adds a column for it.
    private func keyRepair(_ keyless: KeylessTable) -> [String] {
        let alter = "ALTER TABLE \(schema.table(keyless.description.name))"
        if let substitute = keyless.substitutes.first {
            let names = keyless.names(of: substitute).map(SQLText.name).joined(separator: ", ")
            return ["\(alter) ADD PRIMARY KEY (\(names))"]
        }
        let free = ["id", "row_id", "sync_id"].first { name in
            !keyless.description.columns.contains { $0.name.lowercased() == name }
        }
        return ["-- \(alter) ADD PRIMARY KEY (…)  -- where columns tell rows apart already, else:"]
            + (free.map {
                ["\(alter) ADD COLUMN \($0) uuid NOT NULL DEFAULT gen_random_uuid() PRIMARY KEY"]
            } ?? [])
    }

    /// The connection's role, as SQL.
    func quotedRole() throws -> String {
        try link.simple("SELECT quote_ident(current_user)").text(0, 0) ?? "CURRENT_USER"
    }

    // MARK: Keys

    private struct UniqueKey {
        let columns: [String]
        let isPrimary: Bool
    }

    private func readKeys() throws -> ByteKeyedDictionary<[UniqueKey]> {
        let answer = try link.simple(
            """
            SELECT c.relname, i.indexrelid, i.indisprimary,
                   (SELECT a.attname FROM pg_attribute AS a
                    WHERE a.attrelid = c.oid AND a.attnum = k.number)
            FROM pg_class AS c JOIN pg_index AS i ON i.indrelid = c.oid
            CROSS JOIN LATERAL unnest(i.indkey::smallint[]) WITH ORDINALITY AS k(number, position)
            WHERE c.relnamespace = \(schema.number) AND c.relkind IN ('r', 'p')
              AND i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL
              AND k.position <= i.indnkeyatts
            ORDER BY i.indexrelid, k.position
            """)
        var order: [(table: String, index: String)] = []
        var columns: [String: (isPrimary: Bool, names: [String])] = [:]
        for row in 0..<answer.rowCount {
            let index = answer.text(row, 1) ?? ""
            if columns[index] == nil {
                order.append((answer.text(row, 0) ?? "", index))
                columns[index] = (answer.text(row, 2) == "t", [])
            }
            columns[index]?.names.append(answer.text(row, 3) ?? "")
        }
        var result = ByteKeyedDictionary<[UniqueKey]>()
        for (table, index) in order {
            guard let found = columns[index] else { continue }
            result[table, default: []].append(
                UniqueKey(columns: found.names, isPrimary: found.isPrimary))
        }
        return result
    }

    private struct NamedForeignKey {
        var columns: [String]
        let referencedTable: String
        var referencedColumns: [String]
        let onDelete: ForeignKey.Action
        let onUpdate: ForeignKey.Action
        let isDeferrable: Bool
    }

    private func readForeignKeys() throws -> ByteKeyedDictionary<[NamedForeignKey]> {
        // Devices have no action for only some columns of a reference, so they get no action. A
        // program that deletes there must take care of the rows below.
        let onDelete =
            link.serverVersion >= 150_000
            ? "CASE WHEN k.confdelsetcols IS NULL THEN k.confdeltype ELSE 'a' END" : "k.confdeltype"
        let answer = try link.simple(
            """
            SELECT c.relname, k.oid, r.relname,
                   (SELECT a.attname FROM pg_attribute AS a
                    WHERE a.attrelid = c.oid AND a.attnum = p.own),
                   (SELECT a.attname FROM pg_attribute AS a
                    WHERE a.attrelid = r.oid AND a.attnum = p.other),
                   \(onDelete), k.confupdtype, k.condeferrable
            FROM pg_constraint AS k
            JOIN pg_class AS c ON c.oid = k.conrelid JOIN pg_class AS r ON r.oid = k.confrelid
            CROSS JOIN LATERAL unnest(k.conkey, k.confkey) WITH ORDINALITY AS p(own, other, position)
            WHERE k.contype = 'f' AND k.conparentid = 0
              AND c.relnamespace = \(schema.number)
              AND r.relnamespace = \(schema.number)
            ORDER BY k.oid, p.position
            """)
        var result = ByteKeyedDictionary<[NamedForeignKey]>()
        var last = ""
        for row in 0..<answer.rowCount {
            let (table, constraint) = (answer.text(row, 0) ?? "", answer.text(row, 1) ?? "")
            let (own, other) = (answer.text(row, 3) ?? "", answer.text(row, 4) ?? "")
            if constraint == last, var list = result[table], !list.isEmpty {
                list[list.count - 1].columns.append(own)
                list[list.count - 1].referencedColumns.append(other)
                result[table] = list
                continue
            }
            last = constraint
            result[table, default: []].append(
                NamedForeignKey(
                    columns: [own], referencedTable: answer.text(row, 2) ?? "",
                    referencedColumns: [other], onDelete: Self.action(answer.text(row, 5)),
                    onUpdate: Self.action(answer.text(row, 6)),
                    isDeferrable: answer.text(row, 7) == "t"))
        }
        return result
    }

    private static func action(_ code: String?) -> ForeignKey.Action {
        switch code {
        case "r": .restrict
        case "c": .cascade
        case "n": .setNull
        case "d": .setDefault
        default: .noAction
        }
    }
}
