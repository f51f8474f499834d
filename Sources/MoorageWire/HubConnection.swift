import MoorageCore

/// How a replica reaches its hub: over HTTP, or in the same process.
public protocol HubConnection: Sendable {
    /// One exchange: sends the request and hands on the answer's frames, one after the other, each
    /// only when the one before was dealt with.
    ///
    /// - Throws: ``HubError``; what `receive` throws; `CancellationError`. Whatever was received
    ///   before stands.
    func exchange(
        _ request: ExchangeRequest, receive: @Sendable (Frame) async throws -> Void
    ) async throws

    /// The tables that the hub syncs.
    func schema() async throws -> SchemaAnswer

    /// One page of a table as the hub holds it, in key order, for comparing.
    func compare(_ request: CompareRequest) async throws -> CompareAnswer
}
