import MoorageCore

/// One table of the sample: what both databases and a hub need to know of it.
struct SampleTable: Sendable {
    struct Column: Sendable {
        let name: String
        let kind: Kind
        let isRequired: Bool
    }

    enum Kind: Sendable {
        case integer, boolean, text, blob, date
        case string(Int)
        case decimal(Int, Int)
    }

    struct Reference: Sendable {
        let column: String
        let table: String
        let referencedColumn: String
    }

    let name: String
    let columns: [Column]
    let primaryKey: [String]
    let references: [Reference]

    func position(of column: String) -> Int? { columns.firstIndex { $0.name == column } }

    /// `CREATE TABLE` with every constraint in it. No name here needs more than quotes.
    func createStatement(for dialect: NorthwindSample.Dialect) -> String {
        let definitions = columns.map { column in
            let notNull = column.isRequired || primaryKey.contains(column.name)
            return "\(dialect.quoted(column.name)) \(column.kind.declaration(for: dialect))"
                + (notNull ? " NOT NULL" : "")
        }
        let key = "PRIMARY KEY (\(primaryKey.map(dialect.quoted).joined(separator: ", ")))"
        let foreign = references.map {
            "FOREIGN KEY (\(dialect.quoted($0.column))) REFERENCES \(dialect.quoted($0.table)) "
                + "(\(dialect.quoted($0.referencedColumn)))"
        }
        let lines = (definitions + [key] + foreign).joined(separator: ",\n    ")
        return "CREATE TABLE \(dialect.quoted(name)) (\n    \(lines)\n)\(dialect.tableOptions)"
    }

    var description: TableDescription {
        TableDescription(
            name: name,
            columns: columns.map {
                ColumnDescription(
                    name: $0.name, type: $0.kind.type,
                    isNullable: !($0.isRequired || primaryKey.contains($0.name)))
            },
            primaryKey: primaryKey.compactMap(position(of:)),
            foreignKeys: references.compactMap { reference in
                position(of: reference.column).map {
                    ForeignKey(
                        columns: [$0], referencedTable: reference.table,
                        referencedColumns: [reference.referencedColumn])
                }
            })
    }
}

extension SampleTable.Kind {
    func declaration(for dialect: NorthwindSample.Dialect) -> String {
        switch self {
        case .integer: "INTEGER"
        case .boolean: "BOOLEAN"
        case .text: dialect == .mysql ? "LONGTEXT" : "TEXT"
        case .date: "DATE"
        case .blob:
            switch dialect {
            case .sqlite: "BLOB"
            case .postgres: "BYTEA"
            case .mysql: "LONGBLOB"
            }
        case .string(let length): "VARCHAR(\(length))"
        case .decimal(let precision, let scale): "DECIMAL(\(precision),\(scale))"
        }
    }

    var type: ColumnType {
        switch self {
        case .integer: .integer
        case .boolean: .boolean
        case .text, .string: .text
        case .date: .date
        case .blob: .blob
        case .decimal: .decimal
        }
    }
}

extension NorthwindSample.Dialect {
    /// A name as SQL has it; no name here needs more than quotes.
    func quoted(_ name: String) -> String { self == .mysql ? "`\(name)`" : "\"\(name)\"" }

    /// Each of the two servers has its own collation that compares bytes, spaces at the end included, and passes
    /// over the comment that is the other's.
    fileprivate var tableOptions: String {
        guard self == .mysql else { return "" }
        let (mariaDB, mySQL) = ("COLLATE utf8mb4_nopad_bin", "COLLATE utf8mb4_0900_bin")
        return " CHARACTER SET utf8mb4 /*M! \(mariaDB) */ /*!80017 \(mySQL) */"
    }
}
