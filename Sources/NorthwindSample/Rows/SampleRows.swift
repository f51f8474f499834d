package import MoorageCore

/// The rows of one table, ready to be inserted.
///
/// Dates and decimals are text, booleans the integers 0 and 1, as everywhere in Moorage.
package struct SampleRows: Sendable {
    /// The table's name.
    package let table: String
    /// The names of its columns, in the order of each row's values.
    package let columns: [String]
    package let rows: [[Value]]
    private let kinds: [SampleTable.Kind]

    init(table: SampleTable, rows: [[Value]]) {
        self.table = table.name
        columns = table.columns.map(\.name)
        kinds = table.columns.map(\.kind)
        self.rows = rows
    }

    /// One INSERT with a parameter for each column (`?`, or `$1` …), to be run once for each row.
    package func insertStatement(for dialect: NorthwindSample.Dialect) -> String {
        let parameters = columns.indices.map { dialect == .postgres ? "$\($0 + 1)" : "?" }
        return head(dialect) + "(\(parameters.joined(separator: ", ")))"
    }

    /// INSERT statements with the values in them.
    package func statements(
        for dialect: NorthwindSample.Dialect, rowsPerStatement: Int = 200
    ) -> [String] {
        stride(from: 0, to: rows.count, by: max(1, rowsPerStatement)).map { start in
            let slice = rows[start..<min(start + max(1, rowsPerStatement), rows.count)]
            let tuples = slice.map { row in
                let values = zip(row, kinds).map { literal($0, $1, dialect) }
                return "(\(values.joined(separator: ", ")))"
            }
            return head(dialect) + "\n" + tuples.joined(separator: ",\n")
        }
    }

    private func head(_ dialect: NorthwindSample.Dialect) -> String {
        let names = columns.map(dialect.quoted).joined(separator: ", ")
        return "INSERT INTO \(dialect.quoted(table)) (\(names)) VALUES "
    }

    /// The value as SQL writes it, with quotes in text doubled. PostgreSQL reads backslashes
    /// literally since version 9.1. MySQL's mode decides how it reads them, so there text with a
    /// backslash is written as its bytes.
    private func literal(
        _ value: Value, _ kind: SampleTable.Kind, _ dialect: NorthwindSample.Dialect
    ) -> String {
        switch value {
        case .null: return "NULL"
        case .integer(let number):
            if case .boolean = kind, dialect == .postgres { return number == 0 ? "FALSE" : "TRUE" }
            return String(number)
        case .real(let number): return number.description
        case .text(let text):
            if dialect == .mysql, text.utf8.contains(UInt8(ascii: "\\")) {
                return "CONVERT(X'\(Self.hex(text.utf8))' USING utf8mb4)"
            }
            let doubled = text.unicodeScalars.reduce(into: "") { result, scalar in
                result.unicodeScalars.append(scalar)
                if scalar == "'" { result.unicodeScalars.append(scalar) }
            }
            return "'\(doubled)'"
        case .blob(let bytes):
            let hex = Self.hex(bytes)
            return dialect == .postgres ? "'\\x\(hex)'" : "X'\(hex)'"
        }
    }

    private static func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }.joined()
    }
}
