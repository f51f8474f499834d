import MoorageCore

extension TableDescription {
    /// A value that a device cannot store. The hub withholds its row, and never changes it.
    typealias WithheldValue = (row: Int, column: Int, reason: String)

    /// The column of the first value that a device cannot store, with the reason.
    func withheldColumn(in row: [Value]) -> (column: Int, reason: String)? {
        for (position, value) in row.enumerated() {
            if let reason = reasonToWithhold(value, in: position) {
                return (position, reason)
            }
        }
        return nil
    }

    /// The same for some of many rows, in their order.
    ///
    /// - Precondition: `rows` has this table's columns.
    func withheldRows(in rows: RowColumns, _ range: Range<Int>) -> [WithheldValue] {
        var found: [Int: WithheldValue] = [:]
        for (position, values) in rows.columns.enumerated() {
            let column = columns[position]
            let isKey = isKey(position)
            values.bytes.withUnsafeBytes { bytes in
                for row in range
                where !column.type.isSurelyHeld(values, row, bytes)
                    || isKey && !column.type.isSurelyNormal(values, row, bytes)
                {
                    // The first column of a row gives the reason.
                    guard found[row] == nil,
                        let reason = reasonToWithhold(values[row], in: position)
                    else { continue }
                    found[row] = (row, position, reason)
                }
            }
        }
        return found.values.sorted { $0.row < $1.row }
    }

    private func reasonToWithhold(_ value: Value, in column: Int) -> String? {
        if let reason = columns[column].type.reasonToWithhold(value) { return reason }
        guard isKey(column), columns[column].type.normalized(value) != value else { return nil }
        return WithheldReason.keyForm(of: columns[column].type.name)
    }
}

extension ColumnType {
    fileprivate func reasonToWithhold(_ value: Value) -> String? {
        switch (self, value) {
        case (_, .real(let number)) where number.isNaN: WithheldReason.notANumber
        case (_, .real(let number)) where !number.isFinite: WithheldReason.infinity
        case (.decimal, .text) where !accepts(value): WithheldReason.notADecimal
        case (.date, .text), (.timestamp, .text), (.instant, .text):
            accepts(value) ? nil : WithheldReason.dateOutside
        // A column of integers would convert it to a double.
        case (.integer, .text) where ColumnType.decimal.accepts(value):
            WithheldReason.integerTooLarge
        // A device's column would convert it to text.
        case (.uuid, .integer), (.uuid, .real), (.date, .integer), (.date, .real),
            (.time, .integer), (.time, .real), (.timestamp, .integer), (.timestamp, .real),
            (.instant, .integer), (.instant, .real):
            WithheldReason.number(inColumnOf: name)
        case (.text, .blob(let bytes)) where String(validating: bytes, as: UTF8.self) == nil:
            WithheldReason.notUTF8
        // A text that is no time at all is not withheld: the owner may keep anything in a SQLite
        // file.
        case (.time, .text(let text)) where text.isTimeOfNoDay && !accepts(value):
            WithheldReason.timeOutside
        default: nil
        }
    }

    /// Whether the bytes alone prove that a value is in the form that equal ones share. `false`
    /// proves nothing.
    fileprivate func isSurelyNormal(
        _ values: ValueColumn, _ row: Int, _ bytes: UnsafeRawBufferPointer
    ) -> Bool {
        switch (values.kinds[row], self) {
        case (_, .text), (_, .blob), (.integer, .integer): true
        case (.text, .uuid): UsualText.isUUID(bytes[values.byteRange(row)])
        default: false
        }
    }

    /// Whether the bytes alone prove that a device can store the value. `false` proves nothing.
    fileprivate func isSurelyHeld(
        _ values: ValueColumn, _ row: Int, _ bytes: UnsafeRawBufferPointer
    ) -> Bool {
        switch (values.kinds[row], self) {
        case (.blob, .text), (.text, .integer): return false
        case (.integer, .uuid), (.integer, .date), (.integer, .time), (.integer, .timestamp),
            (.integer, .instant), (.real, .uuid), (.real, .date), (.real, .time),
            (.real, .timestamp), (.real, .instant):
            return false
        case (.real, _): return Double(bitPattern: values.words[row]).isFinite
        case (.text, .decimal):
            return UsualText.isDecimal(bytes[values.byteRange(row)])
        case (.text, .date): return UsualText.isDate(bytes[values.byteRange(row)])
        case (.text, .timestamp), (.text, .instant):
            return UsualText.isTimestamp(bytes[values.byteRange(row)])
        case (.text, .time): return UsualText.isTime(bytes[values.byteRange(row)])
        default: return true
        }
    }
}

