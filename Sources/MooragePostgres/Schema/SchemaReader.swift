import MoorageCore
import MoorageHub

/// Reads the owner's tables from the catalog: four queries for the whole schema.
struct SchemaReader {
    private let link: Link

    init(_ link: Link) { self.link = link }

    /// A text that changes with everything that ``tables()`` reads, and with our own triggers.
    static let stampSQL = """
        SELECT md5(string_agg(a, ',' ORDER BY a)) FROM (
          SELECT concat_ws(':', c.oid, c.relname, a.attnum, a.attname, a.atttypid, a.atttypmod,
            a.attnotnull, a.attisdropped, a.attgenerated, a.atthasdef) AS a
          FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
          WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
            AND c.relname NOT LIKE 'moorage\\_%'
          UNION ALL
          SELECT concat_ws(':', t.oid, t.tgrelid, t.tgname, t.tgenabled)
          FROM pg_trigger t WHERE t.tgname LIKE 'moorage\\_%'
          UNION ALL
          SELECT concat_ws(':', k.oid, k.conrelid, k.conname)
          FROM pg_constraint k WHERE k.connamespace = 'public'::regnamespace
          UNION ALL
          SELECT concat_ws(':', i.indexrelid, i.indisunique, i.indisvalid)
          FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
          WHERE c.relnamespace = 'public'::regnamespace AND i.indisunique
        ) s
        """

    func tables() throws -> [CentralTable] {
        let columns = Dictionary(grouping: try self.columns(), by: \.table)
        let indexes = Dictionary(grouping: try self.indexes(), by: \.table)
        let foreign = Dictionary(grouping: try foreignKeys(), by: \.table)
        let rows = try link.simple(
            """
            SELECT c.oid::text, c.relname::text, c.relkind::text, c.relispartition::text,
              (EXISTS (SELECT 1 FROM pg_inherits i WHERE i.inhparent = c.oid OR i.inhrelid = c.oid))::text
            FROM pg_class c
            WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
              AND c.relname NOT LIKE 'moorage\\_%'
              AND NOT EXISTS (  -- what an extension brought is not the owner's
                SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
            ORDER BY c.relname COLLATE "C"
            """)
        let names = Dictionary(
            uniqueKeysWithValues: (0..<rows.rowCount).map {
                (rows.text($0, 0) ?? "", rows.text($0, 1) ?? "")
            })
        return (0..<rows.rowCount).compactMap { row in
            // A partition is written through its parent, and tracked with it.
            if rows.text(row, 3) == "true" { return nil }
            let (id, name) = (rows.text(row, 0) ?? "", rows.text(row, 1) ?? "")
            let relation = Relation(
                name: name, kind: rows.text(row, 2) ?? "", inherits: rows.text(row, 4) == "true",
                columns: columns[id] ?? [], indexes: indexes[id] ?? [],
                foreignKeys: foreign[id] ?? [])
            return CentralTable(
                name: name, support: relation.support(names: names, columns: columns))
        }
    }

    // MARK: The catalog

    struct Column {
        let table: String
        let number: String
        let name: String
        let typeName: String
        let typeKind: String
        let category: String
        let fractionDigits: Int
        let isNotNull: Bool
        let defaultText: String?
        let isComputed: Bool
        let isGenerated: Bool
    }

    struct Index {
        let table: String
        let isPrimary: Bool
        let columns: [String]
    }

    struct Foreign {
        let table: String
        let parent: String
        let columns: [String]
        let referenced: [String]
        let onDelete: String
        let onUpdate: String
        let isDeferrable: Bool
    }

    private func columns() throws -> [Column] {
        let rows = try link.simple(
            """
            SELECT a.attrelid::text, a.attnum::text, a.attname::text, b.typname::text, b.typtype::text,
              b.typcategory::text,
              (CASE WHEN t.typtype = 'd' THEN t.typtypmod ELSE a.atttypmod END)::text,
              (a.attnotnull OR t.typnotnull)::text, pg_get_expr(d.adbin, d.adrelid),
              (a.attidentity <> '')::text, (a.attgenerated <> '')::text
            FROM pg_attribute a
            JOIN pg_class c ON c.oid = a.attrelid AND c.relnamespace = 'public'::regnamespace
            JOIN pg_type t ON t.oid = a.atttypid
            JOIN pg_type b ON b.oid = CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END
            LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
            WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'p')
            ORDER BY a.attrelid, a.attnum
            """)
        return (0..<rows.rowCount).map { row in
            let modifier = rows.text(row, 6).flatMap { Int($0) } ?? -1
            return Column(
                table: rows.text(row, 0) ?? "", number: rows.text(row, 1) ?? "",
                name: rows.text(row, 2) ?? "", typeName: rows.text(row, 3) ?? "",
                typeKind: rows.text(row, 4) ?? "", category: rows.text(row, 5) ?? "",
                fractionDigits: (0...6).contains(modifier) ? modifier : 6,
                isNotNull: rows.text(row, 7) == "true", defaultText: rows.text(row, 8),
                isComputed: rows.text(row, 9) == "true", isGenerated: rows.text(row, 10) == "true")
        }
    }

    private func indexes() throws -> [Index] {
        let rows = try link.simple(
            """
            SELECT i.indrelid::text, i.indisprimary::text, i.indkey::text, i.indnkeyatts::text
            FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
            WHERE c.relnamespace = 'public'::regnamespace AND i.indisunique AND i.indisvalid
              AND i.indpred IS NULL AND i.indexprs IS NULL
            ORDER BY i.indrelid, i.indexrelid
            """)
        return (0..<rows.rowCount).map { row in
            let numbers = (rows.text(row, 2) ?? "").split(separator: " ").map(String.init)
            let count = rows.text(row, 3).flatMap { Int($0) } ?? numbers.count
            return Index(
                table: rows.text(row, 0) ?? "", isPrimary: rows.text(row, 1) == "true",
                columns: Array(numbers.prefix(count)))
        }
    }

    private func foreignKeys() throws -> [Foreign] {
        let rows = try link.simple(
            """
            SELECT conrelid::text, confrelid::text, array_to_string(conkey, ' '),
              array_to_string(confkey, ' '), confdeltype::text, confupdtype::text, condeferrable::text
            FROM pg_constraint
            WHERE contype = 'f' AND connamespace = 'public'::regnamespace AND conparentid = 0
            ORDER BY conrelid, oid
            """)
        func numbers(_ row: Int, _ column: Int) -> [String] {
            (rows.text(row, column) ?? "").split(separator: " ").map(String.init)
        }
        return (0..<rows.rowCount).map { row in
            Foreign(
                table: rows.text(row, 0) ?? "", parent: rows.text(row, 1) ?? "",
                columns: numbers(row, 2), referenced: numbers(row, 3),
                onDelete: rows.text(row, 4) ?? "",
                onUpdate: rows.text(row, 5) ?? "", isDeferrable: rows.text(row, 6) == "true")
        }
    }
}
