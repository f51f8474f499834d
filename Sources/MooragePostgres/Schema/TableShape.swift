import MoorageCore
import MoorageHub

/// How one table's columns are read, written and compared in SQL.
struct TableShape {
    /// One column at the server.
    private struct Column {
        /// The type without its length: a cast to a length would cut text in silence.
        let typeName: String
        let isPlainText: Bool
        let isAlwaysIdentity: Bool
    }

    let table: AttachedTable
    let isPartitioned: Bool
    private let columns: [Column]

    init(_ table: AttachedTable, _ link: Link) throws {
        self.table = table
        var parameters = Parameters()
        parameters.add(table.name, type: 25)
        let rows = try link.query(
            """
            SELECT a.attname::text, format_type(a.atttypid, NULL)::text,
              (t.typname IN ('text', 'varchar', 'bpchar', 'name'))::text, (a.attidentity = 'a')::text,
              (c.relkind = 'p')::text
            FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_type t ON t.oid = a.atttypid
            WHERE c.relnamespace = 'public'::regnamespace AND c.relname = $1 AND a.attnum > 0
              AND NOT a.attisdropped
            """, parameters, asText: true)
        var found: [String: Column] = [:]
        for row in 0..<rows.rowCount {
            found[rows.text(row, 0) ?? ""] = Column(
                typeName: rows.text(row, 1) ?? "text", isPlainText: rows.text(row, 2) == "true",
                isAlwaysIdentity: rows.text(row, 3) == "true")
        }
        isPartitioned = rows.rowCount > 0 && rows.text(0, 4) == "true"
        columns = try table.description.columns.map { column in
            guard let known = found[column.name] else {
                throw CentralError(
                    .conflict,
                    "The column \(table.name).\(column.name) is gone; the schema is read again.")
            }
            return known
        }
    }

    private var description: TableDescription { table.description }
    var keyColumns: [Int] { description.primaryKey }
    var name: String { SQLText.table(table.name) }
    var track: String { "public." + table.objectName("track") }
    var trackKeys: [String] { keyColumns.indices.map { "k\($0)" } }

    func column(_ position: Int) -> String { SQLText.name(description.columns[position].name) }
    func isAlwaysIdentity(_ position: Int) -> Bool { columns[position].isAlwaysIdentity }

    /// The type of a key column in the tracking table.
    func trackType(_ position: Int) -> String {
        isTextual(position) ? "text COLLATE \"C\"" : columns[position].typeName
    }

    /// Text of any kind is tracked by its bytes.
    private func isTextual(_ position: Int) -> Bool {
        if case .text = description.columns[position].type { true } else { false }
    }

    /// A key column of the owner's row, as the tracking table holds it.
    func tracked(_ row: String, _ position: Int) -> String {
        let value = "\(row).\(column(position))"
        return isTextual(position) ? "(\(value)::text COLLATE \"C\")" : value
    }

    // MARK: Reading

    func kind(_ position: Int) -> ResultKind {
        switch description.columns[position].type {
        case .integer, .boolean: .integer
        case .real: .real
        case .blob: .blob
        default: .text
        }
    }

    /// A value in the form that travels.
    func reading(_ expression: String, _ position: Int) -> String {
        switch description.columns[position].type {
        case .integer: "\(expression)::int8"
        case .boolean: "\(expression)::int4::int8"
        case .real: "\(expression)::float8"
        case .blob: "\(expression)::bytea"
        case .decimal: "\(expression)::numeric::text"
        case .instant: "(\(expression) AT TIME ZONE 'UTC')::text"
        default: "\(expression)::text"
        }
    }

    /// All columns of a row, in the form that travels.
    func readings(_ row: String) -> String {
        description.columns.indices.map { reading("\(row).\(column($0))", $0) }.joined(
            separator: ", ")
    }

    /// The key columns of the tracking table, in the form that travels.
    func keyReadings(_ track: String) -> String {
        keyColumns.enumerated().map { reading("\(track).k\($0)", $1) }.joined(separator: ", ")
    }

    func row(_ result: QueryResult, _ row: Int, from first: Int = 0) -> [Value] {
        description.columns.indices.map { result.value(row, first + $0, kind($0)) }
    }

    func key(_ result: QueryResult, _ row: Int) -> Key {
        description.key(keyColumns.enumerated().map { result.value(row, $0, kind($1)) })
    }

    // MARK: Writing

    var arrayKinds: [ArrayKind] { description.columns.indices.map(arrayKind) }

    func arrayKind(_ position: Int) -> ArrayKind {
        switch description.columns[position].type {
        case .integer, .boolean: .integers
        case .real: .reals
        case .blob: .blobs
        default: .texts
        }
    }

    /// An element of an array parameter, as a value of the column.
    func writing(_ element: String, _ position: Int) -> String {
        switch description.columns[position].type {
        case .boolean: "(\(element) <> 0)"
        case .integer: "\(element)::\(columns[position].typeName)"
        // Assignment checks the length, a cast would cut.
        case .text where columns[position].isPlainText: element
        case .instant: "(\(element)::timestamptz)"
        default: "\(element)::\(columns[position].typeName)"
        }
    }

    /// `t.a = x.k0::type AND …`: the owner's row of a key in an array.
    func match(_ row: String, _ element: String) -> String {
        keyColumns.enumerated().map { index, position in
            "\(row).\(column(position)) = \(writing("\(element).k\(index)", position))"
        }.joined(separator: " AND ")
    }

    /// The tracking row of a key in an array.
    func matchTrack(_ track: String, _ element: String) -> String {
        keyColumns.enumerated().map { index, position in
            isTextual(position)
                ? "\(track).k\(index) = \(element).k\(index)"
                : "\(track).k\(index) = \(writing("\(element).k\(index)", position))"
        }.joined(separator: " AND ")
    }

    /// The tracking row of an owner's row.
    func matchOwn(_ track: String, _ row: String) -> String {
        keyColumns.enumerated().map { "\(track).k\($0) = \(tracked(row, $1))" }.joined(
            separator: " AND ")
    }
}
