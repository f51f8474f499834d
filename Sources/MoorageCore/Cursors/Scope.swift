/// A named part of the data. A row lives in zero or more scopes, a replica holds some of them.
public struct Scope: Hashable, Comparable, Sendable {
    public let name: String

    public init(_ name: String) { self.name = name }

    /// The scope of every table that has no other: each replica holds it.
    public static let everything = Scope("*")

    public static func == (left: Scope, right: Scope) -> Bool {
        left.name.hasSameBytes(as: right.name)
    }
    public func hash(into hasher: inout Hasher) { hasher.combine(Value.text(name)) }
    public static func < (left: Scope, right: Scope) -> Bool {
        left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
    }
}

/// What a hub knows of a scope that a replica was given.
public struct ScopeGrant: Hashable, Sendable {
    /// What the hub's state was when it was given: the replica holds nothing of it that was gone by then.
    public let since: Checkpoint
    /// The newest state that the replica knew of when the hub saw that it is not held any more: what came
    /// into the scope later was never sent. `nil` while it is held.
    public let lostAt: Checkpoint?

    public init(since: Checkpoint, lostAt: Checkpoint?) {
        self.since = since
        self.lostAt = lostAt
    }
}

/// A point in the central database's history, in that database's own terms; opaque outside its
/// connector.
public struct Checkpoint: Hashable, Sendable {
    public let text: String
    public init(_ text: String) { self.text = text }
}

/// One central history. A hub whose history may have gone back or moved takes a new epoch.
public struct Epoch: Hashable, Sendable, CustomStringConvertible {
    public let text: String
    public init(_ text: String) { self.text = text }
    public var description: String { text }
}
