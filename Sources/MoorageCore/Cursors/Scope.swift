/// A named part of the data. A row is in zero or more scopes, and a replica has some of the scopes.
public struct Scope: Hashable, Comparable, Sendable {
    /// `kind/value`, such as `employee/5`; `*` for ``everything``. Compared by bytes.
    public let name: String

    /// A scope by its ``name``, which this does not check.
    public init(_ name: String) { self.name = name }

    /// The scope of every table that has no other. Every replica has it.
    public static let everything = Scope("*")

    public static func == (left: Scope, right: Scope) -> Bool {
        left.name.hasSameBytes(as: right.name)
    }
    public func hash(into hasher: inout Hasher) { hasher.combine(Value.text(name)) }
    public static func < (left: Scope, right: Scope) -> Bool {
        left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
    }
}

/// What a hub knows of a scope that a replica was granted.
package struct ScopeGrant: Hashable, Sendable {
    /// The hub's checkpoint when the scope was granted. The replica has no row of the scope that
    /// was gone by then.
    package let since: Checkpoint
    /// The newest checkpoint that the replica knew when the hub found that the scope was lost. Rows
    /// that came into the scope later were never sent. `nil` while the scope is authorized.
    package let lostAt: Checkpoint?

    package init(since: Checkpoint, lostAt: Checkpoint?) {
        self.since = since
        self.lostAt = lostAt
    }
}

/// A point in the central database's history, in that database's own terms. It is opaque outside
/// its connector.
public struct Checkpoint: Hashable, Sendable {
    /// The connector's own form. Other code stores it and gives it back unchanged.
    public let text: String

    /// - Parameter text: What the connector reads back. The connector checks it, because a
    ///   replica may send any text.
    public init(_ text: String) { self.text = text }
}

/// Identifies one central history. A hub takes a new epoch when its history may have gone back or
/// moved.
package struct Epoch: Hashable, Sendable, CustomStringConvertible {
    package let text: String
    package init(_ text: String) { self.text = text }
    package var description: String { text }
}
