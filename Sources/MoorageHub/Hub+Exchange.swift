package import MoorageWire

/// Exchanges of replicas with the hub.
extension Hub {
    package func exchange(
        _ request: consuming ExchangeRequest, receive: @Sendable (Frame) async throws -> Void
    ) async throws {
        try await exchange(consume request, for: nil, receive: receive)
    }

    package func begin(
        _ request: consuming ExchangeRequest, grant: LiveGrant?,
        receive: @Sendable (Frame) async throws -> Void
    ) async throws -> LiveStream? {
        try await begin(consume request, for: nil, grant: grant, receive: receive)
    }

    func exchange(
        _ request: consuming ExchangeRequest, for principal: Principal?,
        receive: @Sendable (Frame) async throws -> Void
    ) async throws {
        let stream = try await begin(
            consume request, for: principal, grant: LiveGrant(), receive: receive)
        try await stream?.run { try await receive($0.frame) }
    }

    func begin(
        _ request: consuming ExchangeRequest, for principal: Principal?, grant: LiveGrant?,
        receive: @Sendable (Frame) async throws -> Void
    ) async throws -> LiveStream? {
        let isGranted = grant != nil && feed.policy.isGranted
        let member = LiveMember(copy request, of: principal)
        let before = absent?.returned(member.name)
        let begun = steps(
            consume request, for: principal, terms: isGranted ? feed.policy.terms : nil)
        let steps: ExchangeSteps
        do {
            steps = try await exchange(begun, of: member, receive: receive)
        } catch {
            // What the replica did not get is news.
            if let before { absent?.left(before) }
            throw error
        }
        if let opening = steps.opening {
            let stream = LiveStream(opening, in: feed, life: grant?.life) { [weak absent] in
                absent?.left($0)
            }
            // Its last stream may have ended during the exchange.
            absent?.returned(member.name)
            return stream
        }
        // A replica in front exchanges beside its stream.
        if let position = steps.position ?? before, !feed.hasStream(of: member.name) {
            absent?.left(position)
        }
        return nil
    }

    /// Carries out the steps of an exchange.
    private func exchange(
        _ begun: ExchangeSteps, of member: LiveMember,
        receive: @Sendable (Frame) async throws -> Void
    ) async throws -> ExchangeSteps {
        var steps = begun
        while !steps.isOver {
            try Task.checkCancellation()
            let (next, step) = try await access { [steps] connection in
                var steps = steps
                let step = steps.step(on: connection) {
                    self.notice($0, of: member, on: connection, knowing: $1)
                }
                return (steps, step)
            }
            steps = next
            for frame in step.frames { try await receive(frame) }
            if let failure = step.failure {
                // A connector may interrupt the work of a task that is cancelled.
                try Task.checkCancellation()
                try Self.translating { throw failure }
            }
        }
        return steps
    }

    /// Tells the live feed what a frame that goes out means for it.
    ///
    /// - Parameters:
    ///   - connection: The connection of the exchange, while the exchange still has it.
    ///   - state: The hub as the exchange has just read it there.
    func notice(
        _ frame: Frame, of member: LiveMember, on connection: (any CentralConnection)? = nil,
        knowing state: HubState? = nil
    ) {
        switch frame {
        case .welcome(let welcome) where welcome.live != nil:
            feed.replace(member.name)
        case .outcomes(let outcomes) where outcomes.status == .applied:
            if let connection, let state {
                feed.poke(on: connection, knowing: state)
            } else {
                feed.poke()
            }
        case .welcome, .outcomes, .page, .alive, .end, .error: break
        }
    }
}
