package import MoorageCore

/// How an answer stays open.
package struct LiveTerms: Hashable, Sendable {
    /// The longest time without a frame, once the replica has caught up.
    package let heartbeat: Duration

    package init(heartbeat: Duration) { self.heartbeat = heartbeat }
}

/// Says in a live stream that the hub is there and nothing has changed.
package struct Alive: Hashable, Sendable {
    /// When the hub sends it.
    package let time: HubTime

    package init(time: HubTime) { self.time = time }
}
