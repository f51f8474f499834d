public import MoorageCore

/// How an answer stays open.
public struct LiveTerms: Hashable, Sendable {
    /// The longest time without a frame, once the replica has caught up.
    public let heartbeat: Duration

    public init(heartbeat: Duration) { self.heartbeat = heartbeat }
}

/// Says in a live stream that the hub is there and nothing has changed.
public struct Alive: Hashable, Sendable {
    /// When the hub sends it.
    public let time: HubTime

    public init(time: HubTime) { self.time = time }
}
