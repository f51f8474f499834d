import MoorageCore

extension RowFilter {
    /// The expression in its normal form, which reads back as the same filter.
    package var text: String {
        let name = parameter.map { "\(Formula.name($0.column)) = :\($0.kind)" }
        return [formula?.operand(ofAnd: name != nil), name].compactMap { $0 }
            .joined(separator: " AND ")
    }
}

extension RowFilter.Formula {
    /// The expression in its normal form, which reads back as the same formula.
    package var text: String {
        switch self {
        case .isNull(let column): "\(Self.name(column)) IS NULL"
        case .isOneOf(let column, let values): Self.name(column) + Self.equality(values, "=", "IN")
        case .compares(let column, let order, let value):
            "\(Self.name(column)) \(order.rawValue) \(value.text)"
        case .allOf(let parts): parts.map { $0.operand(ofAnd: true) }.joined(separator: " AND ")
        case .anyOf(let parts): parts.map(\.text).joined(separator: " OR ")
        case .not(.isNull(let column)): "\(Self.name(column)) IS NOT NULL"
        case .not(.isOneOf(let column, let values)):
            Self.name(column) + Self.equality(values, "<>", "NOT IN")
        case .not(.allOf(let parts)): "NOT (\(Self.allOf(parts).text))"
        case .not(.anyOf(let parts)): "NOT (\(Self.anyOf(parts).text))"
        case .not(let part): "NOT \(part.text)"
        }
    }

    fileprivate func operand(ofAnd isOperand: Bool) -> String {
        if isOperand, case .anyOf = self { "(\(text))" } else { text }
    }

    private static func equality(
        _ values: [RowFilter.Literal], _ mark: String, _ word: String
    ) -> String {
        let texts = values.map(\.text).joined(separator: ", ")
        return values.count == 1 ? " \(mark) \(texts)" : " \(word) (\(texts))"
    }

    /// A column's name, in quotes where it would read as something else.
    fileprivate static func name(_ column: String) -> String {
        let bytes = Array(column.utf8)
        let isPlain =
            bytes.first.map(FilterToken.beginsName) == true
            && bytes.allSatisfy(FilterToken.continuesName)
            && FilterToken.Keyword(column) == nil
        return isPlain ? column : SQLText.name(column)
    }
}

extension RowFilter.Literal {
    fileprivate var text: String {
        switch self {
        case .number(let digits): digits
        case .text(let text): SQLText.literal(text)
        case .flag(let flag): flag ? "TRUE" : "FALSE"
        }
    }
}
