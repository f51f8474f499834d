/// How an answer stays open.
public struct LiveTerms: Hashable, Sendable {
    /// No longer than this passes without a frame, once the replica has caught up.
    public let heartbeat: Duration

    public init(heartbeat: Duration) { self.heartbeat = heartbeat }
}

/// Says in an open answer that the hub is there and nothing has changed.
public struct Alive: Hashable, Sendable {
    /// The hub's clock, in milliseconds since 1970.
    public let time: Int64

    public init(time: Int64) { self.time = time }
}
