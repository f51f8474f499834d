import MoorageCore
import MoorageHub

/// Indexes and foreign keys, as the server lists them.
extension MySQLConnection {
    // MARK: Indexes

    struct Index {
        let name: String
        let isUnique: Bool
        /// The index finds values, not words or places.
        let isOfValues: Bool
        var columns: [String]
        /// The index covers only the beginning of a column, or an expression.
        var isPartial: Bool
        var isPrimary: Bool { name == "PRIMARY" }
    }

    func readIndexes() throws -> ByteKeyedDictionary<[Index]> {
        let answer = try link.query(
            """
            SELECT table_name, index_name, non_unique, column_name, sub_part IS NOT NULL,
              index_type IN ('BTREE', 'HASH')
            FROM information_schema.statistics
            WHERE table_schema = database() AND LEFT(table_name, 8) <> 'moorage_'
            ORDER BY BINARY table_name, BINARY index_name, seq_in_index
            """, isKept: false)
        var result = ByteKeyedDictionary<[Index]>()
        for row in 0..<answer.rowCount {
            let (table, name) = (answer.text(row, 0) ?? "", answer.text(row, 1) ?? "")
            var list = result[table] ?? []
            if list.last?.name.hasSameBytes(as: name) != true {
                list.append(
                    Index(
                        name: name, isUnique: answer.integer(row, 2) == 0,
                        isOfValues: answer.isTrue(row, 5), columns: [], isPartial: false))
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

    /// Every foreign key between tables of the database, as it was when the schema was last read.
    func readForeignEdges() throws -> [ForeignEdge] {
        if let foreignEdges { return foreignEdges }
        let edges = try fetchForeignEdges()
        foreignEdges = edges
        return edges
    }

    /// Reads in two statements, because in a join the server reads one side from every database it
    /// has.
    private func fetchForeignEdges() throws -> [ForeignEdge] {
        let rules = try link.query(
            """
            SELECT table_name, constraint_name, delete_rule, update_rule
            FROM information_schema.referential_constraints WHERE constraint_schema = database()
            """, isKept: false)
        var actions = ByteKeyedDictionary<
            (onDelete: ForeignKey.Action, onUpdate: ForeignKey.Action)
        >()
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

    /// The foreign keys with actions that lead to tables of other databases.
    func readDistantEdges() throws -> [DistantEdge] {
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

    /// A name of a constraint or a column that is unique in the whole database.
    static func part(_ name: String?, of table: String?) -> String {
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
