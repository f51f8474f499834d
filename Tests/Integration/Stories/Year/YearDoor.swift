import Foundation
import Moorage
import MoorageHub
import MoorageTesting
import MoorageWire

/// The address of the hub, which stays while the database behind it is restored and moved.
///
/// `@unchecked Sendable`: the lock guards both properties.
final class YearDoor: HubConnection, @unchecked Sendable {
    /// What becomes of the next exchanges.
    enum Fate {
        case arrives, requestLost, answerLost
    }

    private let lock = NSLock()
    private var hub: Hub
    private var fate = Fate.arrives

    init(_ hub: Hub) { self.hub = hub }

    func lead(to hub: Hub) { lock.withLock { self.hub = hub } }

    func set(_ fate: Fate) { lock.withLock { self.fate = fate } }

    private var current: (hub: Hub, fate: Fate) { lock.withLock { (hub, fate) } }

    func exchange(
        _ request: ExchangeRequest, receive: @Sendable (Frame) async throws -> Void
    ) async throws {
        let (hub, fate) = current
        if fate == .requestLost { throw HubError(.unreachable, "The request was lost.") }
        try await hub.exchange(request) { (frame: Frame) async throws in
            // The hub has taken the batch.
            if fate == .answerLost, case .outcomes = frame {
                throw HubError(.unreachable, "The answer was lost.")
            }
            try await receive(frame)
        }
    }

    func schema() async throws -> SchemaAnswer { try await current.hub.schema() }

    func compare(_ request: CompareRequest) async throws -> CompareAnswer {
        try await current.hub.compare(request)
    }
}

/// The clock of a device's file.
struct YearClock: ReplicaClock {
    let disk: SimulatedDisk

    func now() -> Date { Date(timeIntervalSince1970: Double(disk.clock) / 1_000) }
    func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }
}

/// Random numbers from a seed, for any thread. `@unchecked Sendable`: the lock guards them.
final class YearRandom: @unchecked Sendable {
    private let lock = NSLock()
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    func next() -> UInt64 { lock.withLock { generator.next() } }
}
