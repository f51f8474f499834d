import MoorageCore
package import MoorageWire

/// A hub that knows users.
package protocol UserHub: HubConnection {
    /// The hub as a user sees it: only what is everyone's, and what the user may see.
    func asSeen(by principal: Principal) -> any HubConnection
}

/// A hub as one user sees it.
struct PrincipalConnection: LiveHub {
    let hub: Hub
    let principal: Principal

    func exchange(
        _ request: consuming ExchangeRequest, receive: @Sendable (Frame) async throws -> Void
    ) async throws {
        try await hub.exchange(consume request, for: principal, receive: receive)
    }

    func begin(
        _ request: consuming ExchangeRequest, grant: LiveGrant?,
        receive: @Sendable (Frame) async throws -> Void
    ) async throws -> LiveStream? {
        try await hub.begin(consume request, for: principal, grant: grant, receive: receive)
    }

    func schema() async throws -> SchemaAnswer { try await hub.schema() }

    func compare(_ request: CompareRequest) async throws -> CompareAnswer {
        try await hub.compare(request, for: principal)
    }
}
