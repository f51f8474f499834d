public import MoorageWire

/// Which rows of a table go to devices: an expression over the table's own columns, such as
/// `discontinued = 0 AND region = :region` (docs/reference/configuration.md, Row filters).
///
/// The hub writes its own SQL from the expression. So no text of the owner's becomes part of a
/// statement, and the expression means the same on every database.
public struct RowFilter: Hashable, Sendable {
    /// A column that names a scope of the row: `region = :region`.
    public struct Parameter: Hashable, Sendable {
        /// The name of the column.
        public let column: String
        /// The word after the colon: the kind of the row's scope.
        public let kind: String

        /// The values that users have where the configuration does not say it: those of the claim
        /// with the same name. `:sub` is the user's name.
        public var holding: ScopeHolding { .claim(kind) }
    }

    /// What a row must meet; `nil` where there is only a parameter.
    package let formula: Formula?
    /// The parameter, if the expression has one.
    public let parameter: Parameter?

    /// Reads an expression of at most 10,000 bytes.
    ///
    /// - Throws: ``HubError`` `configuration` with the place of the error. The message repeats
    ///   nothing of the text.
    public init(_ text: String) throws(HubError) {
        let filter: RowFilter
        do throws(FilterFault) {
            var parser = try FilterParser(text)
            filter = try parser.read()
        } catch {
            throw HubError.unreadableFilter(at: error.character, error.problem)
        }
        self = filter
    }

    init(formula: Formula?, parameter: Parameter?) {
        self.formula = formula
        self.parameter = parameter
    }

    /// The rules of a table whose rows must also meet the filter.
    ///
    /// - Parameter rules: The table's other rules. With a parameter there must be none, because the
    ///   parameter already says in which scopes a row is. The hub refuses such rules.
    public func applied(to rules: [ScopeRule]) -> [ScopeRule] {
        guard rules.isEmpty else {
            return rules.map {
                ScopeRule($0.source, where: $0.conditions, filters: $0.filters + [self])
            }
        }
        guard let parameter else { return [ScopeRule(.everyone, filters: [self])] }
        let rest = formula.map { [RowFilter(formula: $0, parameter: nil)] } ?? []
        return [
            ScopeRule(.column(kind: parameter.kind, parameter.column), filters: rest)
        ]
    }
}

extension RowFilter {
    /// Tests of columns, joined by AND, OR and NOT. As in SQL, a test of NULL is neither true nor
    /// false, except ``isNull(_:)``.
    package indirect enum Formula: Hashable, Sendable {
        case isNull(String)
        /// The column has one of these values, at least one.
        case isOneOf(String, [Literal])
        case compares(String, Order, Literal)
        /// At least two, none of which is ``allOf(_:)`` itself.
        case allOf([Formula])
        /// At least two, none of which is ``anyOf(_:)`` itself.
        case anyOf([Formula])
        case not(Formula)
    }

    /// A constant, as it is written.
    package enum Literal: Hashable, Sendable {
        /// A decimal number in its normal form, without an exponent.
        case number(String)
        case text(String)
        case flag(Bool)
    }

    /// How a value compares with a constant.
    package enum Order: String, CaseIterable, Hashable, Sendable {
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
    }
}

extension RowFilter.Formula {
    /// The tests of single columns, in the order of the text.
    var tests: [RowFilter.Formula] {
        switch self {
        case .isNull, .isOneOf, .compares: [self]
        case .allOf(let parts), .anyOf(let parts): parts.flatMap(\.tests)
        case .not(let part): part.tests
        }
    }

    /// The column that a single test is about; `nil` for several tests.
    var column: String? {
        switch self {
        case .isNull(let column), .isOneOf(let column, _), .compares(let column, _, _): column
        case .allOf, .anyOf, .not: nil
        }
    }
}
