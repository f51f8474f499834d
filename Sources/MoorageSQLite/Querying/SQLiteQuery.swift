import MoorageCore
import MoorageHub
import SQLiteSupport

/// A query's conditions and order in SQLite's SQL, about a row `l` of the table.
///
/// A column may contain any value. In every order numbers come before texts, and texts before
/// blobs, as far as they are not of the column's type.
struct SQLiteQuery: RowQueryDialect {
    let shape: TableShape
    private(set) var arguments: [Value] = []

    init(_ shape: TableShape) { self.shape = shape }

    var table: AttachedTable { shape.table }

    func column(_ column: Int) -> String { "l.\(shape.column(column))" }

    func isNullable(_ column: Int) -> Bool { table.description.columns[column].isNullable }

    mutating func compared(_ column: Int, _ mark: String, _ value: Value) throws -> String {
        switch comparison(of: column) {
        case .stored:
            return "\(stored(column)) \(mark) \(add(type(of: column).normalized(value)))"
        case .numbers:
            if let number = Self.number(value) { return "\(stored(column)) \(mark) \(add(number))" }
            return byMeaning(column, mark, value)
        case .meaning: return byMeaning(column, mark, value)
        }
    }

    mutating func placed(_ column: Int, _ mark: String, _ value: Value) throws -> String {
        switch comparison(of: column) {
        case .stored: "\(stored(column)) \(mark) \(place(value, in: column))"
        case .numbers: "\(stored(column)) \(mark) \(place(Self.number(value) ?? value, in: column))"
        case .meaning: byMeaning(column, mark, value)
        }
    }

    mutating func isOneOf(_ values: [Value], _ column: Int) throws -> String {
        let type = type(of: column)
        switch comparison(of: column) {
        case .stored:
            let list = list(values.map(type.normalized))
            // The first comparison uses the column's own collation, and so its index. The second
            // compares bytes.
            return "\(self.column(column)) \(list) AND \(stored(column)) \(list)"
        case .numbers:
            let numbers = values.compactMap(Self.number)
            if !numbers.isEmpty { return "\(stored(column)) \(list(numbers))" }
        case .meaning: break
        }
        let candidates = candidates(values, column)
        let isCandidate =
            candidates.isEmpty ? "" : "\(self.column(column)) \(list(candidates)) AND "
        let forms = values.map { ComparedValue.form($0, type) }
        return "\(isCandidate)\(meaning(column)) \(list(forms))"
    }

    func order(_ part: RowOrder) -> String {
        let operand =
            comparison(of: part.column) == .meaning ? meaning(part.column) : stored(part.column)
        return operand + (part.isDescending ? " DESC" : "")
    }

    /// The types whose functions a statement may call.
    var comparedTypes: Set<ColumnType> {
        let columns = table.description.columns.indices
        return Set(columns.filter { comparison(of: $0) != .stored }.map(type))
    }

    // MARK: Comparisons

    private enum Comparison {
        /// As the values are stored, so that an index has their order.
        case stored
        /// The same, for decimals that SQLite stores as numbers.
        case numbers
        /// By a function, because one value may be stored in several forms.
        case meaning
    }

    private func comparison(of column: Int) -> Comparison {
        let affinity = shape.affinity(of: column)
        switch type(of: column) {
        case .integer, .blob: return .stored
        case .real: return affinity == .real ? .stored : .meaning
        case .text: return affinity == .text ? .stored : .meaning
        case .decimal: return affinity == .text || affinity == .blob ? .meaning : .numbers
        // A key in another form than the one of its type is no key that is synced.
        case .boolean, .uuid, .date, .time, .timestamp, .instant:
            return table.description.isKey(column) ? .stored : .meaning
        case .json: return .meaning
        }
    }

    private func type(of column: Int) -> ColumnType { table.description.columns[column].type }

    private func stored(_ column: Int) -> String { "\(self.column(column)) COLLATE BINARY" }

    private func meaning(_ column: Int) -> String {
        "\(ComparedValue.function(type(of: column)))(\(self.column(column)))"
    }

    private mutating func byMeaning(_ column: Int, _ mark: String, _ value: Value) -> String {
        "\(meaning(column)) \(mark) \(add(ComparedValue.form(value, type(of: column))))"
    }

    /// A decimal as a numeric column stores it; `nil` for a value that no stored number equals.
    ///
    /// Numbers of SQLite are ordered as their decimals are: a double's decimal is the shortest one
    /// that names it.
    private static func number(_ value: Value) -> Value? {
        let decimal = ColumnType.decimal
        guard case .text(let text) = decimal.normalized(value), decimal.accepts(value) else {
            return nil
        }
        if let integer = Int64(text) { return .integer(integer) }
        guard let number = Double(text), decimal.normalized(.real(number)) == .text(text) else {
            return nil
        }
        return .real(number)
    }

    /// Values among which an index finds all that equal these; empty where there may be others.
    ///
    /// Keys refer to each other by bytes, and are written in one of three forms, if they can be
    /// synced.
    private func candidates(_ values: [Value], _ column: Int) -> [Value] {
        guard case .uuid = type(of: column), table.description.keyedColumns.contains(column) else {
            return []
        }
        return values.flatMap { value -> [Value] in
            guard case .text(let text) = ColumnType.uuid.normalized(value),
                let bytes = UUIDText.bytes(text)
            else { return [] }
            return [.text(text), .text(text.uppercased()), .blob(bytes)]
        }
    }

    // MARK: Arguments

    private mutating func add(_ value: Value) -> String {
        arguments.append(value)
        return "?\(arguments.count)"
    }

    /// A value of another row. Text that is not UTF-8 was returned as a blob, and blobs come after
    /// all texts. The table tells which of the two it was.
    private mutating func place(_ value: Value, in column: Int) -> String {
        let argument = add(value)
        guard value.mayBeText, type(of: column) != .blob else { return argument }
        let text = Value.asText(argument)
        func exists(_ value: String) -> String {
            let name = shape.column(column)
            return "EXISTS (SELECT 1 FROM \(shape.name) WHERE \(name) COLLATE BINARY = \(value))"
        }
        return
            "CASE WHEN \(exists(text)) AND NOT \(exists(argument)) THEN \(text) ELSE \(argument) END"
    }

    private mutating func list(_ values: [Value]) -> String {
        "IN (\(values.map { add($0) }.joined(separator: ", ")))"
    }
}
