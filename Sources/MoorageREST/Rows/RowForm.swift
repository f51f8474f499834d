import MoorageCore
import MoorageHub

/// How answers have the rows of a table: with which columns, in which order.
struct RowForm: Sendable {
    private struct Field: Sendable {
        /// The column's place in the table.
        let column: Int
        let name: String
        let type: ColumnType
    }

    /// The table's name.
    let table: String
    private let fields: [Field]

    /// All columns of the table.
    init(_ table: RowTable) { self.init(table, Array(table.description.columns.indices)) }

    private init(_ table: RowTable, _ columns: [Int]) {
        let all = table.description.columns
        self.table = table.name
        fields = columns.map { Field(column: $0, name: all[$0].name, type: all[$0].type) }
    }

    /// - Parameter names: `nil` for all columns.
    /// - Throws: ``RowProblem`` for a column that the table does not have, ``RESTProblem`` for one
    ///   that comes twice.
    init(_ table: RowTable, columns names: [String]?) throws {
        guard let names else {
            self.init(table)
            return
        }
        var columns: [Int] = []
        for name in names {
            let column = try table.column(named: name)
            guard !columns.contains(column) else {
                throw RESTProblem.columnTwice(name, of: table.name)
            }
            columns.append(column)
        }
        self.init(table, columns)
    }

    // MARK: JSON

    func write(_ row: RowContent, to writer: inout JSONWriter) {
        writer.object {
            for field in fields {
                $0.name(field.name)
                AnsweredValue(row.values[field.column], of: field.type).write(to: &$0)
            }
            $0.name("$etag")
            $0.string(row.etag)
            guard !row.related.isEmpty else { return }
            $0.name("$related")
            $0.object {
                for (relation, rows) in row.related {
                    $0.name(relation.name)
                    Self.write(rows, by: relation, to: &$0)
                }
            }
        }
    }

    private static func write(
        _ related: RelatedRows, by relation: RowRelation, to writer: inout JSONWriter
    ) {
        if related.rows.isEmpty {
            return relation.isMany ? writer.array { _ in } : writer.null()
        }
        let form = RowForm(related.table)
        if relation.isMany {
            writer.array { for row in related.rows { form.write(row, to: &$0) } }
        } else {
            form.write(related.rows[0], to: &writer)
        }
    }

    // MARK: CSV

    /// The names of the columns, in their order.
    var names: [String] { fields.map(\.name) }

    /// The row's texts; `nil` for NULL.
    func texts(of row: RowContent) -> [String?] {
        fields.map { AnsweredValue(row.values[$0.column], of: $0.type).plainText }
    }
}
