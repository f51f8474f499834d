import MoorageCore

/// A key column in the queue and the tracking table, where keys are compared by bytes.
struct KeyColumn: Hashable, Sendable {
    let column: NativeColumn

    /// `nil` when keys of the type cannot be tracked.
    init?(_ column: NativeColumn) {
        switch column.family {
        case .json: return nil
        case .text, .blob:
            guard !column.dataType.hasSuffix("text"), !column.dataType.hasSuffix("blob") else {
                return nil
            }
            self.column = column
        default: self.column = column
        }
    }

    /// Kept as the bytes of its text in UTF-8, or as its own bytes.
    private var isBytes: Bool {
        [.text, .enumeration, .blob, .other].contains(column.family)
    }

    /// Bytes of an index entry at most.
    var maximumBytes: Int {
        switch column.family {
        case .text, .enumeration:
            min(column.maximumLength ?? 255, 4096) * Self.bytesPerCharacter(column.characterSet)
        case .blob: column.maximumBytes ?? 255
        case .other: 64
        case .numeric: 32
        default: 8
        }
    }

    /// Of a character of the set, in UTF-8.
    private static func bytesPerCharacter(_ set: String?) -> Int {
        switch set {
        case "ascii": 1
        case "latin1", "latin2", "latin5", "latin7", "cp1250", "cp1251", "cp1256", "cp1257",
            "utf8mb3", "utf8", "ucs2", "cp850", "cp852", "koi8r", "koi8u", "greek", "hebrew":
            3
        default: 4
        }
    }

    var trackType: String { trackType(bytes: maximumBytes) }

    /// - Parameter bytes: Of a key that is kept as bytes.
    func trackType(bytes: Int) -> String {
        switch column.family {
        case .integer: "BIGINT"
        case .unsigned, .bits: "BIGINT UNSIGNED"
        case .year: "SMALLINT"
        case .real: "DOUBLE"
        case .numeric: numericType
        case .date: "DATE"
        case .time: "TIME(6)"
        case .timestamp, .instant: "DATETIME(6)"
        default: "VARBINARY(\(bytes))"
        }
    }

    /// Whether the type can be made longer later, and the keys then still be kept as they are.
    var mayGrow: Bool { [.text, .enumeration, .blob].contains(column.family) }

    /// With all the digits there can be: a server rounds what has more of them, and says nothing.
    private var numericType: String {
        let (whole, fraction) = Self.digits(of: column.columnType)
        return "DECIMAL(65,\(max(fraction, min(30, 65 - whole))))"
    }

    /// Before and behind the point of `decimal(10,2)`.
    private static func digits(of type: String) -> (whole: Int, fraction: Int) {
        let numbers = numbers(in: type)
        let fraction = numbers.count > 1 ? numbers[1] : 0
        return ((numbers.first ?? 10) - fraction, fraction)
    }

    private static func numbers(in type: String) -> [Int] {
        type.drop { $0 != "(" }.dropFirst().prefix { $0 != ")" }.split(separator: ",")
            .compactMap { Int($0) }
    }

    /// Whether a column of a type, as the server prints it, keeps every key there can be.
    func isKept(as stored: String) -> Bool {
        let stored = stored.lowercased()
        switch column.family {
        case .text, .enumeration, .blob, .other:
            return stored.hasPrefix("varbinary(")
                && (Self.numbers(in: stored).first ?? 0) >= maximumBytes
        case .numeric:
            let (own, kept) = (Self.digits(of: column.columnType), Self.digits(of: stored))
            return stored.hasPrefix("decimal(") && kept.whole >= own.whole
                && kept.fraction >= own.fraction
        default: return Self.plain(stored) == Self.plain(trackType)
        }
    }

    /// `bigint(20) unsigned` is `BIGINT UNSIGNED`.
    private static func plain(_ type: String) -> String {
        let type = type.lowercased()
        guard type.hasPrefix("bigint(") || type.hasPrefix("smallint(") else { return type }
        return String(type.prefix { $0 != "(" }) + type.drop { $0 != ")" }.dropFirst()
    }

    /// The type by which an element of a JSON list is read.
    var listType: String {
        isBytes ? "VARCHAR(\(max(2, maximumBytes * 2))) CHARACTER SET latin1" : trackType
    }

    /// The tracked value of a row of the table.
    func tracked(_ row: String) -> String {
        let own = "\(row).\(column.quoted)"
        switch column.family {
        case .text, .enumeration: return "CAST(\(column.inUTF8(own)) AS BINARY)"
        case .other: return "CAST(CAST(\(own) AS CHAR CHARACTER SET utf8mb4) AS BINARY)"
        case .bits, .year: return "(\(own) + 0)"
        case .instant: return Self.inUTC(own)
        default: return own
        }
    }

