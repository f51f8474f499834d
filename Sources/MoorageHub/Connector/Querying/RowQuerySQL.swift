public import MoorageCore

/// How a connector writes the parts of a ``RowQuerySQL`` that differ. It collects the arguments in
/// the order in which the statement names them.
public protocol RowQueryDialect {
    /// The table that the query reads.
    var table: AttachedTable { get }
    /// The column as it is, for a test of NULL.
    func column(_ column: Int) -> String
    /// Whether the column may be NULL.
    func isNullable(_ column: Int) -> Bool
    /// Compares the column with a value of a condition: numbers as numbers, times as times,
    /// everything else by its bytes.
    ///
    /// - Parameters:
    ///   - mark: One of ``RowCondition/Comparison``.
    ///   - value: One that the column's type accepts.
    mutating func compared(_ column: Int, _ mark: String, _ value: Value) throws -> String
    /// Whether the column equals one of these values. An index of the owner's should find them.
    ///
    /// - Parameter values: At least one, and each one that the column's type accepts.
    mutating func isOneOf(_ values: [Value], _ column: Int) throws -> String
    /// Compares the column with the value of another row, in the same way as ``order(_:)``.
    ///
    /// - Parameters:
    ///   - mark: One of ``RowCondition/Comparison``, or `=`.
    ///   - value: As the query returned it. The database may store values that devices cannot, and
    ///     that the column's type does not accept.
    mutating func placed(_ column: Int, _ mark: String, _ value: Value) throws -> String
    /// A part of `ORDER BY`: NULL is less than every value.
    func order(_ part: RowOrder) -> String
}

/// Conditions and orders of queries as SQL.
public struct RowQuerySQL<Dialect: RowQueryDialect> {
    /// With the arguments that were added so far.
    public private(set) var dialect: Dialect

    /// - Parameter dialect: With the arguments that come before, if there are any.
    public init(_ dialect: Dialect) { self.dialect = dialect }

    /// What follows `WHERE` for a query, without its scopes; `nil` where every row meets it.
    ///
    /// - Parameter isCount: Leaves out the position.
    public mutating func conditions(of query: RowQuery, isCount: Bool = false) throws -> String? {
        var parts: [String] = []
        if let condition = query.condition { parts.append(try sql(condition)) }
        if let after = query.after, !isCount {
            parts.append(try position(query.order[...], after[...]))
        }
        return parts.isEmpty ? nil : parts.joined(separator: " AND ")
    }

    /// What follows `ORDER BY`.
    public func order(of query: RowQuery) -> String {
        query.order.map { dialect.order($0) }.joined(separator: ", ")
    }

    private mutating func sql(_ condition: RowCondition) throws -> String {
        switch condition {
        case .isNull(let column): return "(\(dialect.column(column)) IS NULL)"
        case .isOneOf(let column, let values):
            try check(values, column)
            return "(\(try dialect.isOneOf(values, column)))"
        case .compares(let column, let comparison, let value):
            try check([value], column)
            return "(\(try dialect.compared(column, comparison.rawValue, value)))"
        case .allOf(let parts): return try joined(parts, " AND ")
        case .anyOf(let parts): return try joined(parts, " OR ")
        case .not(let part): return "(NOT \(try sql(part)))"
        }
    }

    private mutating func joined(_ parts: [RowCondition], _ word: String) throws -> String {
        var texts: [String] = []
        for part in parts { texts.append(try sql(part)) }
        return "(\(texts.joined(separator: word)))"
    }

    private func check(_ values: [Value], _ column: Int) throws {
        let found = dialect.table.description.columns[column]
        let isComparable = values.allSatisfy { value in
            if case .real(let number) = value, number.isNaN { return false }
            return !value.isNull && found.type.accepts(value)
        }
        guard found.type != .json, isComparable else {
            throw CentralError.notComparable(found, of: dialect.table.name)
        }
    }

    private mutating func placed(
        _ column: Int, _ mark: String, _ value: Value
    ) throws -> String {
        "(\(try dialect.placed(column, mark, value)))"
    }

    /// Whether a row comes behind a place. The first part of the order bounds the rows by itself,
    /// so that an index can begin there.
    private mutating func position(
        _ order: ArraySlice<RowOrder>, _ after: ArraySlice<Value>
    ) throws -> String {
        guard let part = order.first, let value = after.first else { return "(1 = 0)" }
        if order.count == 1 { return try behind(part, value) ?? "(1 = 0)" }
        var sql = ""
        if let bound = try bound(part, value) { sql = "(\(bound) AND " }
        let isOpen = !sql.isEmpty
        if let behind = try behind(part, value) { sql += "(\(behind) OR " } else { sql += "(" }
        sql += "(\(try same(part, value)) AND "
        sql += try position(order.dropFirst(), after.dropFirst())
        return sql + "))" + (isOpen ? ")" : "")
    }

    /// Whether a row is at a place or behind it; `nil` where every row is.
    private mutating func bound(_ part: RowOrder, _ value: Value) throws -> String? {
        if value.isNull {
            return part.isDescending ? "(\(dialect.column(part.column)) IS NULL)" : nil
        }
        guard part.isDescending else { return try placed(part.column, ">=", value) }
        let before = try placed(part.column, "<=", value)
        return orNull(before, part.column)
    }

    /// Whether a row is behind a place; `nil` where none is.
    private mutating func behind(_ part: RowOrder, _ value: Value) throws -> String? {
        if value.isNull {
            return part.isDescending ? nil : "(\(dialect.column(part.column)) IS NOT NULL)"
        }
        guard part.isDescending else { return try placed(part.column, ">", value) }
        return orNull(try placed(part.column, "<", value), part.column)
    }

    private mutating func same(_ part: RowOrder, _ value: Value) throws -> String {
        value.isNull
            ? "(\(dialect.column(part.column)) IS NULL)" : try placed(part.column, "=", value)
    }

    private func orNull(_ sql: String, _ column: Int) -> String {
        dialect.isNullable(column) ? "(\(sql) OR \(dialect.column(column)) IS NULL)" : sql
    }
}
