import MoorageCore

/// A value as answers have it (docs/reference/rest.md, Rows). A value that is not of its column's
/// type comes in the form of its own kind: SQLite can store any value in any column.
enum AnsweredValue {
    case null
    case flag(Bool)
    case integer(Int64)
    case real(Double)
    case text(String)
    case document(JSON)

    init(_ value: Value, of type: ColumnType) {
        switch (type, value) {
        case (_, .null): self = .null
        case (.decimal, .text(let text)): self = .text(text)
        case (.json, .text(let text)): self = .document(JSON(answering: text))
        case (.timestamp(let digits), .text(let text)):
            let time = CalendarText(timestamp: text)?.rounded(to: digits)
            self = .text(time?.requestText(digits) ?? text)
        case (.instant(let digits), .text(let text)):
            let time = CalendarText(timestamp: text)?.inUTC?.rounded(to: digits)
            self = .text(time.map { $0.requestText(digits) + "Z" } ?? text)
        default:
            switch (type, type.normalized(value)) {
            case (.boolean, .integer(let number)): self = .flag(number != 0)
            case (_, let normal): self = AnsweredValue(plain: normal)
            }
        }
    }

    private init(plain value: Value) {
        switch value {
        case .null: self = .null
        case .integer(let number): self = .integer(number)
        // JSON has no infinite numbers.
        case .real(let number): self = number.isFinite ? .real(number) : .text("\(number)")
        case .text(let text): self = .text(text)
        case .blob(let bytes): self = .text(Base64.encode(bytes))
        }
    }

    func write(to writer: inout JSONWriter) { writer.json(json) }

    var json: JSON {
        switch self {
        case .null: .null
        case .flag(let flag): .bool(flag)
        case .integer(let number): .number(String(number))
        case .real(let number): .number(number.description)
        case .text(let text): .string(text)
        case .document(let json): json
        }
    }

    /// As a path or CSV has it; `nil` for NULL.
    var plainText: String? {
        switch self {
        case .null: nil
        case .flag(let flag): flag ? "true" : "false"
        case .integer(let number): String(number)
        case .real(let number): number.description
        case .text(let text): text
        case .document(let json): json.text
        }
    }
}

extension CalendarText {
    /// Date and time as RFC 3339 writes them.
    fileprivate func requestText(_ digits: Int) -> String { dateText + "T" + timeText(digits) }
}
