import MoorageCore

/// How a replica reaches its hub: over HTTP, or in the same process.
package protocol HubConnection: Sendable {
    /// Sends nothing, and throws if nothing may be sent to the hub's address.
    func checkAddress() throws(HubError)

    /// One exchange: sends the request and passes on the answer's frames one by one. It passes a
    /// frame only when `receive` has finished with the one before.
    ///
    /// - Parameter request: Released as soon as it is not needed: a batch may be large, and an
    ///   answer slow.
    /// - Throws: ``HubError``, `CancellationError` and what `receive` throws. What was received
    ///   before remains valid.
    func exchange(
        _ request: consuming ExchangeRequest, receive: @Sendable (Frame) async throws -> Void
    ) async throws

    /// The same, and counts what travels.
    func exchange(
        _ request: consuming ExchangeRequest, counting bytes: ByteCount?,
        receive: @Sendable (Frame) async throws -> Void
    ) async throws

    /// The tables that the hub syncs.
    func schema() async throws -> SchemaAnswer

    /// One page of a table as the hub has it, in key order, for comparing.
    func compare(_ request: CompareRequest) async throws -> CompareAnswer

    /// Bytes of all answers so far, as they travelled, without headers; `nil` where no bytes
    /// travel.
    var bytesReceived: Int64? { get }

    /// Scheme, host and port of the hub, for people; `nil` for a hub without an address.
    var address: String? { get }
}

extension HubConnection {
    /// A hub in this process has no address.
    package func checkAddress() throws(HubError) {}

    package var bytesReceived: Int64? { nil }

    package var address: String? { nil }

    /// No bytes travel, or nobody counts them.
    package func exchange(
        _ request: consuming ExchangeRequest, counting bytes: ByteCount?,
        receive: @Sendable (Frame) async throws -> Void
    ) async throws { try await exchange(request, receive: receive) }
}