    /// A timestamp in UTC, whatever the time zone of the session, which in a trigger is the owner's. The one of
    /// zeros is the same in all of them.
    private static func inUTC(_ own: String) -> String {
        "coalesce(TIMESTAMP'1970-01-01 00:00:00' + INTERVAL NULLIF(UNIX_TIMESTAMP(\(own)), 0) SECOND, \(own))"
    }

    /// The tracked value of an element of a JSON list.
    func tracked(element: String) -> String { isBytes ? "UNHEX(\(element))" : element }

    /// The tracked value of a parameter of ``parameter(_:)``.
    var trackedParameter: String {
        switch column.family {
        case .numeric: "CAST(? AS \(numericType))"
        case .date: "CAST(? AS DATE)"
        case .time: "CAST(? AS TIME(6))"
        case .timestamp, .instant: "CAST(? AS DATETIME(6))"
        default: "?"
        }
    }

    /// Whether a row of the table has the tracked value: by the column's own comparison, which its index
    /// serves, and by bytes where that calls more things equal.
    func match(_ row: String, _ tracked: String) -> String {
        let own = "\(row).\(column.quoted)"
        switch column.family {
        case .text, .enumeration:
            let text = column.native("CONVERT(\(tracked) USING utf8mb4)")
            return "\(own) = \(text) AND \(self.tracked(row)) = \(tracked)"
        case .other:
            // The server reads several spellings as one value, and writes one of them.
            return
                "\(own) = CONVERT(\(tracked) USING utf8mb4) AND \(self.tracked(row)) = \(tracked)"
        case .bits: return "\(own) = \(tracked)"
        default: return "\(own) = \(tracked)"
        }
    }

    // MARK: The order of the table's own index

    /// What the server sorts by where that is not the value's text: the number of a label, or of a set of them.
    func order(_ row: String) -> String {
        let own = "\(row).\(column.quoted)"
        // Compared as it is, a set with the last of 64 labels would be a negative number.
        return column.dataType == "set" ? "CAST(\(own) AS UNSIGNED)" : own
    }

    /// What a row has that stands at a position in that order, as a parameter of ``orderParameter``.
    func orderOutput(_ row: String) -> String {
        column.family == .enumeration
            ? "CAST(CAST(\(row).\(column.quoted) AS UNSIGNED) AS CHAR)" : output(tracked(row))
    }

    /// What ``order(_:)`` is compared with: as the column's own type, of which each has an order of its own.
    var orderParameter: String {
        switch column.family {
        // As a parameter alone MySQL takes it for a signed number, and a set has one beyond them.
        case .enumeration: "CAST(CAST(? AS CHAR) AS UNSIGNED)"
        case .text, .other: column.native("CONVERT(? USING utf8mb4)")
        default: trackedParameter
        }
    }

    func orderParameter(_ value: Value) -> Value {
        column.family == .enumeration ? value : parameter(value)
    }

    var orderKind: ResultKind { column.family == .enumeration ? .text : resultKind }

    /// A tracked value in the portable form.
    func output(_ tracked: String) -> String {
        switch column.family {
        case .text, .enumeration, .other: "CONVERT(\(tracked) USING utf8mb4)"
        case .numeric where !numericType.hasSuffix(",0)"):
            "TRIM(TRAILING '.' FROM TRIM(TRAILING '0' FROM CAST(\(tracked) AS CHAR)))"
        case .numeric, .date, .time, .timestamp, .instant: "CAST(\(tracked) AS CHAR)"
        default: tracked
        }
    }

    var resultKind: ResultKind { column.resultKind }

    // MARK: Values

    /// Whether a row can have this key at all: the key that cannot be is the key of no row.
    func canBe(_ value: Value) -> Bool {
        switch value {
        case .null: return false
        case .text(let text):
            if isBytes, column.family != .blob { return text.utf8.count <= maximumBytes }
            return column.type.accepts(value)
        case .integer(let number):
            return column.type.accepts(value) && (number >= 0 || resultKind != .unsigned)
        case .blob(let bytes): return column.family == .blob && bytes.count <= maximumBytes
        case .real(let number): return number.isFinite && column.family == .real
        }
    }

    /// An element of a JSON list.
    func element(_ value: Value) -> String {
        switch value {
        case .null: ""
        case .integer(let number): String(number)
        case .real(let number): number.description
        case .text(let text): isBytes ? SQLText.hexadecimal(Array(text.utf8)) : normalized(text)
        case .blob(let bytes): SQLText.hexadecimal(bytes)
        }
    }

    private func normalized(_ text: String) -> String {
        if case .text(let normal) = column.type.normalized(.text(text)) { normal } else { text }
    }

    func parameter(_ value: Value) -> Value {
        switch value {
        case .text(let text): isBytes ? .blob(Array(text.utf8)) : .text(normalized(text))
        default: value
        }
    }
}
