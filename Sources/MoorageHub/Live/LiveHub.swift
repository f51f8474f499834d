public import MoorageWire

/// A hub whose answers can stay open.
public protocol LiveHub: HubConnection {
    /// One exchange up to where its answer ends or stays open.
    ///
    /// - Parameters:
    ///   - grant: Whether the answer may stay open, where the request asks for it; `nil` for not.
    /// - Returns: The rest of a live stream, which needs nothing of the request; `nil` after
    ///   the answer's end.
    func begin(
        _ request: consuming ExchangeRequest, grant: LiveGrant?,
        receive: @Sendable (Frame) async throws -> Void
    ) async throws -> LiveStream?
}

/// Leave for an answer to stay open.
public struct LiveGrant: Sendable {
    /// No longer than this: a token's life. `nil` for as long as the hub likes.
    public let life: Duration?

    public init(life: Duration? = nil) { self.life = life }
}
