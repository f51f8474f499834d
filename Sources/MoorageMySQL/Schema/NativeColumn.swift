import MoorageCore
import MoorageHub

/// A column as MariaDB or MySQL declares it: its native and its portable type, and the expressions
/// that convert between them.
struct NativeColumn: Hashable, Sendable {
    /// Families of types that are read and written alike.
    enum Family: Hashable, Sendable {
        case integer, unsigned, bits, real, numeric, year
        case text, blob, date, time, timestamp, instant, json
        case enumeration
        /// `uuid`, `inet4` and others with a text of their own.
        case other
    }

    let name: String
    let type: ColumnType
    let family: Family
    /// The type's name: `varchar`, `bigint`.
    let dataType: String
    /// The type with everything that belongs to it: `decimal(10,2)`, `enum('a','b')`.
    let columnType: String
    /// Of texts: `utf8mb4`, `latin1`.
    let characterSet: String?
    let collation: String?
    let isNullable: Bool
    let isGenerated: Bool
    let isAutomatic: Bool
    /// `ON UPDATE CURRENT_TIMESTAMP`.
    let changesByItself: Bool
    /// The maximum characters of a text.
    let maximumLength: Int?
    /// The maximum bytes of a text or a binary string.
    let maximumBytes: Int?
    let defaultValue: ColumnDefault
    /// The column is part of a key or a foreign key. Equal values are read in one form
    /// (``TableDescription/keyedColumns``).
    var isKeyed = false

    var quoted: String { SQLText.name(name) }

    var description: ColumnDescription {
        ColumnDescription(
            name: name, type: type, isNullable: isNullable, defaultValue: defaultValue,
            isGenerated: isGenerated)
    }

    /// The highest integer that the type can store; `nil` for 64 bits and for other types.
    var capacity: Int64? {
        let bits: Int64
        switch dataType {
        case "tinyint": bits = 8
        case "smallint": bits = 16
        case "mediumint": bits = 24
        case "int": bits = 32
        default: return nil
        }
        return family == .unsigned ? (1 << bits) - 1 : (1 << (bits - 1)) - 1
    }

    var isText: Bool { [.text, .enumeration, .json].contains(family) }

    var parameterKind: Parameters.Column.Kind {
        switch type {
        case .integer, .boolean: .integer
        case .real: .real
        case .blob: .blob
        default: .text
        }
    }

    var resultKind: ResultKind {
        switch family {
        case .integer, .year: .integer
        case .unsigned, .bits: .unsigned
        case .real: .real
        case .blob: .blob
        default: .text
        }
    }

    /// The column's value in the portable form.
    func output(_ expression: String) -> String {
        switch family {
        case .integer, .unsigned, .blob: expression
        case .bits, .year: "(\(expression) + 0)"
        case .real: dataType == "float" ? "CAST(\(expression) AS DOUBLE)" : expression
        case .text, .enumeration, .json: inUTF8(expression)
        case .numeric, .date, .time, .timestamp, .instant, .other:
            (isKeyed || family == .time) && hasFraction
                ? "TRIM(TRAILING '.' FROM TRIM(TRAILING '0' FROM CAST(\(expression) AS CHAR)))"
                : "CAST(\(expression) AS CHAR)"
        }
    }

    /// Whether the server writes digits after a point, including zeros.
    private var hasFraction: Bool {
        switch type {
        case .decimal: columnType.contains(",") && !columnType.contains(",0)")
        case .time(let digits), .timestamp(let digits), .instant(let digits): digits > 0
        default: false
        }
    }

    func inUTF8(_ expression: String) -> String {
        switch characterSet {
        case "utf8mb4": expression
        case nil: "CAST(\(expression) AS CHAR CHARACTER SET utf8mb4)"
        default: "CONVERT(\(expression) USING utf8mb4)"
        }
    }

    /// Converts a text of utf8mb4 to the column's own character set and collation.
    func native(_ text: String) -> String {
        guard let characterSet, let collation else { return text }
        let own =
            characterSet == "utf8mb4" ? text : "CONVERT(\(text) USING \(characterSet))"
        return "\(own) COLLATE \(collation)"
    }

    /// Whether the column stores each accepted value unchanged, as its portable type compares
    /// values.
    var isStoredAsWritten: Bool {
        if changesByItself { return false }
        switch family {
        case .integer, .unsigned, .bits, .year, .date, .enumeration: return true
        case .real: return dataType == "double"
        // With a length, the server cuts spaces beyond it. `char` cuts all spaces at the end.
        case .text: return maximumLength == nil || dataType.hasSuffix("text")
        // The server fills `binary` up with NULs.
        case .blob: return dataType != "binary"
        case .numeric, .time, .timestamp, .instant, .json, .other: return false
        }
    }

