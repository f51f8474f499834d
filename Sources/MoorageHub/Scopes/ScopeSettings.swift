import MoorageCore
import MoorageWire

/// What the owner configures of scopes: how rows come into them, and which of them a user may see.
public struct ScopeSettings: Sendable {
    /// By table; a table without rules is everyone's.
    public var rules: [String: [ScopeRule]]
    /// Foreign keys that devices do not have, by table, each as its columns. Their rows may be in
    /// other scopes than the rows that they refer to.
    public var unenforcedKeys: [String: [[String]]]
    /// Which scopes of a kind a user may see.
    public var holdings: [String: ScopeHolding]
    /// Kinds of scopes whose rows go only to the replicas that subscribe to them. Each has an entry
    /// in ``holdings``, which still says which of them a user may see.
    public var onRequest: Set<String>

    /// Without arguments every row is everyone's.
    ///
    /// - Parameters:
    ///   - holdings: By kind. A user sees no scope of a kind without one.
    ///   - onRequest: Kinds of which a replica gets only the scopes that it subscribes to.
    public init(
        rules: [String: [ScopeRule]] = [:], unenforcedKeys: [String: [[String]]] = [:],
        holdings: [String: ScopeHolding] = [:], onRequest: Set<String> = []
    ) {
        self.rules = rules
        self.unenforcedKeys = unenforcedKeys
        self.holdings = holdings
        self.onRequest = onRequest
    }

    /// Checks that every table with a rule is synced.
    ///
    /// - Throws: ``HubError`` `configuration`.
    func check(tables names: [String]) throws {
        for name in (Array(rules.keys) + unenforcedKeys.keys).sorted()
        where !names.contains(where: { $0.hasSameBytes(as: name) }) {
            throw HubError.scopesOfUnsyncedTable(name)
        }
    }
}

/// Where the hub reads which scopes of one kind a user may see.
public enum ScopeHolding: Hashable, Sendable {
    /// The values of a claim of the user's token; `sub` is the user's name.
    case claim(String)
    /// The first column of a query on the central database, which runs at every exchange.
    case query(ScopeQuery)
}

/// Whose exchange it is, as the server has verified.
public struct Principal: Hashable, Sendable {
    /// Names the user: the `sub` of a token.
    public let subject: String
    /// Claims by name, each with its values as text.
    public let claims: [String: [String]]

    /// - Parameters:
    ///   - subject: 1 to 255 bytes without NUL. `HubServer` checks this; a program that embeds the
    ///     hub must do so itself.
    ///   - claims: A member of an object has a dotted name, such as `realm_access.roles`.
    public init(subject: String, claims: [String: [String]] = [:]) {
        self.subject = subject
        self.claims = claims
    }

    /// What a replica keeps to distinguish its user from another, without a name.
    var digest: String {
        var fingerprint = Fingerprint()
        fingerprint.add(subject.utf8)
        return fingerprint.hex
    }
}
