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
            return "\(quoted(column.name)) \(column.kind.declaration(for: dialect))"
                + (notNull ? " NOT NULL" : "")
        }
        let key = "PRIMARY KEY (\(primaryKey.map(quoted).joined(separator: ", ")))"
        let foreign = references.map {
            "FOREIGN KEY (\(quoted($0.column))) REFERENCES \(quoted($0.table)) "
                + "(\(quoted($0.referencedColumn)))"
        }
        let lines = (definitions + [key] + foreign).joined(separator: ",\n    ")
        return "CREATE TABLE \(quoted(name)) (\n    \(lines)\n)"
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
        case .text: "TEXT"
        case .date: "DATE"
        case .blob: dialect == .sqlite ? "BLOB" : "BYTEA"
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

/// A name in double quotes, as SQL has it.
func quoted(_ name: String) -> String { "\"\(name)\"" }
