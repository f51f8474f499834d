import MoorageCore
import MoorageHub

/// What `information_schema` says of the owner's tables in the database of the connection.
extension MySQLConnection {
    func readTables() throws -> [CentralTable] {
        foreignEdges = nil
        let columns = try columnRows(of: nil)
        let indexes = try readIndexes()
        let edges = try readForeignEdges()
        let distant = try readDistantEdges()
        let facts = try readTableRows()
        var problems = ByteKeyedDictionary<TableProblem>()
        var supported = ByteKeyedDictionary<Bool>()
        for fact in facts {
            let children = edges.filter { $0.parent.hasSameBytes(as: fact.name) }.map(\.child)
            problems[fact.name] =
                problem(fact, columns[fact.name] ?? [], indexes[fact.name] ?? [])
                .map { $0.naming(children: children, of: fact.name) }
                ?? distant.lazy.compactMap { $0.problem(of: fact.name, edges: edges) }.first
                ?? cascadeProblem(of: fact.name, edges)
            if problems[fact.name] == nil { supported[fact.name] = true }
        }
        return facts.map { fact in
            if let problem = problems[fact.name] {
                return CentralTable(name: fact.name, problem: problem)
            }
            let own = (columns[fact.name] ?? []).map { $0.column(link.kind) }
            func positions(_ names: [String]) -> [Int] {
                names.compactMap { name in own.firstIndex { $0.name.hasSameBytes(as: name) } }
            }
            let unique = (indexes[fact.name] ?? []).filter { $0.isUnique && !$0.isPartial }
            let primary = unique.first { $0.isPrimary }
            let description = TableDescription(
                name: fact.name, columns: own.map(\.description),
                primaryKey: positions(primary?.columns ?? []),
                uniqueKeys: unique.filter { !$0.isPrimary }.map { positions($0.columns) },
                foreignKeys: edges.filter {
                    $0.child.hasSameBytes(as: fact.name) && supported[$0.parent] != nil
                        && isComparedByBytes($0, own)
                }.map { edge in
                    ForeignKey(
                        columns: positions(edge.columns), referencedTable: edge.parent,
                        referencedColumns: edge.referenced, onDelete: edge.onDelete,
                        onUpdate: edge.onUpdate)
                })
            guard primary != nil else {
                let children = edges.filter { $0.parent.hasSameBytes(as: fact.name) }.map(\.child)
                return keyless(description, own, children: children)
            }
            return CentralTable(
                name: fact.name, support: .supported(description),
                keyCapacity: Self.capacity(of: description.primaryKey, own))
        }
    }

    private static func capacity(of key: [Int], _ columns: [NativeColumn]) -> Int64? {
        key.count == 1 ? columns[key[0]].capacity : nil
    }

    /// A device compares keys by bytes, including spaces at the end. Where a collation calls
    /// different texts equal, only the central database checks the reference.
    private func isComparedByBytes(_ edge: ForeignEdge, _ columns: [NativeColumn]) -> Bool {
        edge.columns.allSatisfy { name in
            guard let column = columns.first(where: { $0.name.hasSameBytes(as: name) }),
                column.isText, let collation = column.collation
            else { return true }
            return collation.hasSuffix("_nopad_bin") || collation.hasSuffix("_0900_bin")
        }
    }

