import MoorageCore

/// Rows as one argument: a JSON list of objects whose values are all texts. A value that is left
/// out reads as NULL.
enum RowList {
    static func text(_ rows: [[(name: String, text: String?)]]) -> String {
        var bytes: [UInt8] = [UInt8(ascii: "[")]
        for (number, row) in rows.enumerated() {
            if number > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(UInt8(ascii: "{"))
            var isFirst = true
            for (name, text) in row {
                guard let text else { continue }
                if !isFirst { bytes.append(UInt8(ascii: ",")) }
                isFirst = false
                bytes.append(UInt8(ascii: "\""))
                bytes.append(contentsOf: name.utf8)
                bytes.append(contentsOf: "\":\"".utf8)
                append(text, to: &bytes)
                bytes.append(UInt8(ascii: "\""))
            }
            bytes.append(UInt8(ascii: "}"))
        }
        bytes.append(UInt8(ascii: "]"))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// How many bytes a text has as ``text(_:)`` writes it.
    static func length(of text: String) -> Int {
        text.utf8.reduce(0) { $0 + (escape(of: $1) != nil ? 2 : $1 < 32 ? 6 : 1) }
    }

    /// The character after the backslash, for a byte that has a short escape.
    private static func escape(of byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): byte
        case UInt8(ascii: "\n"): UInt8(ascii: "n")
        case UInt8(ascii: "\r"): UInt8(ascii: "r")
        case UInt8(ascii: "\t"): UInt8(ascii: "t")
        default: nil
        }
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        for byte in text.utf8 {
            if let escape = escape(of: byte) {
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(escape)
            } else if byte < 32 {
                bytes.append(contentsOf: "\\u00".utf8)
                bytes.append(contentsOf: SQLText.hexadecimal([byte]).utf8)
            } else {
                bytes.append(byte)
            }
        }
    }
}
