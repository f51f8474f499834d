import Foundation
import MoorageCore

/// One table read from a CSV file in UTF-8, whose first line names the columns. `\N` is NULL, and
/// `\x` with hex digits is a blob. Text in quotes may contain commas, line breaks and doubled
/// quotes.
struct CSVTable {
    /// The rows with their columns in the table's order.
    let rows: [[Value]]

    init(folder: String, table: SampleTable) throws {
        let path = folder + "/" + table.name + ".csv"
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CoreError("The file \(path) cannot be read.")
        }
        try self.init(bytes: Array(data), table: table, path: path)
    }

    init(bytes: [UInt8], table: SampleTable, path: String) throws(CoreError) {
        var reader = CSVReader(bytes: bytes, path: path)
        guard let header = try reader.record()?.map(\.text) else {
            throw CoreError("The file \(path) has no first line with the columns' names.")
        }
        let order = table.columns.map { column in header.firstIndex(of: column.name) }
        guard header.count == table.columns.count, !order.contains(nil) else {
            throw CoreError("The file \(path) does not have the columns of the table.")
        }
        var rows: [[Value]] = []
        while let fields = try reader.record() {
            guard fields.count == header.count else {
                throw CoreError("The file \(path) has a row of \(fields.count) values.")
            }
            var row: [Value] = []
            for (column, source) in zip(table.columns, order) {
                guard let source else { continue }
                guard let value = Self.value(fields[source], column.kind) else {
                    throw CoreError(
                        "The file \(path) has no \(column.kind.type.name) in row \(rows.count + 1), \(column.name)."
                    )
                }
                row.append(value)
            }
            rows.append(row)
        }
        self.rows = rows
    }

    private static func value(_ field: CSVReader.Field, _ kind: SampleTable.Kind) -> Value? {
        if !field.isQuoted, field.text == "\\N" { return .null }
        switch kind {
        case .integer, .boolean: return Int64(field.text).map { .integer($0) }
        case .text, .string: return .text(field.text)
        case .date, .decimal:
            let value = Value.text(field.text)
            return kind.type.accepts(value) ? value : nil
        case .blob: return hexBytes(field.text).map { .blob($0) }
        }
    }

    private static func hexBytes(_ text: String) -> [UInt8]? {
        guard text.hasPrefix("\\x") else { return nil }
        let digits = text.utf8.dropFirst(2).map { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count.isMultiple(of: 2), !digits.contains(nil) else { return nil }
        let nibbles = digits.compactMap { $0 }
        return stride(from: 0, to: nibbles.count, by: 2).map {
            UInt8(nibbles[$0] << 4 | nibbles[$0 + 1])
        }
    }
}
