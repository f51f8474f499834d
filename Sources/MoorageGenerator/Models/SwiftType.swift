import MoorageCore
import MoorageWire

/// The Swift type of a column's values.
enum SwiftType: Hashable {
    case int64, bool, double, decimal, text, data, date, time, dateTime, instant
    /// UUIDs as text, and as 16 bytes.
    case textUUID, uuid
    /// An enumeration of the column's labels, by its name.
    case labels(String)

    init(_ type: ColumnType, _ uuids: ModelOptions.UUIDs) {
        switch type {
        case .integer: self = .int64
        case .boolean: self = .bool
        case .real: self = .double
        case .decimal: self = .decimal
        case .text, .json: self = .text
        case .blob: self = .data
        case .uuid: self = uuids == .text ? .textUUID : .uuid
        case .date: self = .date
        case .time: self = .time
        case .timestamp: self = .dateTime
        case .instant: self = .instant
        }
    }

    var name: String {
        switch self {
        case .int64: "Int64"
        case .bool: "Bool"
        case .double: "Double"
        case .decimal: "ExactDecimal"
        case .text: "String"
        case .data: "Data"
        case .textUUID: "TextUUID"
        case .uuid: "UUID"
        case .date: "LocalDate"
        case .time: "LocalTime"
        case .dateTime: "LocalDateTime"
        case .instant: "Instant"
        case .labels(let name): name
        }
    }

    /// Whether Foundation declares it.
    var isFoundations: Bool { self == .data || self == .uuid }

    /// Whether Moorage declares it.
    var isMoorages: Bool {
        switch self {
        case .decimal, .textUUID, .date, .time, .dateTime, .instant: true
        case .int64, .bool, .double, .text, .data, .uuid, .labels: false
        }
    }

    /// Whether the type itself accepts nothing that it would write in another form. GRDB reads text
    /// in a column of integers as 0, and the next save would write the 0.
    var isExact: Bool { isMoorages }

    /// A constant of the type in Swift; `nil` where a literal cannot express the value.
    func literal(_ value: Value, known labels: [LabelCase]) -> String? {
        switch (self, value) {
        case (.int64, .integer(let number)): String(number)
        case (.bool, .integer(let number)): number == 0 ? "false" : "true"
        case (.double, .real(let number)) where number.isFinite: number.description
        case (.double, .integer(let number)): String(Double(number))
        case (.decimal, .integer(let number)): String(number)
        case (.decimal, .text(let text)):
            DecimalText(text).flatMap { Int64($0.normalized) }.map { String($0) }
        case (.text, .text(let text)): SourceText.literal(text)
        case (.labels, .text(let text)):
            labels.first { $0.label.hasSameBytes(as: text) }.map {
                ".\(SwiftNames.escaped($0.name))"
            }
        default: nil
        }
    }
}

/// A case of an enumeration, for one label of the column.
struct LabelCase: Hashable {
    /// Without backticks.
    let name: String
    let label: String
}
