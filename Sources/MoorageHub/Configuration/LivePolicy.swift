import MoorageWire

/// How a hub keeps answers open.
public struct LivePolicy: Hashable, Sendable {
    /// Whether it does at all.
    public var isGranted = true
    /// How often it polls for commits of programs that go past the hub, at most: never more often than ten
    /// times as long as the last poll took.
    public var interval: Duration = .milliseconds(100)
    /// An answer says that the hub is there when it has said nothing for so long; 12 s at most, for clients
    /// and proxies give up after 30.
    public var heartbeat: Duration = .seconds(10)
    /// A live stream ends after this; its device opens another one.
    public var maximumLife: Duration = .seconds(3_600)
    /// How often it is seen whether a replica may still sync, and holds the same scopes.
    public var checkInterval: Duration = .seconds(30)

    public init() {}

    var terms: LiveTerms { LiveTerms(heartbeat: heartbeat) }
}
