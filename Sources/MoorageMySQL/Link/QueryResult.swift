import MoorageCore

/// The form in which a column of a result is read.
enum ResultKind: Hashable, Sendable {
    case integer, real, text, blob
    /// A number up to 2⁶⁴ − 1. A number beyond 2⁶³ − 1 becomes its text.
    case unsigned
}

/// What a statement answered, column by column.
struct QueryResult {
    let columns: [ValueColumn]
    let rowCount: Int
    /// How many rows a statement without an answer has changed.
    var changedRows = 0

    static let none = QueryResult(columns: [], rowCount: 0)

    /// - Precondition: The row and the column exist.
    func value(_ row: Int, _ column: Int) -> Value { columns[column][row] }

    func integer(_ row: Int, _ column: Int) -> Int64? {
        switch value(row, column) {
        case .integer(let number): number
        case .text(let text): Int64(text)
        default: nil
        }
    }

    func text(_ row: Int, _ column: Int) -> String? {
        switch value(row, column) {
        case .text(let text): text
        case .integer(let number): String(number)
        case .blob(let bytes): String(decoding: bytes, as: UTF8.self)
        default: nil
        }
    }

    /// A number of a column that is read as ``ResultKind/unsigned``.
    func unsigned(_ row: Int, _ column: Int) -> UInt64? { text(row, column).flatMap(UInt64.init) }

    func isTrue(_ row: Int, _ column: Int) -> Bool { integer(row, column) == 1 }

    /// Whether each cell of a column is 1.
    func flags(_ column: Int) -> [Bool] { columns[column].words.map { $0 == 1 } }
}
