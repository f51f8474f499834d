import MoorageCore
import MoorageHub

/// A query's conditions and order in the SQL of MariaDB and MySQL, about a row `l` of the table.
struct MySQLQuery: RowQueryDialect {
    let shape: TableShape
    private(set) var parameters = Parameters()
    /// About how many bytes the parameters have.
    private(set) var byteCount = 0

    /// The server sorts texts and blobs by this many bytes, and leaves out the rest. The session
    /// sets it (`max_sort_length`).
    static let sortedBytes = 1_024
    /// A text or blob is sorted in parts of this many bytes. They are fewer than the server sorts
    /// by, because it also counts the bytes in which it notes a length.
    fileprivate static let partBytes = 1_000
    /// An order takes so many bytes of a long text or blob. A place in the order takes no more of
    /// them, or rows would be skipped.
    private static let placedBytes = 4 * partBytes

    init(_ shape: TableShape) { self.shape = shape }

    var table: AttachedTable { shape.table }

    func column(_ column: Int) -> String { "l." + shape.columns[column].quoted }

    func isNullable(_ column: Int) -> Bool { shape.columns[column].isNullable }

    mutating func compared(_ column: Int, _ mark: String, _ value: Value) throws -> String {
        "\(operand(column)) \(mark) \(try argument(value, of: column))"
    }

    mutating func isOneOf(_ values: [Value], _ column: Int) throws -> String {
        let native = shape.columns[column]
        let normalized = values.map(native.type.normalized)
        var sql = ""
        // The column's own comparison uses its index. It may find more values than these.
        if let own = native.ownArgument(for: normalized) {
            for value in normalized { add(value) }
            sql = "\(self.column(column)) \(Self.list(values.map { _ in own })) AND "
        }
        let list = Self.list(try values.map { try argument($0, of: column) })
        return sql + "\(operand(column)) \(list)"
    }

    private static func list(_ arguments: [String]) -> String {
        arguments.count == 1
            ? "= \(arguments[0])" : "IN (\(arguments.joined(separator: ", ")))"
    }

    mutating func placed(_ column: Int, _ mark: String, _ value: Value) throws -> String {
        let native = shape.columns[column]
        guard native.isLong else { return try compared(column, mark, value) }
        switch value {
        case .text(let text): add(.blob(Array(text.utf8.prefix(Self.placedBytes))))
        case .blob(let bytes): add(.blob(Array(bytes.prefix(Self.placedBytes))))
        default: throw native.misfit(value)
        }
        return "LEFT(\(operand(column)), \(Self.placedBytes)) \(mark) ?"
    }

    /// The server's own place of NULL is the one that a query asks for.
    func order(_ part: RowOrder) -> String {
        let operand = operand(part.column)
        let direction = part.isDescending ? " DESC" : ""
        guard shape.columns[part.column].isLong else { return operand + direction }
        return stride(from: 1, through: Self.placedBytes, by: Self.partBytes)
            .map { "SUBSTRING(\(operand), \($0), \(Self.partBytes))\(direction)" }
            .joined(separator: ", ")
    }

    private func operand(_ column: Int) -> String {
        shape.columns[column].comparable(self.column(column))
    }

    private mutating func argument(_ value: Value, of column: Int) throws -> String {
        let (sql, value) = try shape.columns[column].argument(for: value, on: shape.kind)
        add(value)
        return sql
    }

    private mutating func add(_ value: Value) {
        parameters.add(value)
        byteCount += value.byteCount
    }
}

extension NativeColumn {
    /// A value may be longer than what the server sorts by.
    fileprivate var isLong: Bool {
        switch family {
        case .text, .enumeration: (maximumLength ?? .max) * 4 > MySQLQuery.partBytes
        case .blob: (maximumBytes ?? .max) > MySQLQuery.partBytes
        default: false
        }
    }

    /// The column's own collation compares bytes, including spaces at the end. So its index has the
    /// order of a query.
    private var isOrderedByBytes: Bool {
        guard family == .text, dataType == "varchar", characterSet == "utf8mb4", !isLong,
            let collation
        else { return false }
        return collation.hasSuffix("_nopad_bin") || collation.hasSuffix("_0900_bin")
    }

