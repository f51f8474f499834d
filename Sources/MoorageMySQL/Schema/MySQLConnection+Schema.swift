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
        var problems = ByBytes<TableProblem>()
        var supported = ByBytes<Bool>()
        for fact in facts {
            problems[fact.name] =
                problem(fact, columns[fact.name] ?? [], indexes[fact.name] ?? [])
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
            let description = TableDescription(
                name: fact.name, columns: own.map(\.description),
                primaryKey: positions(unique.first { $0.isPrimary }?.columns ?? []),
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
            return CentralTable(name: fact.name, support: .supported(description))
        }
    }

    /// A device compares keys by bytes, spaces at the end included. What refers to a row by a collation that
    /// calls more things equal is checked here alone.
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
                (SELECT md5(group_concat(concat_ws(',', \(row)) ORDER BY \(order) SEPARATOR ';')) FROM \(source))
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
                "information_schema.triggers WHERE trigger_schema = database()", "trigger_name"),
        ]
        let answer = try link.query("SELECT md5(concat_ws('/', \(parts.joined(separator: ", "))))")
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
        return TableProblem(CascadeTree.problem(of: table))
    }

    private func problem(
        _ fact: TableRow, _ columns: [ColumnRow], _ indexes: [Index]
    ) -> TableProblem? {
        let name = "The table \(fact.name)"
        let alter = "ALTER TABLE \(SQLText.ownersName(fact.name))"
        let primary = indexes.first { $0.isPrimary }
        switch fact.type {
        case "BASE TABLE": break
        case "VIEW", "SYSTEM VIEW":
            return "\(fact.name) is a view and cannot be synced. Sync the tables it reads."
        case "SEQUENCE": return "\(fact.name) is a sequence and holds no rows to sync."
        default:
            return TableProblem(
                """
                \(name) is \(fact.type.lowercased()), of which one key can have many rows. Sync a table \
                without versions.
                """, mend: ["-- \(alter) DROP SYSTEM VERSIONING  -- forgets the versions"])
        }
        guard fact.engine == "InnoDB" else {
            return TableProblem(
                """
                \(name) is kept by \(fact.engine ?? "no engine"), which has no transactions. Run \(alter) \
                ENGINE = InnoDB.
                """, mend: ["\(alter) ENGINE = InnoDB"])
        }
        if let problem = columns.lazy.compactMap(\.problem).first { return TableProblem(problem) }
        guard let primary else {
            return TableProblem(
                """
                \(name) has no primary key, so its rows cannot be told apart. Add one with ALTER \
                TABLE … ADD PRIMARY KEY.
                """, mend: keyMend(alter, columns, indexes))
        }
        if primary.isPartial {
            return """
                The primary key of \(fact.name) holds only the beginning of a column. Make it one of whole \
                columns.
                """
        }
        var bytes = 0
        for key in primary.columns {
            guard let row = columns.first(where: { $0.name.hasSameBytes(as: key) }) else {
                continue
            }
            guard let column = KeyColumn(row.column(link.kind)) else {
                return """
                    \(name) has a primary key of type \(row.dataType), which cannot be synced. Use an \
                    integer, text or uuid key.
                    """
            }
            bytes += column.maximumBytes
        }
        guard bytes <= Self.mostKeyBytes else {
            return """
                \(name) has a primary key of up to \(bytes) bytes in UTF-8; \(Self.mostKeyBytes) can be \
                tracked. Make its columns shorter.
                """
        }
        return nil
    }

    /// A unique key that can be the primary one, or else a column of its own.
    private func keyMend(_ alter: String, _ columns: [ColumnRow], _ indexes: [Index]) -> [String] {
        let candidate = indexes.first { index in
            index.isUnique && !index.isPartial
                && index.columns.allSatisfy { name in
                    columns.contains {
                        $0.name.hasSameBytes(as: name) && !$0.isNullable
                            && KeyColumn($0.column(link.kind)) != nil
                    }
                }
        }
        if let candidate {
            let names = candidate.columns.map(SQLText.ownersName).joined(separator: ", ")
            return ["\(alter) ADD PRIMARY KEY (\(names))"]
        }
        let free = ["id", "row_id", "sync_id"].first { name in
            !columns.contains { $0.name.lowercased() == name }
        }
        let type =
            link.kind.hasUUID ? "UUID NOT NULL DEFAULT uuid()" : "BIGINT NOT NULL AUTO_INCREMENT"
        return ["-- \(alter) ADD PRIMARY KEY (…)  -- where columns tell rows apart already, else:"]
            + (free.map { ["\(alter) ADD COLUMN \($0) \(type) PRIMARY KEY"] } ?? [])
    }

    /// An index of InnoDB takes 3,072 bytes; a scope and a version stand beside the key.
    private static let mostKeyBytes = 3072 - 255 - 16

    // MARK: Columns

    /// The columns of one table, in the table's order.
    func nativeColumns(of table: String) throws -> [NativeColumn] {
        let found = try columnRows(of: table)
        guard let rows = found[table] else {
            throw CentralError(
                .failed, "The table \(table) is gone. Run `moorage attach` to go on without it.")
        }
        return rows.map { $0.column(link.kind) }
    }

    private func columnRows(of table: String?) throws -> ByBytes<[ColumnRow]> {
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
        // Asked for where it decides something alone.
        if rows.contains(where: \.mayBeTruth) {
            let keyed = try keyedColumns(of: table)
            for place in rows.indices {
                rows[place].isKey = keyed[Self.part(rows[place].name, of: rows[place].table)] != nil
            }
        }
        var result = ByBytes<[ColumnRow]>()
        for row in rows { result[row.table, default: []].append(row) }
        return result
    }

    /// The columns of primary and unique keys, and those of both sides of foreign keys.
    private func keyedColumns(of table: String?) throws -> ByBytes<Bool> {
        let only = table.map { "AND table_name = \(SQLText.literal($0))" } ?? ""
        let answer = try link.query(
            """
            SELECT table_name, column_name FROM information_schema.statistics
            WHERE table_schema = database() AND non_unique = 0 AND column_name IS NOT NULL
              AND LEFT(table_name, 8) <> 'moorage_' \(only)
            """, isKept: false)
        var keyed = ByBytes<Bool>()
        for row in 0..<answer.rowCount {
            keyed[Self.part(answer.text(row, 1), of: answer.text(row, 0))] = true
        }
        for edge in try readForeignEdges() {
            for name in edge.columns { keyed[Self.part(name, of: edge.child)] = true }
            for name in edge.referenced { keyed[Self.part(name, of: edge.parent)] = true }
        }
        return keyed
    }

    /// Where JSON is a text with a check, the checks that say so. The server opens each table that they are
    /// asked of.
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

    /// What ``checkedAsJSON()`` has of a column of that type.
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
            WHERE trigger_schema = database() AND event_object_table = ?
            """, Self.parameters(table), isKept: false)
        // A user without the right TRIGGER sees none: not the owner's, and not ours.
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

    // MARK: Indexes

    struct Index {
        let name: String
        let isUnique: Bool
        var columns: [String]
        /// Of the beginning of a column, or of an expression.
        var isPartial: Bool
        var isPrimary: Bool { name == "PRIMARY" }
    }

    func readIndexes() throws -> ByBytes<[Index]> {
        let answer = try link.query(
            """
            SELECT table_name, index_name, non_unique, column_name, sub_part IS NOT NULL
            FROM information_schema.statistics
            WHERE table_schema = database() AND LEFT(table_name, 8) <> 'moorage_'
            ORDER BY BINARY table_name, BINARY index_name, seq_in_index
            """, isKept: false)
        var result = ByBytes<[Index]>()
        for row in 0..<answer.rowCount {
            let (table, name) = (answer.text(row, 0) ?? "", answer.text(row, 1) ?? "")
            var list = result[table] ?? []
            if list.last?.name.hasSameBytes(as: name) != true {
                list.append(
                    Index(
                        name: name, isUnique: answer.integer(row, 2) == 0, columns: [],
                        isPartial: false))
            }
            if let column = answer.text(row, 3) { list[list.count - 1].columns.append(column) }
            if answer.text(row, 3) == nil || answer.isTrue(row, 4) {
                list[list.count - 1].isPartial = true
            }
            result[table] = list
        }
        return result
    }

    // MARK: Foreign keys

    /// Every foreign key between tables of the database, as it was when the schema was last looked at.
    func readForeignEdges() throws -> [ForeignEdge] {
        if let foreignEdges { return foreignEdges }
        let edges = try fetchForeignEdges()
        foreignEdges = edges
        return edges
    }

    /// Two statements: of a join the server reads one side from every database it has.
    private func fetchForeignEdges() throws -> [ForeignEdge] {
        let rules = try link.query(
            """
            SELECT table_name, constraint_name, delete_rule, update_rule
            FROM information_schema.referential_constraints WHERE constraint_schema = database()
            """, isKept: false)
        var actions = ByBytes<(onDelete: ForeignKey.Action, onUpdate: ForeignKey.Action)>()
        for row in 0..<rules.rowCount {
            let name = Self.part(rules.text(row, 1), of: rules.text(row, 0))
            actions[name] = (Self.action(rules.text(row, 2)), Self.action(rules.text(row, 3)))
        }
        let answer = try link.query(
            """
            SELECT table_name, constraint_name, column_name, referenced_table_name, referenced_column_name
            FROM information_schema.key_column_usage
            WHERE table_schema = database() AND referenced_table_schema = database()
            ORDER BY BINARY table_name, BINARY constraint_name, ordinal_position
            """, isKept: false)
        var edges: [ForeignEdge] = []
        var last = ""
        for row in 0..<answer.rowCount {
            let child = answer.text(row, 0) ?? ""
            let name = Self.part(answer.text(row, 1), of: child)
            let (own, other) = (answer.text(row, 2) ?? "", answer.text(row, 4) ?? "")
            if name.hasSameBytes(as: last), !edges.isEmpty {
                edges[edges.count - 1].columns.append(own)
                edges[edges.count - 1].referenced.append(other)
                continue
            }
            guard let action = actions[name] else { continue }
            last = name
            edges.append(
                ForeignEdge(
                    child: child, columns: [own], parent: answer.text(row, 3) ?? "",
                    referenced: [other], onDelete: action.onDelete, onUpdate: action.onUpdate))
        }
        return edges
    }

    /// Those with actions that lead to tables of other databases.
    private func readDistantEdges() throws -> [DistantEdge] {
        let rules = try link.query(
            """
            SELECT table_name, constraint_name, unique_constraint_schema
            FROM information_schema.referential_constraints
            WHERE constraint_schema = database() AND unique_constraint_schema <> database()
              AND (delete_rule NOT IN ('RESTRICT', 'NO ACTION') OR update_rule NOT IN ('RESTRICT', 'NO ACTION'))
            ORDER BY BINARY table_name, BINARY constraint_name
            """, isKept: false)
        return try (0..<rules.rowCount).map { row in
            let (child, name) = (rules.text(row, 0) ?? "", rules.text(row, 1) ?? "")
            let columns = try link.query(
                """
                SELECT column_name, referenced_column_name, referenced_table_name
                FROM information_schema.key_column_usage
                WHERE table_schema = database() AND table_name = ? AND constraint_name = ?
                ORDER BY ordinal_position
                """, Self.parameters(child, name), isKept: false)
            let places = 0..<columns.rowCount
            return DistantEdge(
                child: child, name: name, columns: places.map { columns.text($0, 0) ?? "" },
                database: rules.text(row, 2) ?? "", parent: columns.text(0, 2) ?? "",
                referenced: places.map { columns.text($0, 1) ?? "" })
        }
    }

    /// A constraint or a column, named in the whole database.
    private static func part(_ name: String?, of table: String?) -> String {
        "\(table ?? "")\u{0}\(name ?? "")"
    }

    private static func action(_ rule: String?) -> ForeignKey.Action {
        switch rule {
        case "RESTRICT": .restrict
        case "CASCADE": .cascade
        case "SET NULL": .setNull
        case "SET DEFAULT": .setDefault
        default: .noAction
        }
    }
}
