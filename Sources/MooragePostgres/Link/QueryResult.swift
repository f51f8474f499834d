import CPostgres
import MoorageCore

/// The binary form in which the server sends a column of a result.
enum ResultKind: Hashable, Sendable {
    case integer, real, text, blob
}

/// What a statement answered; freed with its last reference.
final class QueryResult {
    private let raw: OpaquePointer

    init(_ raw: OpaquePointer) { self.raw = raw }
    deinit { PQclear(raw) }

    var rowCount: Int { Int(PQntuples(raw)) }
    var columnCount: Int { Int(PQnfields(raw)) }
    /// How many rows a statement wrote, as the server counts them.
    var writtenCount: Int { Int(String(cString: PQcmdTuples(raw))) ?? 0 }
    func columnType(_ column: Int) -> UInt32 { PQftype(raw, Int32(column)) }

    /// Reads a cell of a binary result.
    func value(_ row: Int, _ column: Int, _ kind: ResultKind) -> Value {
        let (row, column) = (Int32(row), Int32(column))
        guard PQgetisnull(raw, row, column) == 0, let cell = PQgetvalue(raw, row, column) else {
            return .null
        }
        let bytes = UnsafeRawBufferPointer(start: cell, count: Int(PQgetlength(raw, row, column)))
        switch kind {
        case .integer: return .integer(Int64(bitPattern: Self.word(bytes)))
        case .real: return .real(Double(bitPattern: Self.word(bytes)).withOneNaN)
        case .text: return .text(String(decoding: bytes, as: UTF8.self))
        case .blob: return .blob([UInt8](bytes))
        }
    }

    /// All cells of a column of a binary result.
    func column(_ column: Int, _ kind: ResultKind) -> ValueColumn {
        var values = ValueColumn()
        values.reserve(rowCount)
        let position = Int32(column)
        for row in 0..<Int32(clamping: rowCount) {
            guard PQgetisnull(raw, row, position) == 0,
                let cell = PQgetvalue(raw, row, position)
            else {
                values.appendNull()
                continue
            }
            let bytes = UnsafeRawBufferPointer(
                start: cell, count: Int(PQgetlength(raw, row, position)))
            switch kind {
            case .integer: values.append(Int64(bitPattern: Self.word(bytes)))
            case .real: values.append(Double(bitPattern: Self.word(bytes)))
            // The server makes sure that its text is UTF-8.
            case .text: values.append(text: bytes)
            case .blob: values.append(blob: bytes)
            }
        }
        return values
    }

    /// Whether each cell of a binary `bigint` is 1.
    func flags(_ column: Int) -> [Bool] { self.column(column, .integer).words.map { $0 == 1 } }

    /// A cell of a binary `bigint`; NULL reads as `nil`.
    func integer(_ row: Int, _ column: Int) -> Int64? {
        if case .integer(let number) = value(row, column, .integer) { number } else { nil }
    }

    /// The text of a cell, in a text result or of a text column in a binary one.
    func text(_ row: Int, _ column: Int) -> String? {
        if case .text(let text) = value(row, column, .text) { text } else { nil }
    }

    private static func word(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        guard bytes.count == 8 else { return 0 }
        return UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
    }
}
