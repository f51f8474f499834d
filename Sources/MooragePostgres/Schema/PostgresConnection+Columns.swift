import MoorageCore
import MoorageHub

extension PostgresConnection {
    /// The columns of one table, in the table's order.
    func nativeColumns(of table: String) throws -> [NativeColumn] {
        let found = try nativeColumns(of: Optional(table))
        guard let columns = found[table] else { throw CentralError.tableGone(table) }
        return columns
    }

    func facts(of table: String) throws -> TableFacts {
        let answer = try link.simple(
            """
            SELECT c.relkind = 'p', c.relkind <> 'r' OR c.relhasrules OR EXISTS (
              SELECT FROM pg_trigger AS g
              WHERE g.tgrelid = c.oid AND NOT g.tgisinternal AND g.tgname NOT LIKE 'moorage\\_%')
            FROM pg_class AS c
            WHERE c.relnamespace = \(schema.number) AND c.relname = \(SQLText.literal(table))
            """)
        return TableFacts(
            isPartitioned: answer.rowCount == 1 && answer.text(0, 0) == "t",
            mayChangeRows: answer.rowCount != 1 || answer.text(0, 1) != "f")
    }

    /// The columns of every table, or of one. A domain counts as the type under it.
    ///
    /// An attach and a hub read this often, of small catalogs. There most of the time goes to
    /// planning, which each joined table makes longer. A query in the list of outputs does not.
    func nativeColumns(of table: String?) throws -> ByteKeyedDictionary<[NativeColumn]> {
        let only = table.map { "AND c.relname = \(SQLText.literal($0))" } ?? ""
        let answer = try link.simple(
            """
            WITH RECURSIVE base AS (
              SELECT d.oid AS id, d.typbasetype AS oid, d.typtypmod AS typmod,
                     d.typnotnull AS required, d.typdefault COLLATE "C" AS fallback
              FROM pg_type AS d WHERE d.typtype = 'd'
              UNION ALL
              SELECT b.id, d.typbasetype,
                     CASE WHEN b.typmod >= 0 THEN b.typmod ELSE d.typtypmod END,
                     b.required OR d.typnotnull, coalesce(b.fallback, d.typdefault) COLLATE "C"
              FROM base AS b JOIN pg_type AS d ON d.oid = b.oid AND d.typtype = 'd')
            SELECT c.relname, a.attname, t.oid, t.typname, t.typtype,
                   CASE WHEN t.typnamespace = 'pg_catalog'::regnamespace THEN format_type(t.oid, -1)
                        ELSE t.typnamespace::regnamespace || '.' || quote_ident(t.typname) END,
                   CASE WHEN a.atttypmod >= 0 THEN a.atttypmod ELSE coalesce(b.typmod, -1) END,
                   a.attnotnull OR coalesce(b.required, false), a.attgenerated <> '',
                   a.attidentity,
                   (SELECT o.collnamespace::regnamespace || '.' || quote_ident(o.collname)
                    FROM pg_collation AS o WHERE o.oid = a.attcollation),
                   (SELECT o.collisdeterministic FROM pg_collation AS o
                    WHERE o.oid = a.attcollation),
                   coalesce(CASE WHEN a.attgenerated = '' THEN pg_get_expr(d.adbin, d.adrelid) END,
                            CASE WHEN d.oid IS NULL THEN b.fallback END),
                   b.id IS NOT NULL,
                   (SELECT string_agg(e.enumlabel, E'\\x01' ORDER BY e.enumsortorder)
                    FROM pg_enum AS e WHERE e.enumtypid = t.oid),
                   CASE WHEN t.typtype = 'b' AND t.typcategory <> 'A'
                             AND t.typnamespace <> 'pg_catalog'::regnamespace
                        THEN t.typnamespace::regnamespace::text END,
                   CASE WHEN a.attgenerated <> '' THEN pg_get_expr(d.adbin, d.adrelid) END
            FROM pg_class AS c
            JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
            LEFT JOIN base AS b ON b.id = a.atttypid
            JOIN pg_type AS t ON t.oid = coalesce(b.oid, a.atttypid) AND t.typtype <> 'd'
            LEFT JOIN pg_attrdef AS d ON d.adrelid = c.oid AND d.adnum = a.attnum
            WHERE c.relnamespace = \(schema.number) AND c.relkind IN ('r', 'p') \(only)
            ORDER BY c.relname, a.attnum
            """)
        var result = ByteKeyedDictionary<[NativeColumn]>()
        for row in 0..<answer.rowCount {
            result[answer.text(row, 0) ?? "", default: []].append(Self.column(answer, row))
        }
        return result
    }

    private static func column(_ answer: QueryResult, _ row: Int) -> NativeColumn {
        func flag(_ column: Int) -> Bool { answer.text(row, column) == "t" }
        let id = answer.text(row, 2).flatMap { UInt32($0) } ?? 0
        let modifier = answer.text(row, 6).flatMap { Int($0) } ?? -1
        let (family, type) = family(
            id, name: answer.text(row, 3) ?? "", kind: answer.text(row, 4) ?? "", modifier)
        let identity = answer.text(row, 9) ?? ""
        return NativeColumn(
            name: answer.text(row, 1) ?? "", type: type, family: family,
            typeName: answer.text(row, 5) ?? "", typeID: id,
            operatorSchema: answer.text(row, 15), collation: answer.text(row, 10),
            isDeterministic: answer.text(row, 11) != "f", isNullable: !flag(7),
            isGenerated: flag(8), isAlwaysIdentity: identity == "a", isDomain: flag(13),
            maximumLength: (id == 1043 || id == 1042) && modifier >= 4 ? modifier - 4 : nil,
            labels: answer.text(row, 14).map { text in
                text.split(separator: "\u{1}", omittingEmptySubsequences: false).map(String.init)
            } ?? [],
            expression: answer.text(row, 16), modifier: modifier,
            defaultValue: identity.isEmpty
                ? DefaultText.parse(answer.text(row, 12), type: type) : .central)
    }

    /// The portable type of a base type (docs/reference/types.md, PostgreSQL).
    private static func family(_ id: UInt32, name: String, kind: String, _ modifier: Int) -> (
        NativeColumn.Family, ColumnType
    ) {
        let digits = modifier >= 0 ? min(modifier, 6) : 6
        switch id {
        case 20, 21, 23, 26: return (.integer, .integer)
        case 16: return (.boolean, .boolean)
        case 700, 701: return (.real, .real)
        case 1700: return (.numeric, .decimal)
        case 790: return (.money, .decimal)
        case 18, 19, 25, 1042, 1043: return (.text, .text)
        case 17: return (.blob, .blob)
        case 2950: return (.uuid, .uuid)
        case 1082: return (.date, .date)
        case 1083: return (.time, .time(fractionDigits: digits))
        case 1114: return (.timestamp, .timestamp(fractionDigits: digits))
        case 1184: return (.instant, .instant(fractionDigits: digits))
        case 114, 3802: return (.json, .json)
        default: break
        }
        if kind == "e" { return (.enumeration, .text) }
        if name == "citext" { return (.text, .text) }
        return (.other, .text)
    }
}
