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

    /// Stored as the bytes of its text in UTF-8, or as its own bytes.
    private var isBytes: Bool {
        [.text, .enumeration, .blob, .other].contains(column.family)
    }

    /// The maximum bytes of an index entry.
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

    /// The maximum bytes of a character of the set, in UTF-8.
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

    /// - Parameter bytes: The length of a key that is stored as bytes.
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

    /// Whether the type can be made longer later, without a change to the stored keys.
    var mayGrow: Bool { [.text, .enumeration, .blob].contains(column.family) }

    /// With as many digits as possible, because a server rounds further digits without an error.
    private var numericType: String {
        let (whole, fraction) = Self.digits(of: column.columnType)
        return "DECIMAL(65,\(max(fraction, min(30, 65 - whole))))"
    }

    /// The digits before and after the point of `decimal(10,2)`.
    private static func digits(of type: String) -> (whole: Int, fraction: Int) {
        let numbers = numbers(in: type)
        let fraction = numbers.count > 1 ? numbers[1] : 0
        return ((numbers.first ?? 10) - fraction, fraction)
    }

    private static func numbers(in type: String) -> [Int] {
        type.drop { $0 != "(" }.dropFirst().prefix { $0 != ")" }.split(separator: ",")
            .compactMap { Int($0) }
    }

    /// Whether a column of a type, as the server prints it, keeps every possible key.
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

    /// The type for reading an element of a JSON list.
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

    /// A timestamp in UTC, whatever the session's time zone is. In a trigger the session is the
    /// owner's. The timestamp of zeros is the same in all zones.
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

    /// Whether a row of the table has the tracked value. The column's own comparison uses its
    /// index. Where that calls different values equal, a comparison by bytes follows.
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

    /// What the server sorts by. For an enumeration or a set that is the number of its labels, not
    /// its text.
    func order(_ row: String) -> String {
        let own = "\(row).\(column.quoted)"
        // Without the cast, a set with the last of 64 labels would be a negative number.
        return column.dataType == "set" ? "CAST(\(own) AS UNSIGNED)" : own
    }

    /// The position of a row in that order, as a value of ``orderParameter``.
    func orderOutput(_ row: String) -> String {
        column.family == .enumeration
            ? "CAST(CAST(\(row).\(column.quoted) AS UNSIGNED) AS CHAR)" : output(tracked(row))
    }

    /// The parameter that ``order(_:)`` is compared with. It has the column's own type, because
    /// each type has its own order.
    var orderParameter: String {
        switch column.family {
        // MySQL reads a plain parameter as a signed number, and the number of a set may be larger.
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

    /// Whether a row can have this key at all. If not, no row has the key.
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
