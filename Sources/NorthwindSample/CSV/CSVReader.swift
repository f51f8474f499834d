import MoorageCore

/// Cuts CSV (RFC 4180, with either line ending) into records.
struct CSVReader {
    struct Field {
        let text: String
        let isQuoted: Bool
    }

    private let bytes: [UInt8]
    private let path: String
    private var index = 0
    private var line = 1

    init(bytes: [UInt8], path: String) {
        self.bytes = bytes
        self.path = path
    }

    /// The next record, or `nil` at the end of the file.
    mutating func record() throws(CoreError) -> [Field]? {
        guard index < bytes.count else { return nil }
        var fields: [Field] = []
        while true {
            fields.append(try field())
            guard index < bytes.count else { return fields }
            let separator = bytes[index]
            index += 1
            if separator == UInt8(ascii: ",") { continue }
            if separator == UInt8(ascii: "\r"), index < bytes.count,
                bytes[index] == UInt8(ascii: "\n")
            {
                index += 1
            }
            line += 1
            return fields
        }
    }

    private mutating func field() throws(CoreError) -> Field {
        guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else {
            let start = index
            while index < bytes.count, !Self.ends.contains(bytes[index]) { index += 1 }
            return Field(text: try text(Array(bytes[start..<index])), isQuoted: false)
        }
        index += 1
        var content: [UInt8] = []
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "\n") { line += 1 }
            guard byte == UInt8(ascii: "\"") else {
                content.append(byte)
                continue
            }
            if index < bytes.count, bytes[index] == UInt8(ascii: "\"") {
                content.append(byte)
                index += 1
                continue
            }
            guard index == bytes.count || Self.ends.contains(bytes[index]) else {
                throw error("text after a closing quote")
            }
            return Field(text: try text(content), isQuoted: true)
        }
        throw error("a quote that is not closed")
    }

    private func text(_ bytes: [UInt8]) throws(CoreError) -> String {
        guard let text = String(exactly: bytes) else { throw error("text that is not UTF-8") }
        return text
    }

    private func error(_ what: String) -> CoreError {
        CoreError("The file \(path) has \(what), near line \(line).")
    }

    private static let ends: Set<UInt8> = [
        UInt8(ascii: ","), UInt8(ascii: "\n"), UInt8(ascii: "\r"),
    ]
}
