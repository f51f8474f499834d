import MoorageCore

/// The scopes that a user may see, and which of them go to a replica (decision 0092).
struct VisibleScopes: Sendable {
    /// What the replica pushes is judged by all of them.
    let all: Set<Scope>
    /// Those that come without a request.
    private let unrequested: Set<Scope>

    init(_ all: Set<Scope>, _ settings: ScopeSettings) {
        self.all = all
        unrequested =
            settings.onRequest.isEmpty ? all : all.filter { !settings.isOnRequest($0) }
    }

    /// - Parameter requested: The scopes that the replica asked for. Others than `all` do not
    ///   count.
    func delivered(_ requested: Set<Scope>) -> Set<Scope> {
        unrequested.union(requested.intersection(all))
    }
}

extension ScopeSettings {
    /// Whether a scope goes only to the replicas that ask for it.
    func isOnRequest(_ scope: Scope) -> Bool {
        let name = scope.name.utf8
        guard let slash = name.firstIndex(of: UInt8(ascii: "/")) else { return false }
        return onRequest.contains { kind in name[..<slash].elementsEqual(kind.utf8) }
    }
}
