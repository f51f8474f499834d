import MoorageCore
import MoorageWire

extension [RequestedScope] {
    var scopes: Set<Scope> { Set(map(\.scope)) }

    /// The priorities that are not normal.
    func priorities(among scopes: Set<Scope>) -> [Scope: ScopePriority] {
        var priorities: [Scope: ScopePriority] = [:]
        for requested in self
        where requested.priority != .normal && scopes.contains(requested.scope) {
            priorities[requested.scope] = requested.priority
        }
        return priorities
    }

    /// Those that a user may not see, or that do not exist.
    func unavailable(to visible: Set<Scope>) -> [Scope] {
        map(\.scope).filter { !visible.contains($0) }
    }
}
