import MoorageCore

/// One field of a record.
struct CSVField: Hashable, Sendable {
    let text: String
    let isQuoted: Bool

    /// `nil` for NULL.
    var value: String? { text.isEmpty && !isQuoted ? nil : text }
}

/// The fields between two ends of a line.
struct CSVRecord: Hashable, Sendable {
    let fields: [CSVField]
    /// The line on which it begins, counted from 1.
    let line: Int
}

/// Reads CSV (RFC 4180), with CRLF or LF at the end of a record.
struct CSVReader {
    private let bytes: [UInt8]
    private var index = 0
    private var line = 1
    /// Called with about how many bytes of memory the next field needs.
    private let reserve: (Int) -> Bool

    /// What a field needs in addition to its text: here, and as a value of a row.
    private static let bytesOfField = 100

    /// - Parameter reserve: Returns `false` to refuse the memory.
    init(_ bytes: [UInt8], reserve: @escaping (Int) -> Bool = { _ in true }) {
        self.bytes = bytes
        self.reserve = reserve
        // Spreadsheets begin a file with a mark of its encoding.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
    }

    /// - Parameter most: Fields of a record. A record with more is refused before they are read.
    /// - Returns: `nil` after the last record.
    mutating func next(most: Int) throws(CSVFault) -> CSVRecord? {
        guard index < bytes.count else { return nil }
        let first = line
        var fields: [CSVField] = []
        repeat {
            guard fields.count < most else { throw CSVFault(.tooManyFields(most), at: first) }
            fields.append(try field())
        } while consume(",")
        let hasReturn = consume("\r")
        if consume("\n") {
            line += 1
        } else if hasReturn || index < bytes.count {
            throw CSVFault(.looseReturn, at: line)
        }
        return CSVRecord(fields: fields, line: first)
    }

    private mutating func field() throws(CSVFault) -> CSVField {
        consume("\"") ? try quotedField() : try plainField()
    }

    private mutating func plainField() throws(CSVFault) -> CSVField {
        let start = index
        loop: while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: ","), UInt8(ascii: "\r"), UInt8(ascii: "\n"): break loop
            case UInt8(ascii: "\""): throw CSVFault(.looseQuote, at: line)
            default: index += 1
            }
        }
        return CSVField(text: try text(bytes[start..<index], at: line), isQuoted: false)
    }

    /// What follows an opening quote, and the closing one.
    private mutating func quotedField() throws(CSVFault) -> CSVField {
        let first = line
        var content: [UInt8] = []
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "\""), !consume("\"") {
                guard index == bytes.count || isEndOfField(bytes[index]) else {
                    throw CSVFault(.looseQuote, at: line)
                }
                return CSVField(text: try text(content[...], at: first), isQuoted: true)
            }
            if byte == UInt8(ascii: "\n") { line += 1 }
            content.append(byte)
        }
        throw CSVFault(.openQuote, at: first)
    }

    private func text(_ bytes: ArraySlice<UInt8>, at line: Int) throws(CSVFault) -> String {
        guard reserve(bytes.count + Self.bytesOfField) else {
            throw CSVFault(.tooLarge, at: line)
        }
        guard let text = String(exactly: bytes) else { throw CSVFault(.notUTF8, at: line) }
        return text
    }

    private func isEndOfField(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n")
    }

    private mutating func consume(_ character: Unicode.Scalar) -> Bool {
        guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }
}
