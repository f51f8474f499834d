package import MoorageCore

/// A scope that a replica asks for.
package struct RequestedScope: Hashable, Sendable {
    package let scope: Scope
    package let priority: ScopePriority

    package init(_ scope: Scope, priority: ScopePriority = .normal) {
        self.scope = scope
        self.priority = priority
    }

    /// The most scopes that a request may name.
    package static let maximumCount = 10_000
    /// The longest name of a scope, in bytes.
    package static let maximumNameBytes = 300
}
