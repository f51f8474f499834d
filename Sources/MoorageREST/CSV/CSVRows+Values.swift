import MoorageCore
import MoorageHub

/// CSV as rows of a table.
extension CSVRows {
    /// For each field its column; `nil` for a field that does not count.
    func columns(of table: WrittenTable) throws(RESTProblem) -> [Int?] {
        var row = RowValues(table)
        var columns: [Int?] = []
        for name in names {
            columns.append(RowValues.isNoColumn(name) ? nil : try row.take(name))
        }
        return columns
    }
}

extension CSVRecord {
    /// - Parameter columns: For each field its column, or `nil`.
    /// - Throws: ``RESTProblem`` with the line for a value that is not of its column's type.
    func values(
        _ columns: [Int?], of table: WrittenTable
    ) throws(RESTProblem) -> [(column: Int, value: Value)] {
        var row = RowValues(table)
        for (field, column) in zip(fields, columns) {
            guard let column else { continue }
            let type = table.table.description.columns[column].type
            do throws(RESTProblem) {
                try row.add(field.value.map { type.value(ofText: $0) } ?? .null, for: column)
            } catch {
                throw error.at("Line \(line)")
            }
        }
        return row.values
    }
}
