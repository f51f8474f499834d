import MoorageCore

/// Our sessions have `ANSI_QUOTES` and `NO_BACKSLASH_ESCAPES`, so that names and literals read as
/// in standard SQL.
extension SQLText {
    /// A name in SQL that the owner runs. The owner's client reads names in backticks in every
    /// mode.
    static func ownersName(_ name: String) -> String { quoted(name, by: "`") }

    /// A literal of any bytes.
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
