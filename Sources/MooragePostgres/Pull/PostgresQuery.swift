import MoorageCore
import MoorageHub

/// A query's conditions and order in PostgreSQL's SQL, about a row `l` of the table.
struct PostgresQuery: RowQueryDialect {
    let shape: TableShape
    private(set) var parameters = Parameters()

    init(_ shape: TableShape) { self.shape = shape }

    var table: AttachedTable { shape.table }

    func column(_ column: Int) -> String { "l." + shape.columns[column].quoted }

    func isNullable(_ column: Int) -> Bool { shape.columns[column].isNullable }

    mutating func compared(_ column: Int, _ mark: String, _ value: Value) throws -> String {
        "\(operand(column)) \(mark) \(try argument(value, of: column))"
    }

    mutating func placed(_ column: Int, _ mark: String, _ value: Value) throws -> String {
        try compared(column, mark, value)
    }

    mutating func isOneOf(_ values: [Value], _ column: Int) throws -> String {
        let native = shape.columns[column]
        guard native.family == .text, native.typeID != 18, native.typeID != 19 else {
            return try isOneOf(values, native, operand(column))
        }
        // The column's own comparison uses its index. Only a deterministic collation compares
        // bytes.
        let isPlain = native.typeID == 25 || native.typeID == 1043
        if isPlain && native.isDeterministic {
            return try isOneOf(values, native, self.column(column))
        }
        let bytes = try isOneOf(values, native, operand(column))
        let own =
            values.count == 1
            ? "(($\(parameters.count)::text)::\(native.typeName))"
            : "ANY (($\(parameters.count)::text[])::\(native.typeName)[])"
        return "\(self.column(column)) \(native.equals) \(own) AND \(bytes)"
    }

    /// Without a word about NULL where the column has none. The server could not use an index of
    /// the owner's otherwise.
    func order(_ part: RowOrder) -> String {
        let text = operand(part.column) + (part.isDescending ? " DESC" : "")
        guard isNullable(part.column) else { return text }
        return text + (part.isDescending ? " NULLS LAST" : " NULLS FIRST")
    }

    private func operand(_ column: Int) -> String {
        shape.columns[column].comparable(self.column(column))
    }

    // MARK: Arguments

    private mutating func argument(_ value: Value, of column: Int) throws -> String {
        let native = shape.columns[column]
        switch try native.comparedForm(of: value) {
        case .text(let text): parameters.add(text)
        case .bytes(let bytes): parameters.add(blob: bytes)
        }
        return "$\(parameters.count)::\(native.comparedType)"
    }

    private mutating func isOneOf(
        _ values: [Value], _ native: NativeColumn, _ operand: String
    ) throws -> String {
        let forms = try values.map(native.comparedForm)
        if forms.count == 1, let form = forms.first {
            switch form {
            case .text(let text): parameters.add(text)
            case .bytes(let bytes): parameters.add(blob: bytes)
            }
            return "\(operand) = $\(parameters.count)::\(native.comparedType)"
        }
        parameters.beginArray(native.family == .blob ? .blobs : .texts, count: forms.count)
        for form in forms {
            switch form {
            case .text(let text): parameters.append(text)
            case .bytes(let bytes): parameters.append(bytes)
            }
        }
        parameters.endArray()
        return "\(operand) = ANY ($\(parameters.count)::\(native.comparedType)[])"
    }
}

/// How a value is sent that a column is compared with.
private enum ComparedForm {
    /// A text that the server reads as the type. It has no NUL.
    case text(String)
    case bytes([UInt8])
}

extension NativeColumn {
    /// A value of the column in the form in which values are compared and ordered.
    fileprivate func comparable(_ column: String) -> String {
        switch family {
        // An `oid` has no comparison with a negative number.
        case .integer where typeID == 26: "\(column)::bigint"
        case .money: "\(column)::numeric"
        // By bytes, whatever the collation. An enumeration would be ordered by its declaration, and
        // would refuse a text that is no label.
        case .text, .enumeration, .json, .other: "(\(column)::text COLLATE \"C\")"
        case .integer, .boolean, .real, .numeric, .blob, .uuid, .date, .time, .timestamp, .instant:
            column
        }
    }

    /// The type of arguments that ``comparable(_:)`` is compared with.
    fileprivate var comparedType: String {
        switch family {
        case .integer: "bigint"
        case .boolean: "boolean"
        case .real: "double precision"
        case .numeric, .money: "numeric"
        case .blob: "bytea"
        case .uuid: "uuid"
        case .date: "date"
        case .time: "time"
        case .timestamp: "timestamp"
        case .instant: "timestamptz"
        case .text, .enumeration, .json, .other: "text"
        }
    }

    /// - Throws: `refused` for a value that the server cannot read as the type. In a snapshot it
    ///   would end the transaction.
    fileprivate func comparedForm(of value: Value) throws -> ComparedForm {
        switch (family, type.normalized(value)) {
        case (.integer, .integer(let number)): return .text(String(number))
        case (.boolean, .integer(let number)): return .text(number == 0 ? "false" : "true")
        case (.real, .real(let number)): return .text(number.description)
        case (.blob, .blob(let bytes)): return .bytes(bytes)
        case (.text, .text(let text)), (.enumeration, .text(let text)), (.other, .text(let text)):
            guard !text.utf8.contains(0) else { throw CentralError.nulInText(of: self) }
            return .text(text)
        case (.numeric, .text(let text)), (.money, .text(let text)), (.uuid, .text(let text)),
            (.date, .text(let text)), (.time, .text(let text)), (.timestamp, .text(let text)),
            (.instant, .text(let text)):
            guard KeyText.isReadableOwn(text, as: self) else { throw misfit(value) }
            return .text(text)
        default: throw misfit(value)
        }
    }
}
