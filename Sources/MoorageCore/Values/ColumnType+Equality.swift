extension ColumnType {
    /// Whether two values of this column mean the same (docs/reference/types.md, Portable types).
    ///
    /// A decimal `9.8` equals `9.80`, instants are compared in UTC, JSON is compared by structure,
    /// −0.0 equals 0.0. NULL equals NULL only. SQLite can store any class in any column. A value
    /// that is not of the type equals only its own bytes.
    public func equal(_ left: Value, _ right: Value) -> Bool {
        if left == right { return true }
        if left.isNull || right.isNull { return false }
        if case .json = self, case .text(let a) = left, case .text(let b) = right {
            guard let a = try? JSON(parsing: a), let b = try? JSON(parsing: b) else { return false }
            return a.hasSameStructure(as: b)
        }
        return normalized(left) == normalized(right)
    }

    /// The one form that all equal values of this type share, so that keys can be hashed. A value
    /// that is not of the type stays as it is. JSON is left alone, because it is never a key.
    public func normalized(_ value: Value) -> Value {
        switch (self, value) {
        case (_, .null), (.text, _), (.blob, _), (.json, _): return value
        case (.integer, .real(let number)):
            return Int64(exactly: number).map(Value.integer) ?? value
        case (.integer, _): return value
        case (.boolean, .integer(let number)): return .integer(number == 0 ? 0 : 1)
        case (.boolean, .text(let text)):
            return booleanText(text).map { .integer($0 ? 1 : 0) } ?? value
        case (.boolean, _): return value
        case (.real, .real(let number)): return number == 0 ? .real(0) : value
        case (.real, .integer(let number)): return Double(exactly: number).map(Value.real) ?? value
        case (.real, _): return value
        case (.decimal, .integer(let number)): return .text(DecimalText(number).normalized)
        case (.decimal, .real(let number)):
            return DecimalText(number.description).map { .text($0.normalized) } ?? value
        case (.decimal, .text(let text)):
            return DecimalText(text).map { .text($0.normalized) } ?? value
        case (.decimal, _): return value
        case (.uuid, .text(let text)):
            return UUIDText.bytes(text).map { .text(UUIDText.text($0)) } ?? value
        case (.uuid, .blob(let bytes)):
            return bytes.count == 16 ? .text(UUIDText.text(bytes)) : value
        case (.uuid, _): return value
        case (.date, .text(let text)):
            return CalendarText(date: text).map { .text($0.dateText) } ?? value
        case (.time(let digits), .text(let text)):
            return CalendarText(time: text).map {
                .text($0.timeRounded(to: digits).timeText(digits))
            }
                ?? value
        case (.timestamp(let digits), .text(let text)):
            return CalendarText(timestamp: text)?.rounded(to: digits).map { .text($0.text(digits)) }
                ?? value
        case (.instant(let digits), .text(let text)):
            return CalendarText(timestamp: text)?.inUTC?.rounded(to: digits).map {
                .text($0.text(digits))
            }
                ?? value
        case (.date, _), (.time, _), (.timestamp, _), (.instant, _): return value
        }
    }

    /// Whether a value is of this type, so that nobody has to ask a central database. NULL always
    /// is.
    public func accepts(_ value: Value) -> Bool {
        switch (self, normalized(value)) {
        case (_, .null), (.text, .text), (.blob, .blob), (.integer, .integer), (.real, .real):
            return true
        case (.boolean, .integer): return true
        case (.decimal, .text(let text)): return DecimalText(text) != nil
        case (.uuid, .text(let text)): return UUIDText.bytes(text) != nil
        case (.date, .text(let text)): return CalendarText(date: text) != nil
        case (.time, .text(let text)): return CalendarText(time: text) != nil
        case (.timestamp, .text(let text)), (.instant, .text(let text)):
            return CalendarText(timestamp: text) != nil
        case (.json, .text(let text)): return (try? JSON(parsing: text)) != nil
        default: return false
        }
    }

    private func booleanText(_ text: String) -> Bool? {
        switch text {
        case "true", "t", "1": true
        case "false", "f", "0": false
        default: nil
        }
    }
}
