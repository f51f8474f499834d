extension ColumnType {
    /// Another value of the type near `value`: `offset` units of its last place away.
    ///
    /// Near values tend to fit what the column declares and checks beyond the portable type, such
    /// as a range, a length or a pattern. Texts keep their length and the class of each character.
    /// Times and numbers keep their digits.
    ///
    /// - Returns: `nil` where there is no such value.
    package func stepped(_ value: Value, by offset: Int) -> Value? {
        switch (self, value) {
        case (.integer, .integer(let number)):
            let (sum, overflow) = number.addingReportingOverflow(Int64(offset))
            return overflow ? nil : .integer(sum)
        case (.boolean, .integer(let number)):
            return offset.magnitude == 1 ? .integer(number == 0 ? 1 : 0) : nil
        case (.real, .real(let number)):
            let step = number.magnitude < 1 ? 1.0 / 1024 : 1
            let sum = number + Double(offset) * step
            return sum.isFinite && sum != number ? .real(sum) : nil
        case (.decimal, .text(let text)): return Self.decimal(text, offset).map(Value.text)
        case (.text, .text(let text)): return .text(Self.text(text, offset))
        case (.json, _): return .text("\"~\(offset)~\"")
        case (.blob, .blob(let bytes)): return .blob(Self.bytes(bytes, offset))
        case (.uuid, .text(let text)):
            return UUIDText.bytes(text).map { .text(UUIDText.text(Self.bytes($0, offset))) }
        case (.date, .text(let text)):
            guard offset.magnitude <= Self.mostDays else { return nil }
            return CalendarText(date: text)?.adding(seconds: offset * 86_400)
                .map { .text($0.dateText) }
        case (.timestamp(let digits), .text(let text)), (.instant(let digits), .text(let text)):
            guard offset.magnitude <= Self.mostDays * 86_400 else { return nil }
            return CalendarText(timestamp: text)?.adding(seconds: offset)
                .map { .text($0.text(digits)) }
        case (.time(let digits), .text(let text)):
            return Self.time(text, offset, digits).map(Value.text)
        default: return nil
        }
    }

    private static let mostDays = 20_000

    private static func decimal(_ text: String, _ offset: Int) -> String? {
        guard let number = DecimalText(text) else { return nil }
        let places = max(0, number.digits.count - number.exponent)
        guard places <= 40, number.exponent <= 80 else { return nil }
        let magnitude = Array(String(offset.magnitude).utf8)
        let step = DecimalText(
            isNegative: offset < 0, digits: magnitude, pointAt: magnitude.count - places)
        return number.adding(step)?.normalized
    }

    private static func time(_ text: String, _ offset: Int, _ digits: Int) -> String? {
        guard let time = CalendarText(time: text), offset.magnitude < 86_400 else { return nil }
        let second = time.hour * 3600 + time.minute * 60 + time.second + offset
        guard (0..<86_400).contains(second) else { return nil }
        return time.adding(seconds: offset)?.timeText(digits)
    }

    /// Treats the text as a number. Its ASCII letters and digits are the digits, each within its
    /// own class.
    private static func text(_ text: String, _ offset: Int) -> String {
        var bytes = Array(text.utf8)
        var carry = offset
        var isChanged = false
        for place in bytes.indices.reversed() where carry != 0 {
            guard let (first, count) = letters(like: bytes[place]) else { continue }
            let sum = Int(bytes[place]) - first + carry
            let rest = ((sum % count) + count) % count
            bytes[place] = UInt8(first + rest)
            carry = (sum - rest) / count
            isChanged = true
        }
        return isChanged ? String(decoding: bytes, as: UTF8.self) : "\(text)~\(offset.magnitude)"
    }

    private static func letters(like byte: UInt8) -> (first: Int, count: Int)? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): (Int(UInt8(ascii: "0")), 10)
        case UInt8(ascii: "a")...UInt8(ascii: "z"): (Int(UInt8(ascii: "a")), 26)
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): (Int(UInt8(ascii: "A")), 26)
        default: nil
        }
    }

    private static func bytes(_ bytes: [UInt8], _ offset: Int) -> [UInt8] {
        var bytes = bytes.isEmpty ? [0] : bytes
        var carry = offset
        for place in bytes.indices.reversed() where carry != 0 {
            let sum = Int(bytes[place]) + carry
            bytes[place] = UInt8(truncatingIfNeeded: sum)
            carry = sum >> 8
        }
        return bytes
    }
}
