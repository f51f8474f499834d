import MoorageCore
import MoorageHub

/// A column as PostgreSQL declares it: its own type under the portable one, and what an expression
/// must do to go from one to the other.
struct NativeColumn: Hashable, Sendable {
    /// Families of types that are read and written alike.
    enum Family: Hashable, Sendable {
        case integer, boolean, real, numeric, money
        /// Text to which a value is assigned, so that its length is checked and never cut.
        case text
        case blob, uuid, date, time, timestamp, instant, json
        case enumeration
        /// Any other type, by its text.
        case other
    }

    let name: String
    let type: ColumnType
    let family: Family
    /// The base type without a length, as SQL: `character varying`, `public.mood`. What is not
    /// PostgreSQL's own bears its schema: functions and sessions look names up in different places.
    let typeName: String
    /// The base type's number; built-in types have the same everywhere.
    let typeID: UInt32
    /// Where the type's own operators are, quoted, when it came with an extension.
    let operatorSchema: String?
    /// `pg_catalog."default"`, `public.nocase`; `nil` for types without collation.
    let collation: String?
    let isDeterministic: Bool
    let isNullable: Bool
    let isGenerated: Bool
    /// `GENERATED ALWAYS AS IDENTITY`.
    let isAlwaysIdentity: Bool
    let isDomain: Bool
    /// Characters at most, of text; bytes for types that would cut.
    let maximumLength: Int?
    let labels: [String]
    /// Of a generated column, its expression.
    let expression: String?
    /// What follows the type in brackets, as the catalog keeps it; -1 for nothing.
    let modifier: Int
    let defaultValue: ColumnDefault
    /// Part of a key or a foreign key: equal values are read in one form (``TableDescription/keyedColumns``).
    var isKeyed = false

    var quoted: String { SQLText.name(name) }

    /// The type's own equality, wherever the search path leads: without it `citext` is compared as text.
    var equals: String { operatorSchema.map { "OPERATOR(\($0).=)" } ?? "=" }

    /// Whether what is equal here has the same bytes, as devices compare texts.
    var isComparedByBytes: Bool {
        family != .text || (isDeterministic && operatorSchema == nil)
    }

    var description: ColumnDescription {
        ColumnDescription(
            name: name, type: type, isNullable: isNullable, defaultValue: defaultValue,
            isGenerated: isGenerated)
    }

    var arrayKind: ArrayKind {
        switch family {
        case .integer, .boolean: .integers
        case .real: .reals
        case .blob: .blobs
        default: .texts
        }
    }

    var resultKind: ResultKind {
        switch family {
        case .integer, .boolean: .integer
        case .real: .real
        case .blob: .blob
        default: .text
        }
    }

    /// The column's value in the portable form.
    func output(_ expression: String) -> String {
        switch family {
        case .integer: "\(expression)::bigint"
        case .boolean: "\(expression)::integer::bigint"
        case .real: "\(expression)::double precision"
        case .money where isKeyed: "trim_scale(\(expression)::numeric)::text"
        case .money: "\(expression)::numeric::text"
        case .numeric where isKeyed: "trim_scale(\(expression))::text"
        case .instant: "timezone('UTC', \(expression))::text"
        case .blob: expression
        default: "\(expression)::text"
        }
    }

    /// The value to assign, from an element of a parameter array. A cast never has a length: casts
    /// cut and round in silence, assignments complain.
    func input(_ expression: String) -> String {
        switch family {
        case .integer, .real, .text, .blob: expression
        case .boolean: "(\(expression) <> 0)"
        case .money: "\(expression)::numeric::money"
        default: "\(expression)::\(typeName)"
        }
    }

    /// Whether the column keeps every value that it takes, as its portable type compares them.
    var isStoredAsWritten: Bool {
        if isDomain { return false }
        switch family {
        case .integer, .boolean, .blob, .uuid, .date, .enumeration: return true
        // A `real` has fewer digits.
        case .real: return typeID == 701
        // With a length, spaces beyond it are cut.
        case .text: return (typeID == 25 || typeID == 1043) && maximumLength == nil
        case .numeric, .money, .time, .timestamp, .instant, .json, .other: return false
        }
    }

    // MARK: Values

    /// Appends a value to an array of this column's kind.
    func append(_ value: Value, to parameters: inout Parameters) throws {
        switch (arrayKind, value) {
        case (_, .null): parameters.appendNull()
        case (.integers, .integer(let number)): parameters.append(number)
        case (.reals, .real(let number)): parameters.append(number)
        case (.blobs, .blob(let bytes)): parameters.append(bytes)
        case (.texts, .text(var text)):
            let isAppended = try text.withUTF8 { bytes in
                if bytes.contains(0) {
                    throw refused(.notRepresentable, "cannot hold a text with a NUL character")
                }
                // These would cut in silence.
                if let typeLimit, bytes.count > typeLimit { throw misfit(value) }
                guard isUsual(bytes) else { return false }
                parameters.append(bytes)
                return true
            }
            if !isAppended { try appendNormalized(value, to: &parameters) }
        default: try appendNormalized(value, to: &parameters)
        }
    }

