package import MoorageCore
import MoorageWire

extension ScopePath {
    /// A filter of a rule, with the types of the columns that it names.
    package struct Filter: Hashable, Sendable {
        /// A column that a filter names.
        package struct Column: Hashable, Sendable {
            package let name: String
            package let type: ColumnType

            package init(name: String, type: ColumnType) {
                self.name = name
                self.type = type
            }
        }

        package let formula: RowFilter.Formula
        /// The columns of the formula, each once.
        package let columns: [Column]

        package init(formula: RowFilter.Formula, columns: [Column]) {
            self.formula = formula
            self.columns = columns
        }

        private func columnType(_ column: String) -> ColumnType? {
            columns.first { $0.name.hasSameBytes(as: column) }?.type
        }
    }
}

// MARK: Checking

extension ScopePath.Filter {
    /// - Throws: ``HubError`` `configuration` where the filter does not fit the table.
    init(_ filter: RowFilter, of table: TableDescription) throws {
        guard filter.parameter == nil, let formula = filter.formula else {
            throw HubError.parameterBesideScope(of: table.name)
        }
        var columns: [Column] = []
        for name in formula.tests.compactMap(\.column)
        where !columns.contains(where: { $0.name.hasSameBytes(as: name) }) {
            guard let position = table.column(named: name) else {
                throw HubError.noFilterColumn(name, in: table.name)
            }
            // In SQLite no trigger that names a generated column (`UPDATE OF`) fires for it.
            guard !table.columns[position].isGenerated else {
                throw HubError.filterByGenerated(name, in: table.name)
            }
            columns.append(Column(name: name, type: table.columns[position].type))
        }
        self.init(formula: formula, columns: columns)
        for test in formula.tests {
            guard let name = test.column, let type = columnType(name),
                let problem = test.problem(of: type)
            else { continue }
            throw HubError.impossibleTest(of: name, type.name, in: table.name, problem)
        }
    }
}

extension RowFilter.Formula {
    /// Why a single test does not fit its column's type, as what to write; `nil` where it does.
    fileprivate func problem(of type: ColumnType) -> String? {
        let values: [RowFilter.Literal]
        switch self {
        case .isOneOf(_, let list):
            // No decimal number is exactly what a binary one is.
            if type == .real { return FilterProblem.onlyOrder }
            values = list
        case .compares(_, _, let value):
            if type == .boolean || type == .uuid { return FilterProblem.onlyEquality }
            values = [value]
        case .isNull, .allOf, .anyOf, .not: return nil
        }
        switch type {
        case .integer, .boolean, .real, .decimal, .text, .uuid, .date:
            let fits = values.allSatisfy { $0.constant(of: type) != nil }
            return fits ? nil : FilterProblem.value(of: type)
        case .blob, .time, .timestamp, .instant, .json: return FilterProblem.onlyNull
        }
    }
}

extension RowFilter.Literal {
    /// The literal as a value of a column, in its normal form; `nil` where it is none.
    fileprivate func constant(of type: ColumnType) -> String? {
        switch (self, type) {
        case (.number(let digits), .integer): return Int64(digits).map(String.init)
        case (.number("0"), .boolean): return "false"
        case (.number("1"), .boolean): return "true"
        case (.flag(let flag), .boolean): return flag ? "true" : "false"
        case (.number(let digits), .decimal), (.number(let digits), .real): return digits
        case (.text(let text), .text): return text
        case (.text(let text), .uuid), (.text(let text), .date):
            guard type.accepts(.text(text)), case .text(let normal) = type.normalized(.text(text))
            else { return nil }
            return normal
        default: return nil
        }
    }
}

// MARK: SQL

extension ScopePath.Filter {
    /// A condition in brackets that is true for the rows that meet the filter.
    ///
    /// - Parameter row: The name of the table in the statement.
    func sql(of row: String, in dialect: any ScopeDialect) -> String {
        sql(of: formula, row, dialect)
    }

    private static let unknown = "(NULL = 1)"

    private func sql(
        of part: RowFilter.Formula, _ row: String, _ dialect: any ScopeDialect
    ) -> String {
        func compared(
            _ column: String, _ values: [RowFilter.Literal], _ write: (String, [String]) -> String
        ) -> String {
            // A test that does not fit its column was never attached. Its row is in no scope.
            guard let type = columnType(column) else { return Self.unknown }
            let constants = values.compactMap { $0.constant(of: type) }
            guard constants.count == values.count else { return Self.unknown }
            let operand = dialect.comparable("\(row).\(dialect.column(column))", type)
            return write("(\(operand))", constants.map { dialect.constant($0, type) })
        }
        switch part {
        case .isNull(let column): return "(\(row).\(dialect.column(column)) IS NULL)"
        case .isOneOf(let column, let values):
            return compared(column, values) { "(\($0) IN (\($1.joined(separator: ", "))))" }
        case .compares(let column, let order, let value):
            return compared(column, [value]) { operand, constants in
                "(\(operand) \(order.rawValue) \(constants[0]))"
            }
        case .allOf(let parts):
            return "(\(parts.map { sql(of: $0, row, dialect) }.joined(separator: " AND ")))"
        case .anyOf(let parts):
            return "(\(parts.map { sql(of: $0, row, dialect) }.joined(separator: " OR ")))"
        case .not(let part): return "(NOT \(sql(of: part, row, dialect)))"
        }
    }
}
