import MoorageCore
import MoorageWire

extension RowCondition {
    /// A filter of a program's as a condition on a table.
    ///
    /// - Throws: ``RowProblem`` with the reason where it does not fit the table.
    init(_ filter: RowFilter, of table: RowTable) throws {
        guard filter.parameter == nil, let formula = filter.formula else {
            throw RowProblem.wrongFilter("A filter has no parameters here. Write the value itself.")
        }
        try self.init(formula, of: table)
    }

    private init(_ formula: RowFilter.Formula, of table: RowTable) throws {
        switch formula {
        case .isNull(let name): self = .isNull(try table.column(named: name))
        case .isOneOf(let name, let literals):
            let column = try table.column(named: name)
            self = .isOneOf(column, try literals.map { try $0.value(of: column, in: table) })
        case .compares(let name, let order, let literal):
            let column = try table.column(named: name)
            guard let comparison = Comparison(rawValue: order.rawValue) else {
                throw RowProblem.wrongFilter(FilterProblem.noValue)
            }
            self = .compares(column, comparison, try literal.value(of: column, in: table))
        case .allOf(let parts): self = .allOf(try parts.map { try RowCondition($0, of: table) })
        case .anyOf(let parts): self = .anyOf(try parts.map { try RowCondition($0, of: table) })
        case .not(let part): self = .not(try RowCondition(part, of: table))
        }
    }
}

extension RowFilter.Literal {
    /// The literal as a value that a column can have.
    fileprivate func value(of column: Int, in table: RowTable) throws -> Value {
        let description = table.description.columns[column]
        if let value = value(of: description.type) { return value }
        let remedy =
            description.type == .json
            ? FilterProblem.onlyNull : FilterProblem.value(of: description.type)
        throw RowProblem.wrongFilter(
            """
            The column \(description.name) of \(table.name) is of type \
            \(description.type.name). \(remedy)
            """)
    }

    private func value(of type: ColumnType) -> Value? {
        let value: Value
        switch (self, type) {
        case (.number(let digits), .integer):
            guard let number = Int64(digits) else { return nil }
            value = .integer(number)
        case (.number("0"), .boolean), (.flag(false), .boolean): value = .integer(0)
        case (.number("1"), .boolean), (.flag(true), .boolean): value = .integer(1)
        case (.number(let digits), .real):
            guard let number = Double(digits), number.isFinite else { return nil }
            value = .real(number)
        case (.number(let digits), .decimal): value = .text(digits)
        case (.text(let text), .blob):
            guard let bytes = Base64.decode(text) else { return nil }
            value = .blob(bytes)
        case (.text(let text), .timestamp):
            // To drop a zone would name another moment.
            guard CalendarText(timestamp: text)?.offset == nil else { return nil }
            value = .text(text)
        case (.text(let text), .text), (.text(let text), .uuid), (.text(let text), .date),
            (.text(let text), .time), (.text(let text), .instant):
            value = .text(text)
        default: return nil
        }
        return type.accepts(value) ? type.normalized(value) : nil
    }
}