    /// A text argument in the column's own comparison, where that may call more values equal. `nil`
    /// where the column's character set may lack a character, because MySQL then refuses the
    /// statement.
    fileprivate func ownArgument(for values: [Value]) -> String? {
        switch family {
        case .text where !isOrderedByBytes:
            let last: UInt32 =
                switch characterSet {
                case "utf8mb4": 0x10FFFF
                case "utf8mb3": 0xFFFF
                default: 0x7F
                }
            let isConvertible = values.allSatisfy { value in
                guard case .text(let text) = value else { return false }
                return text.unicodeScalars.allSatisfy { $0.value <= last }
            }
            return isConvertible ? native("CONVERT(? USING utf8mb4)") : nil
        case .other where type == .uuid: return "CONVERT(? USING utf8mb4)"
        default: return nil
        }
    }

    /// A value of the column in the form in which values are compared and ordered.
    fileprivate func comparable(_ column: String) -> String {
        switch family {
        case .integer, .unsigned, .bits, .year:
            if case .boolean = type { return "(\(column) <> 0)" }
            // The server would read a number below 100 as a year of this century.
            return family == .bits || family == .year ? "(\(column) + 0)" : column
        // A `float` is compared with the double that a query returns.
        case .real: return dataType == "float" ? "CAST(\(column) AS DOUBLE)" : column
        case .text where isOrderedByBytes: return column
        case .text, .enumeration: return "CAST(\(inUTF8(column)) AS BINARY)"
        case .json, .other: return "CAST(CAST(\(column) AS CHAR CHARACTER SET utf8mb4) AS BINARY)"
        case .numeric, .blob, .date, .time, .timestamp, .instant: return column
        }
    }

    /// The argument that ``comparable(_:)`` is compared with, and how the statement names it.
    ///
    /// - Throws: `refused` for a value that the server would read as another one, or as NULL.
    fileprivate func argument(
        for value: Value, on kind: ServerKind
    ) throws -> (sql: String, value: Value) {
        switch (family, type.normalized(value)) {
        case (.integer, .integer), (.unsigned, .integer), (.bits, .integer), (.year, .integer):
            return ("?", type.normalized(value))
        // A number beyond 2⁶³ − 1 travels as its text.
        case (.unsigned, .text(let text)), (.bits, .text(let text)):
            guard UInt64(text) != nil else { throw misfit(value) }
            return ("CAST(? AS UNSIGNED)", .text(text))
        case (.real, .real(let number)) where number.isFinite: return ("?", .real(number))
        case (.numeric, .text(let text)) where type.accepts(value):
            guard let digits = Self.fractionDigits(of: text, on: kind) else { throw misfit(value) }
            return ("CAST(? AS DECIMAL(65,\(digits)))", .text(text))
        case (.text, .text(let text)) where isOrderedByBytes:
            return (native("CONVERT(? USING utf8mb4)"), .text(text))
        case (.text, .text(let text)), (.enumeration, .text(let text)), (.other, .text(let text)):
            return ("?", .blob(Array(text.utf8)))
        case (.blob, .blob(let bytes)): return ("?", .blob(bytes))
        case (.date, .text(let text)) where isReadableTime(text):
            return ("CAST(? AS DATE)", .text(text))
        case (.time, .text(let text)) where isReadableTime(text):
            return ("CAST(? AS TIME(6))", .text(text))
        case (.timestamp, .text(let text)) where isReadableTime(text),
            (.instant, .text(let text)) where isReadableTime(text):
            return ("CAST(? AS DATETIME(6))", .text(text))
        default: throw misfit(value)
        }
    }

    /// The digits behind the point of a decimal; `nil` for more digits than the server keeps, which
    /// it would round.
    private static func fractionDigits(of text: String, on kind: ServerKind) -> Int? {
        let digits = text.utf8.drop { $0 == UInt8(ascii: "-") }
        let parts = digits.split(
            separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        let isPlain = parts.allSatisfy { part in
            !part.isEmpty && part.allSatisfy { (48...57).contains($0) }
        }
        guard isPlain, let whole = parts.first else { return nil }
        let fraction = parts.count > 1 ? parts[1].count : 0
        let most = kind.isMariaDB ? 38 : 30
        return whole.count + fraction <= 65 && fraction <= most ? fraction : nil
    }

    /// Whether the server reads the text, which is in the type's normal form if it is of the type.
    /// It stores more than devices do: a date with a zero part, and times outside a day.
    private func isReadableTime(_ text: String) -> Bool {
        let bytes = text.utf8
        let isPlain = bytes.enumerated().allSatisfy { place, byte in
            (48...58).contains(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: " ")
                || byte == UInt8(ascii: "-") && place < 10
        }
        guard isPlain, !bytes.isEmpty else { return false }
        if type.accepts(.text(text)) { return true }
        if case .time = type { return true }
        return String(decoding: bytes.prefix(10), as: UTF8.self).contains("-00")
    }
}
