import MoorageWire

/// How a hub keeps live streams open.
public struct LivePolicy: Hashable, Sendable {
    /// Whether the hub offers live streams.
    public var isGranted = true
    /// The shortest time between two polls for commits of programs that bypass the hub. A slow poll
    /// stretches it to ten times the poll's own duration.
    public var interval: Duration = .milliseconds(100)
    /// The hub sends a heartbeat when a stream was silent for so long. 12 s at most, because
    /// clients and proxies give up after 30.
    public var heartbeat: Duration = .seconds(10)
    /// A live stream ends after this time; its device opens another one.
    public var maximumLife: Duration = .seconds(3_600)
    /// How often the hub checks whether a replica may still sync and has the same scopes.
    public var checkInterval: Duration = .seconds(30)

    /// Grants live streams, with the default times.
    public init() {}

    var terms: LiveTerms { LiveTerms(heartbeat: heartbeat) }
}