    // MARK: Values

    /// Appends a value to a column of parameters.
    func append(_ value: Value, to column: inout Parameters.Column) throws {
        guard type.accepts(value), !isNumberOfLabel(value) else { throw misfit(value) }
        switch (column.kind, type.normalized(value)) {
        case (_, .null): column.appendNull()
        case (.integer, .integer(let number)): column.append(number)
        case (.real, .real(let number)):
            guard number.isFinite else { throw misfit(value) }
            column.append(number)
        case (.blob, .blob(let bytes)): column.append(bytes)
        case (.text, .text(let text)):
            if isBeyondLastYear(text) { throw misfit(value) }
            column.append(text.utf8)
        default: throw misfit(value)
        }
    }

    /// Whether a normalized timestamp has digits that the column lacks. Rounded, it would be in the
    /// year 10000.
    private func isBeyondLastYear(_ text: String) -> Bool {
        switch type {
        case .timestamp(let digits), .instant(let digits):
            text.utf8.count > (digits > 0 ? 20 + digits : 19)
        default: false
        }
    }

    /// Whether the server would read the text as the number of a label, or of a set of labels. The
    /// text is not a label itself.
    private func isNumberOfLabel(_ value: Value) -> Bool {
        guard family == .enumeration, case .text(let text) = value, !text.isEmpty else {
            return false
        }
        let isNumber = text.utf8.allSatisfy {
            ($0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9")) || $0 == UInt8(ascii: "+")
                || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: " ")
        }
        return isNumber && !columnType.contains("'\(text)'")
    }

    /// A value as text, for a list of rows in JSON; `nil` for NULL. Blobs become hexadecimal
    /// digits.
    func text(_ value: Value) throws -> String? {
        guard type.accepts(value), !isNumberOfLabel(value) else { throw misfit(value) }
        switch type.normalized(value) {
        case .null: return nil
        case .integer(let number): return String(number)
        case .real(let number):
            guard number.isFinite else { throw misfit(value) }
            return number.description
        case .text(let text):
            if isBeyondLastYear(text) { throw misfit(value) }
            return text
        case .blob(let bytes): return SQLText.hexadecimal(bytes)
        }
    }

    /// The value to assign, from a text of ``text(_:)``.
    func input(text: String) -> String {
        switch type {
        case .blob: "UNHEX(\(text))"
        case .integer where family == .unsigned || family == .bits: "CAST(\(text) AS UNSIGNED)"
        case .integer, .boolean: "CAST(\(text) AS SIGNED)"
        case .real: "CAST(\(text) AS DOUBLE)"
        default: text
        }
    }

    /// A text of ``text(_:)``, or any expression, as a value of the column's type.
    func typed(_ expression: String, isText: Bool = true) -> String {
        switch family {
        case .integer: "CAST(\(expression) AS SIGNED)"
        case .unsigned, .bits, .year: "CAST(\(expression) AS UNSIGNED)"
        case .real: "CAST(\(expression) AS DOUBLE)"
        case .numeric: "CAST(\(expression) AS \(columnType.prefix { $0 != ")" })))"
        case .date: "CAST(\(expression) AS DATE)"
        case .time: "CAST(\(expression) AS TIME(6))"
        case .timestamp, .instant: "CAST(\(expression) AS DATETIME(6))"
        case .blob: isText ? "UNHEX(\(expression))" : "CAST(\(expression) AS BINARY)"
        case .text, .enumeration, .json, .other:
            "CAST(\(expression) AS CHAR CHARACTER SET utf8mb4)"
        }
    }

    func misfit(_ value: Value) -> CentralError { CentralError.misfit(value, in: self) }

    /// - Throws: ``CentralError`` when the column has no room for `count` integers above `floor`.
    func checkRoom(for count: Int, above floor: Int64, in table: String) throws {
        let bits =
            switch dataType {
            case "tinyint": 8
            case "smallint": 16
            case "mediumint": 24
            case "int": 32
            default: 64
            }
        let most: Int64 =
            bits == 64 ? .max : (1 << (family == .unsigned ? bits : bits - 1)) - 1
        guard floor <= most - Int64(count) else {
            throw CentralError.keysUsedUp(name, of: table)
        }
    }
}
