/// Writes CSV (RFC 4180): records that end with CRLF. NULL is an empty field, and an empty text is
/// `""`.
struct CSVWriter {
    private(set) var bytes: [UInt8] = []

    /// - Parameter fields: At least one; `nil` for NULL.
    mutating func add(_ fields: [String?]) {
        for (index, field) in fields.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            if let field { add(field) }
        }
        bytes.append(UInt8(ascii: "\r"))
        bytes.append(UInt8(ascii: "\n"))
    }

    private mutating func add(_ text: String) {
        let quote = UInt8(ascii: "\"")
        guard text.isEmpty || text.utf8.contains(where: Self.needsQuotes) else {
            bytes.append(contentsOf: text.utf8)
            return
        }
        bytes.append(quote)
        for byte in text.utf8 {
            if byte == quote { bytes.append(quote) }
            bytes.append(byte)
        }
        bytes.append(quote)
    }

    private static func needsQuotes(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: "\""), UInt8(ascii: "\r"), UInt8(ascii: "\n"): true
        default: false
        }
    }
}
