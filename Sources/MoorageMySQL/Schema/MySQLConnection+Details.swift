import MoorageCore
import MoorageHub

/// What `information_schema` says of tables for tools that generate code.
extension MySQLConnection {
    func details(of tables: [String]) throws -> [CentralTableDetails] {
        let names = tables.map(SQLText.literal).joined(separator: ", ")
        let checks = try checks(of: names)
        let indexes = try readIndexes()
        let columns = try columnDetails(of: names)
        let answer = try link.query(
            """
            SELECT table_name, table_comment FROM information_schema.tables
            WHERE table_schema = database() AND table_name IN (\(names))
            """, isKept: false)
        return (0..<answer.rowCount).map { row in
            let name = answer.text(row, 0) ?? ""
            let plain = (indexes[name] ?? []).filter { index in
                !index.isUnique && !index.isPartial && index.isOfValues
            }
            return CentralTableDetails(
                name: name, comment: answer.text(row, 1) ?? "", checks: checks[name] ?? [],
                indexes: plain.map(\.columns), columns: columns[name] ?? [])
        }
    }

    private func columnDetails(
        of names: String
    ) throws -> ByteKeyedDictionary<[CentralColumnDetails]> {
        let answer = try link.query(
            """
            SELECT table_name, column_name, column_type, column_comment, lower(data_type)
            FROM information_schema.columns
            WHERE table_schema = database() AND table_name IN (\(names))
            ORDER BY table_name, ordinal_position
            """, isKept: false)
        var result = ByteKeyedDictionary<[CentralColumnDetails]>()
        for row in 0..<answer.rowCount {
            let type = answer.text(row, 2) ?? ""
            result[answer.text(row, 0) ?? "", default: []].append(
                CentralColumnDetails(
                    name: answer.text(row, 1) ?? "", type: type,
                    comment: answer.text(row, 3) ?? "",
                    labels: answer.text(row, 4) == "enum" ? EnumLabels.read(type) : []))
        }
        return result
    }

    private func checks(of names: String) throws -> ByteKeyedDictionary<[String]> {
        let sql =
            link.kind.listsTablesOfChecks
            ? """
            SELECT table_name, check_clause FROM information_schema.check_constraints
            WHERE constraint_schema = database() AND table_name IN (\(names))
            ORDER BY BINARY constraint_name
            """
            : """
            SELECT t.table_name, c.check_clause
            FROM information_schema.table_constraints AS t
            JOIN information_schema.check_constraints AS c
              ON c.constraint_schema = t.constraint_schema
                AND c.constraint_name = t.constraint_name
            WHERE t.table_schema = database() AND t.table_name IN (\(names))
              AND t.constraint_type = 'CHECK' AND t.enforced = 'YES'
            ORDER BY BINARY t.constraint_name
            """
        let answer = try link.query(sql, isKept: false)
        var result = ByteKeyedDictionary<[String]>()
        for row in 0..<answer.rowCount {
            result[answer.text(row, 0) ?? "", default: []].append(answer.text(row, 1) ?? "")
        }
        return result
    }
}
