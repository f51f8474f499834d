import MoorageCore
import MoorageWire

/// A hub as one user sees it.
struct PrincipalConnection: HubConnection {
    let hub: Hub
    let principal: Principal

    func exchange(
        _ request: ExchangeRequest, receive: @Sendable (Frame) async throws -> Void
    ) async throws {
        try await hub.exchange(request, for: principal, receive: receive)
    }

    func schema() async throws -> SchemaAnswer { try await hub.schema() }

    func compare(_ request: CompareRequest) async throws -> CompareAnswer {
        try await hub.compare(request, for: principal)
    }
}
