import Foundation
public import MoorageWire

/// A hub behind a bad network: requests and answers are lost, answers break off, requests arrive
/// twice; all from a seed.
public final class LossyConnection: HubConnection, @unchecked Sendable {
    // `@unchecked`: the generator is touched inside the lock alone.
    private let hub: any HubConnection
    private let lock = NSLock()
    private var random: SeededGenerator
    private var percent: Int

    /// - Parameter lossPercent: How many of a hundred events go wrong, each for itself.
    public init(_ hub: any HubConnection, seed: UInt64, lossPercent: Int) {
        self.hub = hub
        random = SeededGenerator(seed: seed)
        percent = lossPercent
    }

    /// From now on nothing is lost.
    public func heal() { lock.withLock { percent = 0 } }

    private func fails() -> Bool { lock.withLock { random.chance(percent) } }

    private static let lost = HubError(.unreachable, "The connection was lost.")

    public func exchange(
        _ request: ExchangeRequest, receive: @Sendable (Frame) async throws -> Void
    ) async throws {
        if fails() { throw Self.lost }
        if fails() {
            // The first copy's answer goes nowhere.
            try await hub.exchange(request) { _ in }
        }
        try await hub.exchange(request) { frame in
            if self.fails() { throw Self.lost }
            try await receive(frame)
        }
        if fails() { throw Self.lost }
    }

    public func schema() async throws -> SchemaAnswer {
        if fails() { throw Self.lost }
        return try await hub.schema()
    }

    public func compare(_ request: CompareRequest) async throws -> CompareAnswer {
        if fails() { throw Self.lost }
        return try await hub.compare(request)
    }
}
