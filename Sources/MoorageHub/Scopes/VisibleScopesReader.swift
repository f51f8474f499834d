import MoorageCore
import MoorageWire

/// Reads the scopes that a user may see now.
struct VisibleScopesReader {
    let connection: any CentralConnection
    let settings: ScopeSettings

    /// More scopes than a page could be read for.
    private static let maximum = 10_000

    /// - Throws: ``HubError`` `configuration` for a query that the database does not accept.
    func read(for principal: Principal?) throws -> VisibleScopes {
        VisibleScopes(try scopes(of: principal), settings)
    }

    private func scopes(of principal: Principal?) throws -> Set<Scope> {
        var visible: Set<Scope> = [.everything]
        guard let principal, !settings.holdings.isEmpty else { return visible }
        try connection.begin(.snapshot)
        defer { connection.rollback() }
        for (kind, holding) in settings.holdings {
            for value in try values(holding, of: principal) {
                if let scope = ScopeRule.scope(kind, value) { visible.insert(scope) }
            }
        }
        guard visible.count <= Self.maximum else {
            throw HubError.tooManyScopes(most: Self.maximum)
        }
        return visible
    }

    private func values(_ holding: ScopeHolding, of principal: Principal) throws -> [String] {
        switch holding {
        case .claim("sub"): return [principal.subject]
        case .claim(let name): return principal.claims[name] ?? []
        case .query(let query):
            guard let arguments = query.arguments(of: principal) else { return [] }
            do {
                let rows = try connection.run(query.sql { _ in "?" }, arguments.map { .text($0) })
                return rows.compactMap { $0.first?.scopeText }
            } catch let error as CentralError where error.isOwnFault {
                throw HubError.cannotReadScopes(error.message)
            }
        }
    }
}

extension Value {
    /// The value as a scope's name has it; `nil` for a value that cannot name a scope.
    fileprivate var scopeText: String? {
        switch self {
        case .integer(let number): String(number)
        case .text(let text): text
        case .blob(let bytes) where bytes.count == 16: UUIDText.text(bytes)
        case .null, .real, .blob: nil
        }
    }
}
