import MoorageCore
import MoorageHub

/// A column as PostgreSQL declares it: its native and its portable type, and the expressions that
/// convert between them.
struct NativeColumn: Hashable, Sendable {
    /// Families of types that are read and written alike.
    enum Family: Hashable, Sendable {
        case integer, boolean, real, numeric, money
        /// Text that the hub assigns, so that the server checks its length and never cuts it.
        case text
        case blob, uuid, date, time, timestamp, instant, json
        case enumeration
        /// Any other type, by its text.
        case other
    }

    let name: String
    let type: ColumnType
    let family: Family
    /// The base type without a length, as SQL: `character varying`, `public.mood`. A type that is
    /// not PostgreSQL's own has its schema, because functions and sessions look names up in
    /// different places.
    let typeName: String
    /// The base type's number. A built-in type has the same number everywhere.
    let typeID: UInt32
    /// The quoted schema of the type's own operators, where it came with an extension.
    let operatorSchema: String?
    /// `pg_catalog."default"`, `public.nocase`; `nil` for types without collation.
    let collation: String?
    let isDeterministic: Bool
    let isNullable: Bool
    let isGenerated: Bool
    /// `GENERATED ALWAYS AS IDENTITY`.
    let isAlwaysIdentity: Bool
    let isDomain: Bool
    /// The maximum characters of a text.
    let maximumLength: Int?
    let labels: [String]
    /// The expression of a generated column.
    let expression: String?
    /// What follows the type in brackets, as the catalog keeps it; -1 for nothing.
    let modifier: Int
    let defaultValue: ColumnDefault
    /// The column is part of a key or a foreign key. Equal values are read in one form
    /// (``TableDescription/keyedColumns``).
    var isKeyed = false

    var quoted: String { SQLText.name(name) }

    /// The type's own equality, whatever the search path is. Without it the server compares
    /// `citext` as text.
    var equals: String { operatorSchema.map { "OPERATOR(\($0).=)" } ?? "=" }

    /// Whether equal values have the same bytes, as devices compare texts.
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

    /// The value to assign, from an element of a parameter array. A cast never has a length. Casts
    /// cut and round without an error, where assignments fail.
    func input(_ expression: String) -> String {
        switch family {
        case .integer, .real, .text, .blob: expression
        case .boolean: "(\(expression) <> 0)"
        case .money: "\(expression)::numeric::money"
        default: "\(expression)::\(typeName)"
        }
    }

    /// Whether the column stores each accepted value unchanged, as its portable type compares
    /// values.
    var isStoredAsWritten: Bool {
        if isDomain { return false }
        switch family {
        case .integer, .boolean, .blob, .uuid, .date, .enumeration: return true
        // A `real` has fewer digits.
        case .real: return typeID == 701
        // With a length, the server cuts spaces beyond it.
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
                if bytes.contains(0) { throw CentralError.nulInText(of: self) }
                // The server would cut these without an error.
                if let typeLimit, bytes.count > typeLimit { throw misfit(value) }
                guard isUsual(bytes) else { return false }
                parameters.append(bytes)
                return true
            }
            if !isAppended { try appendNormalized(value, to: &parameters) }
        default: try appendNormalized(value, to: &parameters)
        }
    }

    /// Appends a value in the normal form of its portable type.
    private func appendNormalized(_ value: Value, to parameters: inout Parameters) throws {
        guard type.accepts(value) else { throw misfit(value) }
        switch (arrayKind, type.normalized(value)) {
        case (.integers, .integer(let number)): parameters.append(number)
        case (.reals, .real(let number)): parameters.append(number)
        case (.blobs, .blob(let bytes)): parameters.append(bytes)
        case (.texts, .text(let text)):
            // Rounded, it would be in the year 10000.
            if let mostBytes, text.utf8.count > mostBytes { throw misfit(value) }
            parameters.append(text)
        default: throw misfit(value)
        }
    }

    /// Whether the text is in the type's usual form. Then it is not a word like `now`, which the
    /// server would read as a date.
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

    /// The bytes of a timestamp with as many fraction digits as the column keeps.
    private var mostBytes: Int? {
        switch type {
        case .timestamp(let digits), .instant(let digits): digits > 0 ? 20 + digits : 19
        default: nil
        }
    }

    /// The server cuts `name` and `"char"` to this many bytes, without an error.
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

    /// Whether the server would accept the value, as far as this is known without a query.
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

    /// The error of a value that the column does not accept. It says what the column accepts.
    func misfit(_ value: Value) -> CentralError {
        guard type.accepts(value) else { return CentralError.valueOfOtherForm(value, in: self) }
        if family == .enumeration { return CentralError.notALabel(in: self) }
        if case .text(let text) = value {
            if let limit = typeLimit {
                return CentralError.tooManyBytes(text.utf8.count, limit: limit, in: self)
            }
            if let limit = maximumLength {
                let count = text.unicodeScalars.count
                return CentralError.tooManyCharacters(count, limit: limit, in: self)
            }
        }
        if case .integer = value { return CentralError.numberOutOfRange(in: self) }
        return CentralError.misfit(in: self)
    }
}

extension NativeColumn {
    /// - Throws: ``CentralError`` when the column has no room for `count` integers above `floor`.
    func checkRoom(for count: Int, above floor: Int64, in table: String) throws {
        let most: Int64 =
            switch typeName {
            case "smallint": Int64(Int16.max)
            case "integer": Int64(Int32.max)
            default: .max
            }
        guard floor <= most - Int64(count) else {
            throw CentralError.keysUsedUp(name, of: table)
        }
    }
}
