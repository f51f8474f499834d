import Moorage
import MoorageHub
import MoorageSupport
import MoorageWire

/// A device's connection to the hub of its sandbox, through the device's network.
struct SandboxConnection: HubConnection {
    let core: SandboxCore
    /// Who works with the device.
    let user: Principal?
    let network: Locked<SandboxNetwork>
    let random: Locked<SeededRandom>

    func exchange(
        _ request: consuming ExchangeRequest, receive: @Sendable (Frame) async throws -> Void
    ) async throws {
        let answer = Answer(try await send())
        let restores = core.served.restores
        // Whatever of the answer gets lost, the hub has merged the batch.
        try await hub.exchange(consume request) { frame in
            try check()
            guard core.served.restores == restores else {
                throw HubError.unreachable(because: "the central database was restored")
            }
            try answer.passes()
            try await receive(frame)
        }
    }

    func schema() async throws -> SchemaAnswer {
        _ = try await send()
        return try await hub.schema()
    }

    func compare(_ request: CompareRequest) async throws -> CompareAnswer {
        _ = try await send()
        return try await hub.compare(request)
    }

    /// The present hub: a restore makes another one.
    private var hub: any HubConnection {
        let hub = core.hub
        return user.map { hub.asSeen(by: $0) } ?? hub
    }

    // MARK: The network

    /// Carries a request to the hub.
    ///
    /// - Returns: How many frames of the answer arrive; `nil` for all.
    private func send() async throws -> Int? {
        guard case .online(let chance, let delay) = network.withLock({ $0.kind }) else {
            throw HubError.unreachable(because: "the device is offline")
        }
        if delay > .zero { try await Task.sleep(for: delay) }
        try check()
        guard chance > 0 else { return nil }
        return try random.withLock { random in
            if Double.random(in: 0..<1, using: &random) < chance {
                throw HubError.unreachable(because: "the request got lost")
            }
            let breaksOff = Double.random(in: 0..<1, using: &random) < chance
            return breaksOff ? Int.random(in: 0...3, using: &random) : nil
        }
    }

    private func check() throws {
        if network.withLock({ $0.isOffline }) {
            throw HubError.unreachable(because: "the device is offline")
        }
    }

    /// Counts the frames of an answer that breaks off.
    private final class Answer: Sendable {
        private let left: Locked<Int?>

        init(_ frames: Int?) { left = Locked(frames) }

        func passes() throws {
            try left.withLock { left in
                guard let frames = left else { return }
                if frames == 0 {
                    throw HubError.unreachable(because: "the answer broke off")
                }
                left = frames - 1
            }
        }
    }
}
