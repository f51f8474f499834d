import MoorageCore

/// SQL is made of identifiers and literals through these alone. Our sessions have `ANSI_QUOTES` and
/// `NO_BACKSLASH_ESCAPES`, so that both read as in standard SQL.
enum SQLText {
    static func name(_ name: String) -> String { name.quoted(by: "\"") }

    static func literal(_ text: String) -> String { text.quoted(by: "'") }

    /// A name in SQL that the owner runs: his client reads names in backticks, whatever its mode.
    static func ownersName(_ name: String) -> String { name.quoted(by: "`") }

    /// Bytes, whatever they are.
    static func literal(_ bytes: [UInt8]) -> String { "X'\(hexadecimal(bytes))'" }

    static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