extension String {
    /// `-838:59:59.5`: a length of time, which `TIME` of MariaDB and MySQL allows, too.
    fileprivate var isTimeOfNoDay: Bool {
        let parts = utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 3, parts[1].count == 2, parts[2].count >= 2 else { return false }
        let hours = parts[0].first == UInt8(ascii: "-") ? parts[0].dropFirst() : parts[0]
        return (1...4).contains(hours.count)
            && (Array(hours) + parts[1] + parts[2].filter { $0 != UInt8(ascii: ".") })
                .allSatisfy { (48...57).contains($0) }
    }
}

/// Texts in the form in which databases write them, recognized by their bytes. A text that is not
/// recognized may still be right.
private enum UsualText {
    typealias Bytes = Slice<UnsafeRawBufferPointer>

    /// `-123.45`
    static func isDecimal(_ text: Bytes) -> Bool {
        let digits = text.first == UInt8(ascii: "-") ? text.dropFirst() : text
        guard digits.count <= 1000, digits.first.map(isDigit) == true else { return false }
        var points = 0
        for byte in digits where !isDigit(byte) {
            if byte != UInt8(ascii: ".") { return false }
            points += 1
        }
        return points <= 1
    }

    /// Lower-case digits and four hyphens.
    static func isUUID(_ text: Bytes) -> Bool {
        guard text.count == 36 else { return false }
        return text.enumerated().allSatisfy { place, byte in
            place == 8 || place == 13 || place == 18 || place == 23
                ? byte == UInt8(ascii: "-")
                : isDigit(byte) || (byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "f"))
        }
    }

    /// `2026-11-23`, up to the 28th of a month.
    static func isDate(_ text: Bytes) -> Bool { text.count == 10 && beginsWithDate(text) }

    /// `2026-11-23 14:05:09.123456`
    static func isTimestamp(_ text: Bytes) -> Bool {
        let first = text.startIndex
        guard text.count >= 19, text.count <= 26, beginsWithDate(text),
            text[first + 10] == UInt8(ascii: " "), text[first + 13] == UInt8(ascii: ":"),
            text[first + 16] == UInt8(ascii: ":"),
            let hour = number(text, 11, 2), let minute = number(text, 14, 2),
            let second = number(text, 17, 2), hour < 24, minute < 60, second < 60
        else { return false }
        if text.count == 19 { return true }
        return text.count > 20 && text[first + 19] == UInt8(ascii: ".")
            && text[(first + 20)...].allSatisfy(isDigit)
    }

    /// `14:05:09`
    static func isTime(_ text: Bytes) -> Bool {
        guard text.count == 8, text[text.startIndex + 2] == UInt8(ascii: ":"),
            text[text.startIndex + 5] == UInt8(ascii: ":"), let hour = number(text, 0, 2),
            let minute = number(text, 3, 2), let second = number(text, 6, 2)
        else { return false }
        return hour < 24 && minute < 60 && second < 60
    }

    private static func beginsWithDate(_ text: Bytes) -> Bool {
        let first = text.startIndex
        guard text[first + 4] == UInt8(ascii: "-"), text[first + 7] == UInt8(ascii: "-"),
            let year = number(text, 0, 4), let month = number(text, 5, 2),
            let day = number(text, 8, 2)
        else { return false }
        return year > 0 && (1...12).contains(month) && (1...28).contains(day)
    }

    private static func number(_ text: Bytes, _ place: Int, _ count: Int) -> Int? {
        var number = 0
        for byte in text[(text.startIndex + place)..<(text.startIndex + place + count)] {
            guard isDigit(byte) else { return nil }
            number = number * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return number
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }
}
