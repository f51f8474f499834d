import MoorageHub
import MoorageTesting
import MoorageWire
import TestSupport
import Testing

@Suite(.ownThreads) struct `Row filters` {
    @Test(arguments: [
        ("discontinued = 0 AND region = :region", "discontinued = 0 AND region = :region"),
        ("region in ( :region )", "region = :region"),
        ("region = :region and (a = 1 or b = 2)", "(a = 1 OR b = 2) AND region = :region"),
        ("not(a<>1.50 or b is null)", "NOT (a <> 1.5 OR b IS NULL)"),
        ("a = 1 OR b = 2 AND c = 3", "a = 1 OR b = 2 AND c = 3"),
        ("(a = 1 OR b = 2) AND c != -007", "(a = 1 OR b = 2) AND c <> -7"),
        ("a = 1 AND (b = 2 AND (c = 3))", "a = 1 AND b = 2 AND c = 3"),
        ("\"a\" IN ('x', 'it''s') AND b NOT IN (1)", "a IN ('x', 'it''s') AND b <> 1"),
        ("published", "published = TRUE"),
        ("NOT published AND \"or\" IS NOT NULL", "published <> TRUE AND \"or\" IS NOT NULL"),
        ("größe >= 0.0\n\t", "größe >= 0"),
        // Letters whose upper case is in ASCII do not make a keyword.
        ("ıs = 1 AND falſe = 2", "ıs = 1 AND falſe = 2"),
    ])
    func `have a normal form`(text: String, normal: String) throws {
        let filter = try RowFilter(text)
        #expect(filter.text == normal)
        #expect(try RowFilter(filter.text) == filter)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `read back as they are written`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let formula = RowFilter.Formula.random(depth: 3, using: &random)
            let filter = try RowFilter(formula.text)
            #expect(filter.formula == formula, "\(formula.text)")
            #expect(filter.parameter == nil)
        }
    }

    @Test(arguments: [
        ("", 1, "begins with a column"),
        ("a = ", 5, "value is missing"),
        ("a = b", 5, "not with a name"),
        ("a = NULL", 5, "IS NULL"),
        ("5 = a", 1, "begins with a column"),
        ("a == 1", 4, "value is missing"),
        ("a = 1 b = 2", 7, "AND"),
        ("a = 1;", 6, "no meaning"),
        ("é = 'x", 5, "not closed"),
        ("(a = 1", 7, "not closed"),
        ("a = 1)", 6, "behind its end"),
        ("a LIKE 'x%'", 3, "behind its end"),
        ("a IS 1", 6, "NULL only"),
        ("a NOT 1", 7, "NOT IN"),
        ("a IN 1", 6, "list"),
        ("a IN ()", 7, "value is missing"),
        ("a = 1e5", 5, "no number"),
        ("a = 1.", 5, "no number"),
        ("a = .5", 5, "no meaning"),
        ("a = 123456789012345678901234567890123456789", 5, "38 digits"),
        ("\"\" = 1", 1, "no name"),
        ("a = '\0'", 6, "NUL"),
        ("a + 1 = 2", 3, "no meaning"),
        ("a = :claims.region", 5, "kind of scope"),
        ("a = :5", 5, "kind of scope"),
        ("a > :region", 5, "for equality"),
        ("a IN (:region, 'x')", 14, "whole value"),
        ("a IN ('x', :region)", 12, "whole value"),
        ("a = 1 OR b = :region", 10, "OR"),
        ("NOT a = :region", 5, "NOT"),
        ("a NOT IN (:region)", 1, "NOT"),
        ("a = :region AND b = :sub", 17, "one parameter"),
    ])
    func `name the place of an error, and what to write`(
        text: String, character: Int, words: String
    ) throws {
        let error = #expect(throws: HubError.self) { try RowFilter(text) }
        #expect(error?.code == .configuration)
        let message = error?.message ?? ""
        #expect(message.contains("at character \(character). "), "\(message)")
        #expect(message.contains(words), "\(message)")
    }

    @Test func `have limits`() throws {
        let deep = { String(repeating: "(", count: $0) + "a" + String(repeating: ")", count: $0) }
        #expect(throws: Never.self) { try RowFilter(deep(49)) }
        #expect(throws: HubError.self) { try RowFilter(deep(50)) }
        let wide = { "a IN (" + Array(repeating: "1", count: $0).joined(separator: ", ") + ")" }
        #expect(throws: Never.self) { try RowFilter(wide(200)) }
        #expect(throws: HubError.self) { try RowFilter(wide(201)) }
        let long = { "a = '" + String(repeating: "x", count: $0) + "'" }
        #expect(throws: Never.self) { try RowFilter(long(9_994)) }
        #expect(throws: HubError.self) { try RowFilter(long(9_995)) }
        #expect(throws: HubError.self) {
            try RowFilter(String(repeating: "NOT ", count: 2_000) + "a")
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `of any words are read or refused`(seed: UInt64) throws {
        let words = [
            "a", "\"", "'", "(", ")", ",", "=", "<", ">", "!", "NOT", "AND", "OR", "IN", "IS",
            "NULL", "TRUE", ":", ":sub", "-", "1", ".", " ", "é", "\u{301}", "\0", "\\", ";", "$",
        ]
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let text = (0...random.below(12)).map { _ in random.one(of: words) }
                .joined(separator: random.once(in: 2) ? " " : "")
            guard let filter = try? RowFilter(text) else { continue }
            #expect(try RowFilter(filter.text) == filter, "\(text)")
        }
    }

    @Test func `say the scopes of a table without other rules`() throws {
        let plain = try RowFilter("a = 1")
        #expect(plain.applied(to: []) == [ScopeRule(.everyone, filters: [plain])])
        let named = try RowFilter("a = 1 AND region = :area")
        #expect(
            named.applied(to: [])
                == [ScopeRule(.column(kind: "area", "region"), filters: [plain])])
        #expect(named.parameter?.holding == .claim("area"))
        let rule = ScopeRule(.column(kind: "person", "owner"), where: [.init("b", is: "2")])
        #expect(
            plain.applied(to: [rule])
                == [ScopeRule(rule.source, where: rule.conditions, filters: [plain])])
    }
}

