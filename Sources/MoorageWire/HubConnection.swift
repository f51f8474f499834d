import MoorageCore

/// How a replica reaches its hub: over HTTP, or in the same process.
public protocol HubConnection: Sendable {
    /// One exchange: sends the request and hands on the answer's frames, one after the other, each
    /// only when the one before was dealt with.
    ///
    /// - Parameter request: Not held longer than it is needed: a batch may be large, and an answer slow.
    /// - Throws: ``HubError``; what `receive` throws; `CancellationError`. Whatever was received
    ///   before stands.
    func exchange(
        _ request: consuming ExchangeRequest, receive: @Sendable (Frame) async throws -> Void
    ) async throws

    /// The tables that the hub syncs.
    func schema() async throws -> SchemaAnswer

    /// One page of a table as the hub holds it, in key order, for comparing.
    func compare(_ request: CompareRequest) async throws -> CompareAnswer

    /// Bytes of all answers so far, as they travelled, without headers; `nil` where none travel.
    var bytesReceived: Int64? { get }
}

extension HubConnection {
    public var bytesReceived: Int64? { nil }
}
