import MoorageCore

/// Values as requests write them (docs/reference/rest.md, Rows).
extension ColumnType {
    /// - Returns: `nil` for a document that is not of the type.
    func value(of json: JSON) -> Value? {
        switch (self, json) {
        case (_, .null): .null
        case (.json, _): .text(json.requestedText)
        case (.boolean, .bool(let flag)): .integer(flag ? 1 : 0)
        case (.integer, .number(let text)), (.real, .number(let text)),
            (.decimal, .number(let text)):
            value(ofText: text)
        case (.integer, _), (.real, _), (.boolean, _): nil
        case (_, .string(let text)): value(ofText: text)
        default: nil
        }
    }

    /// The value of a text, as in a path or in CSV.
    ///
    /// - Returns: `nil` for a text that is not of the type.
    func value(ofText text: String) -> Value? {
        switch self {
        case .text: .text(text)
        case .integer:
            // Few programs write `1e3`.
            (Int64(text) ?? DecimalText(text).flatMap { Int64($0.normalized) }).map { .integer($0) }
        case .real: Self.real(text)
        case .decimal: DecimalText(text) == nil ? nil : .text(text)
        case .boolean: Self.flag(text)
        case .blob: Base64.decode(text).map { .blob($0) }
        case .uuid: UUIDText.bytes(text).map { .text(UUIDText.text($0)) }
        case .json: (try? JSON(parsing: text)).map { .text($0.textOfNone ?? text) }
        case .date:
            // A program may write a day as its midnight in UTC.
            CalendarText(date: Self.upperCased(text)).flatMap { ($0.offset ?? 0) == 0 ? $0 : nil }
                .map { .text($0.dateText) }
        case .time(let digits):
            CalendarText(time: text).map { .text($0.timeRounded(to: digits).timeText(digits)) }
        case .timestamp(let digits):
            // The column has no zone, and to drop one would name another moment.
            Self.timestamp(text) { $0.offset == nil ? $0 : nil }?.rounded(to: digits)
                .map { .text($0.text(digits)) }
        case .instant(let digits):
            Self.timestamp(text) { $0.inUTC }?.rounded(to: digits).map { .text($0.text(digits)) }
        }
    }

    private static func real(_ text: String) -> Value? {
        // Swift also reads `nan`, and hex digits.
        guard DecimalText(text) != nil, let number = Double(text), number.isFinite else {
            return nil
        }
        return .real(number)
    }

    private static func flag(_ text: String) -> Value? {
        switch text {
        case "true": .integer(1)
        case "false": .integer(0)
        default: nil
        }
    }

    private static func timestamp(
        _ text: String, _ accepted: (CalendarText) -> CalendarText?
    ) -> CalendarText? {
        CalendarText(timestamp: upperCased(text)).flatMap(accepted)
    }

    /// RFC 3339 also allows `t` and `z`.
    private static func upperCased(_ text: String) -> String {
        let bytes = text.utf8.map { byte in
            byte == UInt8(ascii: "t") || byte == UInt8(ascii: "z") ? byte & 0xDF : byte
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension JSON {
    /// The member of an object that says a text which is no document.
    private static let textMember = "$text"

    /// A document as answers have it. A text that is none becomes an object with the text as its
    /// only member. So a program can send it back unchanged. A document of that form does the same.
    init(answering text: String) {
        if let document = try? JSON(parsing: text), document.textOfNone == nil {
            self = document
        } else {
            self = .object([(Self.textMember, .string(text))])
        }
    }

    /// What a request writes into a column for documents.
    var requestedText: String { textOfNone ?? text }

    fileprivate var textOfNone: String? {
        guard case .object(let members) = self, members.count == 1,
            members[0].name == Self.textMember, case .string(let text) = members[0].value
        else { return nil }
        return text
    }

    /// The document without spaces, with its members in order and its numbers as they are.
    var text: String { String(decoding: JSONWriter.document { $0.json(self) }, as: UTF8.self) }
}