extension RowFilter.Formula {
    fileprivate static func random(
        depth: Int, using random: inout SeededGenerator
    ) -> RowFilter.Formula {
        let column = random.one(of: ["a", "b_2", "or", "two words", "\"q\"", "größe", "1st"])
        switch random.below(depth > 0 ? 6 : 3) {
        case 0: return .isNull(column)
        case 1:
            return .isOneOf(
                column, (0...random.below(3)).map { _ in RowFilter.Literal.random(&random) })
        case 2:
            return .compares(
                column, random.one(of: RowFilter.Order.allCases), RowFilter.Literal.random(&random))
        case 3: return .not(.random(depth: depth - 1, using: &random))
        case 4: return .allOf(parts(depth, &random) { if case .allOf = $0 { true } else { false } })
        default:
            return .anyOf(parts(depth, &random) { if case .anyOf = $0 { true } else { false } })
        }
    }

    /// Parts of which none is what would be one with them.
    private static func parts(
        _ depth: Int, _ random: inout SeededGenerator, _ isSame: (RowFilter.Formula) -> Bool
    ) -> [RowFilter.Formula] {
        (0...(1 + random.below(2))).map { _ in
            let part = RowFilter.Formula.random(depth: depth - 1, using: &random)
            return isSame(part) ? .not(part) : part
        }
    }
}

extension RowFilter.Literal {
    fileprivate static func random(_ random: inout SeededGenerator) -> RowFilter.Literal {
        random.one(of: [
            .number("0"), .number("-7"), .number("0.25"), .number("9223372036854775807"),
            .text(""), .text("it's"), .text("\"§\" \n ?"), .flag(true), .flag(false),
        ])
    }
}
