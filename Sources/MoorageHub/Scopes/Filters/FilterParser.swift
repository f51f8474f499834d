/// Reads the text of a filter:
///
///     disjunction = conjunction { OR conjunction }
///     conjunction = part { AND part }
///     part        = NOT part | "(" disjunction ")" | column [ test ]
///     test        = IS [ NOT ] NULL | [ NOT ] IN "(" values ")" | mark value
///     mark        = "=" | "<>" | "!=" | "<" | "<=" | ">" | ">="
///     value       = number | 'text' | TRUE | FALSE | :kind
struct FilterParser {
    /// More text than anybody writes by hand.
    private static let maximumBytes = 10_000
    /// The parser, and what works on the tree, recurse.
    private static let maximumDepth = 50
    /// Tests and values. They bound the statement that is made for each row.
    private static let maximumNodes = 200

    /// What was read, and where it begins.
    private struct Part {
        var formula: RowFilter.Formula?
        var parameter: RowFilter.Parameter?
        let place: Int
    }

    private var reading: FilterReading
    private var token: FilterToken
    private var nodes = 0

    init(_ text: String) throws(FilterFault) {
        var reading = FilterReading(text)
        guard text.utf8.count <= Self.maximumBytes else {
            throw reading.fault(at: 0, FilterProblem.tooLong(most: Self.maximumBytes))
        }
        token = try reading.next()
        self.reading = reading
    }

    /// The whole text.
    mutating func read() throws(FilterFault) -> RowFilter {
        let part = try disjunction(depth: 0)
        guard token.kind == .end else { throw fault(FilterProblem.noEnd) }
        let filter = RowFilter(formula: part.formula, parameter: part.parameter)
        // The normal form can be longer than the text, and must be readable, too.
        guard filter.text.utf8.count <= Self.maximumBytes else {
            throw reading.fault(at: 0, FilterProblem.tooLong(most: Self.maximumBytes))
        }
        return filter
    }

    private func fault(_ problem: String) -> FilterFault {
        reading.fault(at: token.place, problem)
    }

    private mutating func advance() throws(FilterFault) { token = try reading.next() }

    /// Goes on behind the token if it is this one.
    private mutating func skip(_ kind: FilterToken.Kind) throws(FilterFault) -> Bool {
        guard token.kind == kind else { return false }
        try advance()
        return true
    }

    private mutating func expect(
        _ mark: FilterToken.Mark, _ problem: String
    ) throws(FilterFault) {
        guard try skip(.mark(mark)) else { throw fault(problem) }
    }

    private mutating func count() throws(FilterFault) {
        nodes += 1
        guard nodes <= Self.maximumNodes else {
            throw fault(FilterProblem.tooMany(most: Self.maximumNodes))
        }
    }

    // MARK: Joining

    private mutating func disjunction(depth: Int) throws(FilterFault) -> Part {
        let first = try conjunction(depth: depth)
        var parts = [first]
        while try skip(.keyword(.or)) { parts.append(try conjunction(depth: depth)) }
        guard parts.count > 1 else { return first }
        // A parameter decides about the scopes of every row that the filter lets through.
        if let part = parts.first(where: { $0.parameter != nil }) {
            throw reading.fault(at: part.place, FilterProblem.parameterNotOfAll)
        }
        let formulas = parts.compactMap(\.formula).flatMap { formula -> [RowFilter.Formula] in
            if case .anyOf(let inner) = formula { inner } else { [formula] }
        }
        return Part(formula: .anyOf(formulas), parameter: nil, place: first.place)
    }

    private mutating func conjunction(depth: Int) throws(FilterFault) -> Part {
        let first = try part(depth: depth)
        var parts = [first]
        while try skip(.keyword(.and)) { parts.append(try part(depth: depth)) }
        guard parts.count > 1 else { return first }
        let named = parts.filter { $0.parameter != nil }
        if named.count > 1 {
            throw reading.fault(at: named[1].place, FilterProblem.severalParameters)
        }
        let formulas = parts.compactMap(\.formula).flatMap { formula -> [RowFilter.Formula] in
            if case .allOf(let inner) = formula { inner } else { [formula] }
        }
        return Part(
            formula: formulas.count > 1 ? RowFilter.Formula.allOf(formulas) : formulas.first,
            parameter: named.first?.parameter, place: first.place)
    }

