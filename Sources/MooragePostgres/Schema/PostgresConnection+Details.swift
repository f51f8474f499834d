import MoorageCore
import MoorageHub

/// What the catalog says of tables for tools that generate code.
extension PostgresConnection {
    func details(of tables: [String]) throws -> [CentralTableDetails] {
        let names = tables.map(SQLText.literal).joined(separator: ", ")
        let these = """
            c.relnamespace = \(schema.number) AND c.relkind IN ('r', 'p') AND c.relname IN (\(names))
            """
        let checks = try checks(of: these)
        let indexes = try plainIndexes(of: these)
        let columns = try columnDetails(of: these)
        let answer = try link.simple(
            """
            SELECT c.relname, obj_description(c.oid, 'pg_class') FROM pg_class AS c WHERE \(these)
            """)
        return (0..<answer.rowCount).map { row in
            let name = answer.text(row, 0) ?? ""
            return CentralTableDetails(
                name: name, comment: answer.text(row, 1) ?? "", checks: checks[name] ?? [],
                indexes: indexes[name] ?? [], columns: columns[name] ?? [])
        }
    }

    private func columnDetails(
        of these: String
    ) throws -> ByteKeyedDictionary<[CentralColumnDetails]> {
        // They have the labels, also of a domain over an enumeration.
        let native = try nativeColumns(of: nil)
        let answer = try link.simple(
            """
            SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
                   col_description(c.oid, a.attnum)
            FROM pg_class AS c
            JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
            WHERE \(these)
            ORDER BY c.relname, a.attnum
            """)
        var result = ByteKeyedDictionary<[CentralColumnDetails]>()
        for row in 0..<answer.rowCount {
            let (table, name) = (answer.text(row, 0) ?? "", answer.text(row, 1) ?? "")
            let column = native[table]?.first { $0.name.hasSameBytes(as: name) }
            result[table, default: []].append(
                CentralColumnDetails(
                    name: name, type: answer.text(row, 2) ?? "",
                    comment: answer.text(row, 3) ?? "", labels: column?.labels ?? []))
        }
        return result
    }

    private func checks(of these: String) throws -> ByteKeyedDictionary<[String]> {
        let enforced = link.serverVersion >= 180_000 ? "AND k.conenforced" : ""
        let answer = try link.simple(
            """
            SELECT c.relname, pg_get_expr(k.conbin, k.conrelid)
            FROM pg_class AS c JOIN pg_constraint AS k ON k.conrelid = c.oid
            WHERE \(these) AND k.contype = 'c' \(enforced)
            ORDER BY k.conname COLLATE "C"
            """)
        var result = ByteKeyedDictionary<[String]>()
        for row in 0..<answer.rowCount {
            guard let check = answer.text(row, 1) else { continue }
            result[answer.text(row, 0) ?? "", default: []].append(check)
        }
        return result
    }

    /// The columns of indexes that are not unique and find values in order or by equality.
    private func plainIndexes(of these: String) throws -> ByteKeyedDictionary<[[String]]> {
        let answer = try link.simple(
            """
            SELECT c.relname, i.indexrelid, a.attname
            FROM pg_class AS c JOIN pg_index AS i ON i.indrelid = c.oid
            JOIN pg_class AS x ON x.oid = i.indexrelid JOIN pg_am AS m ON m.oid = x.relam
            CROSS JOIN LATERAL unnest(i.indkey::smallint[]) WITH ORDINALITY AS k(number, position)
            JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = k.number
            WHERE \(these) AND NOT i.indisunique AND i.indisvalid AND i.indpred IS NULL
              AND i.indexprs IS NULL AND m.amname IN ('btree', 'hash')
              AND k.position <= i.indnkeyatts
            ORDER BY x.relname COLLATE "C", k.position
            """)
        var result = ByteKeyedDictionary<[[String]]>()
        var last: String?
        for row in 0..<answer.rowCount {
            let (table, index) = (answer.text(row, 0) ?? "", answer.text(row, 1))
            var list = result[table] ?? []
            if index != last || list.isEmpty { list.append([]) }
            last = index
            list[list.count - 1].append(answer.text(row, 2) ?? "")
            result[table] = list
        }
        return result
    }
}
