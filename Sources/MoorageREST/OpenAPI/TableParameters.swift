import MoorageCore
import MoorageHub
import MoorageWire

/// The parameters of one table.
struct TableParameters {
    let table: DocumentTable
    /// The paths of related rows, as a request may name them.
    let related: [String]

    /// Of a filter. The hub reads longer ones, but servers and proxies refuse long addresses, and
    /// some characters need twelve bytes there.
    private static let mostCharacters: Int64 = 2_000

    /// The parts of a key in a path.
    var key: [DocumentPart] {
        zip(table.description.primaryKey, table.keyParameters).map { column, name in
            let schema = ValueSchema(type: table.columns[column].type, use: .path)
            let part: DocumentPart = [
                "name": .text(name), "in": "path", "required": true,
                "description": .text(
                    table.comment(of: column) ?? "The column `\(table.columns[column].name)`."),
                "schema": schema.part,
            ]
            return part.adding("example", ExampleValue(table, use: .path)[column])
        }
    }

    var list: [DocumentPart] {
        [filter, sort, SharedParameter.limit.reference, SharedParameter.after.reference]
            + row + [SharedParameter.count.reference]
    }

    /// Those that a single row has, too.
    var row: [DocumentPart] { [columns, relatedRows].compactMap { $0 } }

    private var filter: DocumentPart {
        SharedParameter.query(
            "filter",
            "An expression over the table's columns, as behind SQL's `WHERE`.",
            ["type": "string", "minLength": 1, "maxLength": .integer(Self.mostCharacters)],
            example: .text(exampleFilter))
    }

    private var exampleFilter: String {
        for (column, type) in table.columns.map({ ($0.name, $0.type) }) where !column.isEmpty {
            switch type {
            case .integer, .decimal:
                return RowFilter.Formula.compares(column, .greater, .number("0")).text
            case .text: return RowFilter.Formula.isOneOf(column, [.text("text")]).text
            case .date:
                return RowFilter.Formula.compares(column, .greater, .text("1996-07-16")).text
            default: continue
            }
        }
        let key = table.columns[table.description.primaryKey[0]].name
        return RowFilter.Formula.not(.isNull(key)).text
    }

    /// The columns that a list can name, as it names them.
    private func names(_ isIncluded: (ColumnDescription) -> Bool = { _ in true }) -> [String] {
        table.columns.filter { !$0.name.isEmpty && isIncluded($0) }
            .map { NameReading.written($0.name) }
    }

    private var sort: DocumentPart {
        let names = names { $0.type != .json }
        return SharedParameter.list(
            "sort",
            """
            Columns, with `-` before one for its largest value first. The key follows by itself. \
            NULL is less than every value.
            """,
            [
                "type": "array", "minItems": 1,
                "maxItems": .integer(Int64(ListRequest.mostSorted)),
                "items": ["type": "string", "enum": .texts(names.flatMap { [$0, "-" + $0] })],
            ], example: names.prefix(1).map { "-" + $0 })
    }

    private var columns: DocumentPart {
        let names = names()
        return SharedParameter.list(
            "columns", "The columns to answer, in this order; all without it.",
            [
                "type": "array", "minItems": 1, "uniqueItems": true,
                "items": ["type": "string", "enum": .texts(names)],
            ], example: Array(names.prefix(2)))
    }

    /// `nil` for a table without relations.
    private var relatedRows: DocumentPart? {
        guard let first = related.first else { return nil }
        return SharedParameter.list(
            "related",
            """
            Related rows to read with each row, in `$related`. A point leads on to theirs, \
            \(RowReader.mostLevels) levels deep. One request names \(RelatedTree.mostNames) \
            relations at most.
            """,
            [
                "type": "array", "minItems": 1,
                "items": ["type": "string", "enum": .texts(related)],
            ], example: [first])
    }
}
