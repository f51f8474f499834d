import MoorageCore
import MoorageHub

/// Who sees which rows in a world: rows belong to areas, and people have areas. The tables that
/// record this are the owner's, and no device has them.
enum SimulatedScopes {
    static let kind = "area"
    /// A text that names a row's area.
    static let column = "area"
    /// Gives areas to rows by their keys.
    static let members = "sim_member"
    /// Gives areas to people.
    static let holdings = "sim_held"

    static let holdingsSQL = """
        CREATE TABLE \(holdings) (person TEXT NOT NULL, area TEXT NOT NULL, PRIMARY KEY (person, area))
        """

    static func settings(
        _ rules: [String: [ScopeRule]], onRequest: Set<String>
    ) -> ScopeSettings {
        guard !rules.isEmpty else { return ScopeSettings() }
        let query = ScopeQuery("SELECT area FROM \(holdings) WHERE person = :sub")
        return ScopeSettings(
            rules: rules, holdings: [kind: .query(query)], onRequest: onRequest)
    }

    /// The scope of an area; `*` is that of all rows that are everyone's.
    static func scope(of area: String) -> Scope {
        area == Scope.everything.name ? .everything : Scope("\(kind)/\(area)")
    }
}

extension ScopeRule {
    /// The rule as words of a history.
    var words: String {
        switch source {
        case .everyone: "everyone"
        case .column(_, let column): "column \(column)"
        case .through(let columns): (["through"] + columns).joined(separator: " ")
        case .members(let table, _, let column): "members \(table) \(column)"
        }
    }

    init?(words: [String]) {
        let source: Source
        switch (words.first, words.count) {
        case ("everyone", 1): source = .everyone
        case ("column", 2): source = .column(kind: SimulatedScopes.kind, words[1])
        case ("through", 2...): source = .through(Array(words.dropFirst()))
        case ("members", 3):
            source = .members(of: words[1], kind: SimulatedScopes.kind, words[2])
        default: return nil
        }
        self.init(source)
    }
}

extension SimulatedWorld {
    /// A world's lines about users; empty in a world without users.
    var userLines: [String] {
        let scopes = scopes.sorted { $0.key < $1.key }.flatMap { table, rules in
            rules.map { "scope \(table) \($0.words)" }
        }
        let rights = rights.sorted { $0.key < $1.key }.flatMap { table, people in
            people.sorted { $0.key < $1.key }.map { "right \(table) \($0.key) \($0.value.words)" }
        }
        return scopes + onRequest.sorted().map { "onRequest \($0)" } + rights
    }

    /// - Returns: Whether the line is about users.
    mutating func readUserLine(_ line: String) throws -> Bool {
        let words = line.split(separator: " ").map(String.init)
        switch words.first {
        case "scope":
            guard words.count > 2, let rule = ScopeRule(words: Array(words.dropFirst(2))) else {
                throw HistorySyntaxError(line)
            }
            scopes[words[1], default: []].append(rule)
        case "onRequest":
            guard words.count == 2 else { throw HistorySyntaxError(line) }
            onRequest.insert(words[1])
        case "right":
            guard words.count > 3, let right = TableRights(words: Array(words.dropFirst(3))) else {
                throw HistorySyntaxError(line)
            }
            rights[words[1], default: [:]][words[2]] = right
        default: return false
        }
        return true
    }
}