    /// Appends a value in the form that its portable type gives it, if it has one.
    private func appendNormalized(_ value: Value, to parameters: inout Parameters) throws {
        guard type.accepts(value) else { throw misfit(value) }
        switch (arrayKind, type.normalized(value)) {
        case (.integers, .integer(let number)): parameters.append(number)
        case (.reals, .real(let number)): parameters.append(number)
        case (.blobs, .blob(let bytes)): parameters.append(bytes)
        case (.texts, .text(let text)):
            // Rounded, it would lie in the year 10000.
            if let mostBytes, text.utf8.count > mostBytes { throw misfit(value) }
            parameters.append(text)
        default: throw misfit(value)
        }
    }

    /// Whether the text is in the type's usual form: the server need not be protected from words
    /// like `now`, which it would take for a date.
    private func isUsual(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        switch family {
        case .numeric, .money:
            return !bytes.isEmpty && bytes.count < 1000
                && bytes.allSatisfy { ($0 >= 48 && $0 <= 57) || $0 == 45 || $0 == 46 }
        case .date: return bytes.count == 10 && Self.isCalendar(bytes)
        case .timestamp, .instant:
            return bytes.count >= 19 && bytes.count <= mostBytes ?? 0 && bytes[10] == 32
                && Self.isCalendar(bytes) && !bytes[11...].contains(45)
        case .uuid: return bytes.count == 36 && bytes[8] == 45 && bytes[13] == 45
        case .time: return false
        default: return true
        }
    }

    /// Of a timestamp with as many digits of a second as the column keeps.
    private var mostBytes: Int? {
        switch type {
        case .timestamp(let digits), .instant(let digits): digits > 0 ? 20 + digits : 19
        default: nil
        }
    }

    /// `name` and `"char"` are cut to so many bytes, without a word.
    private var typeLimit: Int? {
        switch typeID {
        case 18: 1
        case 19: 63
        default: nil
        }
    }

    private static func isCalendar(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        bytes[4] == 45 && bytes[7] == 45
            && bytes.allSatisfy { ($0 >= 48 && $0 <= 58) || $0 == 45 || $0 == 46 || $0 == 32 }
    }

    /// Whether the server would take the value, as far as can be told without asking it.
    func fits(_ value: Value) -> Bool {
        guard type.accepts(value) else { return false }
        switch type.normalized(value) {
        case .integer(let number):
            switch typeID {
            case 21: return Int16(exactly: number) != nil
            case 23: return Int32(exactly: number) != nil
            case 26: return UInt32(exactly: number) != nil
            default: return true
            }
        case .text(let text):
            if family == .enumeration {
                return labels.contains { $0.hasSameBytes(as: text) }
            }
            if let limit = typeLimit { return text.utf8.count <= limit }
            if let maximumLength { return text.unicodeScalars.count <= maximumLength }
            return true
        default: return true
        }
    }

    func misfit(_ value: Value) -> CentralError { refused(.type, reason(against: value)) }

    /// What the column takes and the value is not, without the value.
    private func reason(against value: Value) -> String {
        guard type.accepts(value) else {
            return "takes values of type \(type.name), and not this form of \(value.kindName)"
        }
        if family == .enumeration {
            return "takes one of the labels of \(typeName), and this text is none of them"
        }
        if case .text(let text) = value {
            if let limit = typeLimit {
                return "takes at most \(limit) bytes, and this text has \(text.utf8.count)"
            }
            if let maximumLength {
                return
                    "takes at most \(maximumLength) characters, and this text has \(text.unicodeScalars.count)"
            }
        }
        if case .integer = value { return "of type \(typeName) takes no number as large as this" }
        return "of type \(typeName) does not take this value"
    }

    func refused(_ code: Refusal.Code, _ words: String) -> CentralError {
        let message = "The column \(name) \(words)."
        return CentralError(.refused(Refusal(code: code, message: message)), message)
    }
}

extension NativeColumn {
    /// - Throws: ``CentralError`` when the column cannot hold so many integers above one.
    func checkRoom(for count: Int, above floor: Int64, in table: String) throws {
        let most: Int64 =
            switch typeName {
            case "smallint": Int64(Int16.max)
            case "integer": Int64(Int32.max)
            default: .max
            }
        guard floor <= most - Int64(count) else {
            throw CentralError(.failed, "\(table).\(name) has no room for more keys.")
        }
    }
}