    private mutating func part(depth: Int) throws(FilterFault) -> Part {
        let place = token.place
        guard depth < Self.maximumDepth else {
            throw fault(FilterProblem.tooDeep(most: Self.maximumDepth))
        }
        if try skip(.keyword(.not)) {
            let part = try part(depth: depth + 1)
            guard part.parameter == nil, let formula = part.formula else {
                throw reading.fault(at: part.place, FilterProblem.parameterNotOfAll)
            }
            return Part(formula: .not(formula), parameter: nil, place: place)
        }
        if try skip(.mark(.open)) {
            let part = try disjunction(depth: depth + 1)
            try expect(.close, FilterProblem.openBracket)
            return part
        }
        guard case .name(let column) = token.kind else { throw fault(FilterProblem.noColumn) }
        try advance()
        try count()
        return try test(of: column, place)
    }

    // MARK: Testing a column

    private mutating func test(
        of column: String, _ place: Int
    ) throws(FilterFault) -> Part {
        func part(_ formula: RowFilter.Formula) -> Part {
            Part(formula: formula, parameter: nil, place: place)
        }
        switch token.kind {
        case .keyword(.isWord):
            try advance()
            let isNegated = try skip(.keyword(.not))
            guard try skip(.keyword(.null)) else { throw fault(FilterProblem.noNull) }
            return part(isNegated ? .not(.isNull(column)) : .isNull(column))
        case .keyword(.inWord):
            try advance()
            return try list(of: column, place)
        case .keyword(.not):
            try advance()
            guard try skip(.keyword(.inWord)) else { throw fault(FilterProblem.noIn) }
            let list = try list(of: column, place)
            guard let formula = list.formula else {
                throw reading.fault(at: place, FilterProblem.parameterNotOfAll)
            }
            return part(.not(formula))
        case .mark(let mark) where mark != .open && mark != .close && mark != .comma:
            try advance()
            return try comparison(of: column, by: mark, place)
        default:
            return part(.isOneOf(column, [.flag(true)]))
        }
    }

    private mutating func comparison(
        of column: String, by mark: FilterToken.Mark, _ place: Int
    ) throws(FilterFault) -> Part {
        if case .parameter(let kind) = token.kind {
            guard mark == .equal else { throw fault(FilterProblem.parameterNotEqual) }
            return try parameter(kind, of: column, place)
        }
        let value = try value()
        let formula: RowFilter.Formula
        if let order = RowFilter.Order(rawValue: mark.rawValue) {
            formula = .compares(column, order, value)
        } else {
            let isEqual = RowFilter.Formula.isOneOf(column, [value])
            formula = mark == .equal ? isEqual : .not(isEqual)
        }
        return Part(formula: formula, parameter: nil, place: place)
    }

    private mutating func list(of column: String, _ place: Int) throws(FilterFault) -> Part {
        try expect(.open, FilterProblem.noList)
        if case .parameter(let kind) = token.kind {
            let part = try parameter(kind, of: column, place)
            try expect(.close, FilterProblem.parameterNotAlone)
            return part
        }
        var values = [try value()]
        while try skip(.mark(.comma)) {
            try count()
            values.append(try value())
        }
        try expect(.close, FilterProblem.openBracket)
        return Part(formula: .isOneOf(column, values), parameter: nil, place: place)
    }

    private mutating func parameter(
        _ kind: String, of column: String, _ place: Int
    ) throws(FilterFault) -> Part {
        try advance()
        return Part(
            formula: nil, parameter: RowFilter.Parameter(column: column, kind: kind), place: place)
    }

    private mutating func value() throws(FilterFault) -> RowFilter.Literal {
        let value: RowFilter.Literal
        switch token.kind {
        case .number(let digits): value = .number(digits)
        case .text(let text): value = .text(text)
        case .keyword(.trueWord): value = .flag(true)
        case .keyword(.falseWord): value = .flag(false)
        case .keyword(.null): throw fault(FilterProblem.comparedWithNull)
        case .parameter: throw fault(FilterProblem.parameterNotAlone)
        case .name: throw fault(FilterProblem.comparedWithName)
        default: throw fault(FilterProblem.noValue)
        }
        try advance()
        return value
    }
}