    func schemaStamp() throws -> String {
        func digest(_ columns: [String], _ source: String, _ order: String) -> String {
            let row = columns.map { "coalesce(\($0), '')" }.joined(separator: ", ")
            return """
                (SELECT sha2(group_concat(concat_ws(',', \(row)) ORDER BY \(order) SEPARATOR ';'), 256) FROM \(source))
                """
        }
        let own = "LEFT(table_name, 8) <> 'moorage_' AND table_schema = database()"
        let parts = [
            digest(
                [
                    "table_name", "column_name", "ordinal_position", "column_type", "is_nullable",
                    "column_default", "extra", "collation_name", "generation_expression",
                ], "information_schema.columns WHERE \(own)", "table_name, ordinal_position"),
            digest(
                ["table_name", "index_name", "column_name", "sub_part"],
                "information_schema.statistics WHERE non_unique = 0 AND \(own)",
                "table_name, index_name, seq_in_index"),
            digest(
                ["table_name", "constraint_name", "update_rule", "delete_rule"],
                """
                information_schema.referential_constraints
                WHERE constraint_schema = database() AND LEFT(table_name, 8) <> 'moorage_'
                """, "table_name, constraint_name"),
            digest(
                ["event_object_table", "trigger_name", "created"],
                "information_schema.triggers WHERE event_object_schema = database()", "trigger_name"
            ),
        ]
        let answer = try link.query(
            "SELECT sha2(concat_ws('/', \(parts.joined(separator: ", "))), 256)")
        let stamp = answer.text(0, 0) ?? ""
        noticed(stamp: stamp)
        return stamp
    }

    // MARK: Tables

    private struct TableRow {
        let name: String
        let type: String
        let engine: String?
    }

    private func readTableRows() throws -> [TableRow] {
        let answer = try link.query(
            """
            SELECT table_name, table_type, engine FROM information_schema.tables
            WHERE table_schema = database() AND LEFT(table_name, 8) <> 'moorage_'
            ORDER BY CAST(table_name AS BINARY)
            """, isKept: false)
        return (0..<answer.rowCount).map { row in
            TableRow(
                name: answer.text(row, 0) ?? "", type: answer.text(row, 1) ?? "",
                engine: answer.text(row, 2))
        }.filter { !$0.type.hasPrefix("TEMPORARY") }  // of this session alone
    }

    private func cascadeProblem(of table: String, _ edges: [ForeignEdge]) -> TableProblem? {
        if link.kind.readsRecursivelyWithLocks || CascadeTree(to: table, edges: edges).isWhole {
            return nil
        }
        return TableProblem.tooManyCascades(to: table)
    }

    private func problem(
        _ fact: TableRow, _ columns: [ColumnRow], _ indexes: [Index]
    ) -> TableProblem? {
        let alter = "ALTER TABLE \(SQLText.ownersName(fact.name))"
        let primary = indexes.first { $0.isPrimary }
        switch fact.type {
        case "BASE TABLE": break
        case "VIEW", "SYSTEM VIEW": return TableProblem.view(fact.name)
        case "SEQUENCE": return TableProblem.sequence(fact.name)
        default:
            return TableProblem.versioned(
                fact.name, type: fact.type.lowercased(),
                repair: ["-- \(alter) DROP SYSTEM VERSIONING  -- forgets the versions"])
        }
        guard fact.engine == "InnoDB" else {
            return TableProblem.engine(fact.engine, of: fact.name, alter: alter)
        }
        if let problem = spatialProblem(columns, primary) { return problem }
        guard let primary else { return nil }
        if primary.isPartial { return TableProblem.partialKey(of: fact.name) }
        var bytes = 0
        for key in primary.columns {
            guard let row = columns.first(where: { $0.name.hasSameBytes(as: key) }) else {
                continue
            }
            guard let column = KeyColumn(row.column(link.kind)) else {
                return TableProblem.keyType(row.dataType, of: fact.name)
            }
            bytes += column.maximumBytes
        }
        guard bytes <= Self.mostKeyBytes else {
            return TableProblem.keyTooLong(bytes, limit: Self.mostKeyBytes, of: fact.name)
        }
        return nil
    }

