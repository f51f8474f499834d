/// The portable type of a column: what its values mean in every database (docs/reference/types.md,
/// Portable types).
public enum ColumnType: Hashable, Sendable {
    /// A signed number of 64 bits.
    case integer
    /// An integer: 0 is false, and every other one is true. All that are true are equal.
    case boolean
    /// A floating-point number of 64 bits. NaN and infinity are refused or withheld.
    case real
    /// A decimal number of any length. Travels as text, so that no digit is lost.
    case decimal
    /// Text in UTF-8, compared by bytes, whatever the column's collation.
    case text
    /// Bytes. An empty blob is not NULL.
    case blob
    /// Travels as 36 lower-case characters.
    case uuid
    /// `YYYY-MM-DD`.
    case date
    /// `HH:MM:SS[.ffffff]`, compared to this many digits of a second.
    case time(fractionDigits: Int)
    /// `YYYY-MM-DD HH:MM:SS[.ffffff]`, as written; compared to this many digits of a second.
    case timestamp(fractionDigits: Int)
    /// The same text, always in UTC.
    case instant(fractionDigits: Int)
    /// A JSON document as text, compared by its structure. It is never part of a key.
    case json
}

extension ColumnType {
    /// The name on the wire and in messages.
    public var name: String {
        switch self {
        case .integer: "integer"
        case .boolean: "boolean"
        case .real: "real"
        case .decimal: "decimal"
        case .text: "text"
        case .blob: "blob"
        case .uuid: "uuid"
        case .date: "date"
        case .time(let digits): "time(\(digits))"
        case .timestamp(let digits): "timestamp(\(digits))"
        case .instant(let digits): "instant(\(digits))"
        case .json: "json"
        }
    }

    /// Reads a name written by ``name``; `nil` when there is no such type.
    public init?(name: String) {
        switch name {
        case "integer": self = .integer
        case "boolean": self = .boolean
        case "real": self = .real
        case "decimal": self = .decimal
        case "text": self = .text
        case "blob": self = .blob
        case "uuid": self = .uuid
        case "date": self = .date
        case "json": self = .json
        default:
            let parts = name.utf8.split(separator: UInt8(ascii: "("), maxSplits: 1)
            guard parts.count == 2, parts[1].count == 2, parts[1].last == UInt8(ascii: ")"),
                let digit = parts[1].first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit)
            else { return nil }
            let digits = Int(digit - UInt8(ascii: "0"))
            switch String(parts[0]) {
            case "time": self = .time(fractionDigits: digits)
            case "timestamp": self = .timestamp(fractionDigits: digits)
            case "instant": self = .instant(fractionDigits: digits)
            default: return nil
            }
        }
    }
}
