package import MoorageWire

/// A hub that can serve live streams.
package protocol LiveHub: HubConnection {
    /// Runs one exchange until its answer ends or stays open.
    ///
    /// - Parameters:
    ///   - grant: Allows the answer to stay open, where the request asks for it; `nil` does not.
    /// - Returns: The rest of a live stream, which does not need the request any more; `nil` after
    ///   the answer's end.
    func begin(
        _ request: consuming ExchangeRequest, grant: LiveGrant?,
        receive: @Sendable (Frame) async throws -> Void
    ) async throws -> LiveStream?
}

/// Permission for an answer to stay open.
package struct LiveGrant: Sendable {
    /// No longer than this: a token's life. `nil` for as long as the hub's policy allows.
    package let life: Duration?

    package init(life: Duration? = nil) { self.life = life }
}
