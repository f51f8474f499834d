import MoorageCore
import MoorageHub
import MoorageWire

extension Hub {
    /// Carries out a request that a test made by hand, and returns the outcomes of its changes.
    func outcomes(of request: ExchangeRequest) async throws -> [Outcome] {
        let received = Received()
        try await exchange(request) { (frame: Frame) async in
            if case .outcomes(let outcomes) = frame { await received.set(outcomes.outcomes) }
        }
        return await received.outcomes
    }

    private actor Received {
        var outcomes: [Outcome] = []
        func set(_ outcomes: [Outcome]) { self.outcomes = outcomes }
    }
}