    /// A table whose only problem is that it has no primary key. What is required of a primary
    /// key's columns is required of a substitute's.
    private func keyless(
        _ description: TableDescription, _ columns: [NativeColumn], children: [String]
    ) -> CentralTable {
        let substitutes = description.uniqueKeys.filter { key in
            guard key.allSatisfy({ !columns[$0].isNullable && !columns[$0].isGenerated }) else {
                return false
            }
            let tracked = key.compactMap { KeyColumn(columns[$0]) }
            return tracked.count == key.count
                && tracked.reduce(0) { $0 + $1.maximumBytes } <= Self.mostKeyBytes
        }
        let keyless = KeylessTable(
            description: description,
            substitutes: substitutes.map {
                KeylessTable.Substitute(columns: $0, capacity: Self.capacity(of: $0, columns))
            }, addedKeyType: link.kind.addsKeys ? (link.kind.hasUUID ? .uuid : .text) : nil)
        let problem = TableProblem.noPrimaryKey(
            of: description.name, keyless, repair: keyRepair(keyless))
        return CentralTable(
            name: description.name,
            problem: problem.naming(children: children, of: description.name), keyless: keyless)
    }

    /// Makes a unique key the primary one where possible. Otherwise adds a column for it.
    private func keyRepair(_ keyless: KeylessTable) -> [String] {
        let alter = "ALTER TABLE \(SQLText.ownersName(keyless.description.name))"
        if let substitute = keyless.substitutes.first {
            let names = keyless.names(of: substitute).map(SQLText.ownersName).joined(
                separator: ", ")
            return ["\(alter) ADD PRIMARY KEY (\(names))"]
        }
        let free = ["id", "row_id", "sync_id"].first { name in
            !keyless.description.columns.contains { $0.name.lowercased() == name }
        }
        let type =
            link.kind.hasUUID ? "UUID NOT NULL DEFAULT uuid()" : "BIGINT NOT NULL AUTO_INCREMENT"
        return ["-- \(alter) ADD PRIMARY KEY (…)  -- where columns tell rows apart already, else:"]
            + (free.map { ["\(alter) ADD COLUMN \($0) \(type) PRIMARY KEY"] } ?? [])
    }

    /// An InnoDB index takes 3,072 bytes. A scope and a version need some of them.
    private static let mostKeyBytes = 3072 - 255 - 16

    // MARK: Columns

    /// The columns of one table, in the table's order.
    func nativeColumns(of table: String) throws -> [NativeColumn] {
        let found = try columnRows(of: table)
        guard let rows = found[table] else {
            throw CentralError.tableGone(table)
        }
        return rows.map { $0.column(link.kind) }
    }

    private func columnRows(of table: String?) throws -> ByteKeyedDictionary<[ColumnRow]> {
        let only = table.map { "AND c.table_name = \(SQLText.literal($0))" } ?? ""
        let checked = try checkedAsJSON(in: table)
        let answer = try link.query(
            """
            SELECT c.table_name, c.column_name, c.column_default, c.is_nullable, lower(c.data_type),
              c.column_type, c.character_maximum_length, c.character_octet_length,
              c.datetime_precision, c.character_set_name, c.collation_name, c.extra
            FROM information_schema.columns AS c
            WHERE c.table_schema = database() AND LEFT(c.table_name, 8) <> 'moorage_' \(only)
            ORDER BY c.table_name, c.ordinal_position
            """, isKept: false)
        var rows = (0..<answer.rowCount).map { row in
            let (table, name) = (answer.text(row, 0) ?? "", answer.text(row, 1) ?? "")
            return ColumnRow(
                table: table, name: name,
                defaultText: answer.text(row, 2), isNullable: answer.text(row, 3) == "YES",
                dataType: answer.text(row, 4) ?? "", columnType: answer.text(row, 5) ?? "",
                characterLength: answer.integer(row, 6).map { Int(clamping: $0) },
                octetLength: answer.integer(row, 7).map { Int(clamping: $0) },
                precision: answer.integer(row, 8).map { Int(clamping: $0) },
                characterSet: answer.text(row, 9).map { $0 == "utf8" ? "utf8mb3" : $0 },
                collation: answer.text(row, 10), extra: answer.text(row, 11) ?? "",
                isJSON: checked.contains(Self.isJSON(name, in: table)))
        }
        // Read only where it decides something.
        if rows.contains(where: \.mayBeTruth) {
            let keyed = try keyedColumns(of: table)
            for place in rows.indices {
                rows[place].isKey = keyed[Self.part(rows[place].name, of: rows[place].table)] != nil
            }
        }
        var result = ByteKeyedDictionary<[ColumnRow]>()
        for row in rows { result[row.table, default: []].append(row) }
        return result
    }

