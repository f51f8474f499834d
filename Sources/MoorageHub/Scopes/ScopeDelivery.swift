import MoorageCore
import MoorageWire

/// Which of the scopes that a user may see go to a replica, and in which order (decision 0092).
extension ScopeSettings {
    /// - Parameters:
    ///   - visible: The scopes that the user may see.
    ///   - requested: The scopes that the replica subscribed to. Others than `visible` do not
    ///     count.
    func delivered(of visible: Set<Scope>, _ requested: [RequestedScope]) -> Set<Scope> {
        if onRequest.isEmpty { return visible }
        return visible.filter { !isOnRequest($0) }
            .union(requested.lazy.map(\.scope).filter(visible.contains))
    }

    /// What a replica may be compared with: the scopes that its cursor names, and those that come
    /// without a request.
    func compared(of visible: Set<Scope>, at cursor: SyncCursor) -> Set<Scope> {
        if onRequest.isEmpty { return visible }
        let named = cursor.named
        return visible.filter { !isOnRequest($0) || named.contains($0) }
    }

    /// The requested scopes that come only because they are requested.
    func onRequest(among requested: [RequestedScope]) -> [RequestedScope] {
        onRequest.isEmpty ? [] : requested.filter { isOnRequest($0.scope) }
    }

    private func isOnRequest(_ scope: Scope) -> Bool {
        let name = scope.name.utf8
        guard let slash = name.firstIndex(of: UInt8(ascii: "/")) else { return false }
        return onRequest.contains { kind in name[..<slash].elementsEqual(kind.utf8) }
    }
}

extension [RequestedScope] {
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