    /// The columns of primary and unique keys, and those of both sides of foreign keys.
    private func keyedColumns(of table: String?) throws -> ByteKeyedDictionary<Bool> {
        let only = table.map { "AND table_name = \(SQLText.literal($0))" } ?? ""
        let answer = try link.query(
            """
            SELECT table_name, column_name FROM information_schema.statistics
            WHERE table_schema = database() AND non_unique = 0 AND column_name IS NOT NULL
              AND LEFT(table_name, 8) <> 'moorage_' \(only)
            """, isKept: false)
        var keyed = ByteKeyedDictionary<Bool>()
        for row in 0..<answer.rowCount {
            keyed[Self.part(answer.text(row, 1), of: answer.text(row, 0))] = true
        }
        for edge in try readForeignEdges() {
            for name in edge.columns { keyed[Self.part(name, of: edge.child)] = true }
            for name in edge.referenced { keyed[Self.part(name, of: edge.parent)] = true }
        }
        return keyed
    }

    /// The checks that say that a text is JSON, where JSON is a text with a check. The server opens
    /// each table to list them.
    private func checkedAsJSON(in table: String?) throws -> Set<[String]> {
        guard link.kind.hasJSONAsText else { return [] }
        let only = table.map { "AND table_name = \(SQLText.literal($0))" } ?? ""
        let answer = try link.query(
            """
            SELECT table_name, check_clause FROM information_schema.check_constraints
            WHERE constraint_schema = database() AND LEFT(check_clause, 10) = 'json_valid' \(only)
            """, isKept: false)
        return Set(
            (0..<answer.rowCount).map { row in
                [
                    answer.text(row, 0) ?? "",
                    (answer.text(row, 1) ?? "").replacing("`", with: "\"").lowercased(),
                ]
            })
    }

    /// What ``checkedAsJSON(in:)`` contains for a column of that type.
    private static func isJSON(_ column: String, in table: String) -> [String] {
        [table, "json_valid(\(SQLText.name(column)))".lowercased()]
    }

    func facts(of table: String, columns: [NativeColumn]) throws -> TableFacts {
        let edges = try readForeignEdges()
        let triggers = try link.query(
            """
            SELECT count(CASE WHEN LEFT(trigger_name, 8) <> 'moorage_' THEN 1 END),
              count(CASE WHEN LEFT(trigger_name, 8) = 'moorage_' THEN 1 END)
            FROM information_schema.triggers
            WHERE event_object_schema = database() AND event_object_table = ?
            """, Self.parameters(table), isKept: false)
        // A user without the privilege TRIGGER sees no triggers, neither the owner's nor Moorage's.
        let mayHaveTriggers = triggers.integer(0, 0) != 0 || triggers.integer(0, 1) == 0
        return TableFacts(
            mayChangeRows: mayHaveTriggers || columns.contains(where: \.changesByItself),
            isInCycle: edges.isInCycle(table),
            isRestrictedOnly: edges.filter { $0.parent.hasSameBytes(as: table) }
                .allSatisfy { [.restrict, .noAction].contains($0.onDelete) },
            referenced: Set(
                edges.filter { $0.parent.hasSameBytes(as: table) }.flatMap(\.referenced)))
    }

    static func parameters(_ values: String...) -> Parameters {
        var parameters = Parameters()
        for value in values { parameters.add(value) }
        return parameters
    }
}
