import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

@testable import MoorageHub

/// The feed's bookkeeping for readers of changes, step by step: nothing waits, nothing is read.
@Suite(.ownThreads) struct `Readers in a feed` {
    private static let start = ContinuousClock.now

    private static let facts = HubFacts(hub: "h", epoch: Epoch("e"), identity: "i")

    private static func state(_ facts: HubFacts = Self.facts) -> HubState {
        HubState(
            facts: facts,
            attached: AttachedSchema(tables: [], central: [], configuration: HubConfiguration()),
            now: 0, identity: "i")
    }

    private static let interest = LiveInterest(
        ChangeFeed(
            of: [], ScopeSettings(), visible: [.everything], facts: facts, principal: nil),
        state())

    /// Waits as a reader while the body does something with the feed.
    ///
    /// - Returns: What the reader got; `nil` for nothing.
    private func told(
        _ state: inout LiveFeedState, _ number: Int, since known: Int,
        _ body: (inout LiveFeedState) -> [LiveFeedState.Delivery]
    ) async throws -> LiveFeed.Event? {
        do {
            return try await withCheckedThrowingContinuation {
                (waiting: LiveFeedState.Waiting) in
                let now = state.wait(
                    number, for: Self.interest, since: known, until: Self.start + .seconds(10),
                    waiting
                ) { Task {} }
                if let now { return waiting.resume(with: now) }
                for (continuation, event) in body(&state) { continuation.resume(returning: event) }
                state.readers[number]?.removeWaiting()?.resume(throwing: CancellationError())
            }
        } catch is CancellationError {
            return nil
        }
    }

    private static func found(_ token: String, _ readers: [Int: Bool]) -> LiveReading.Found {
        LiveReading.Found(
            changeToken: token, checkpoint: Checkpoint("1"), answers: [], pagesRead: 0,
            readers: readers)
    }

    private func isChange(_ event: LiveFeed.Event?) -> Bool {
        if case .change? = event { true } else { false }
    }

    private func isBeat(_ event: LiveFeed.Event?) -> Bool {
        if case .beat? = event { true } else { false }
    }

    @Test func `hear of what may be for them, and of nothing else`() async throws {
        var state = LiveFeedState(policy: LivePolicy())
        let number = state.enterReader()
        let known = state.polledState
        let other = try await told(&state, number, since: known) { state in
            let first = state.apply(Self.found("a", [number: false]), to: [])
            let second = state.apply(Self.found("a", [:]), to: [])
            return first + second
        }
        #expect(other == nil)
        // It read before that poll, so it does not know what the poll found.
        let late = try await told(&state, number, since: known) { _ in [] }
        #expect(isChange(late))
        let own = try await told(&state, number, since: state.polledState) { state in
            state.apply(Self.found("b", [number: true]), to: [])
        }
        #expect(isChange(own))
        // One that came while a poll was under way was not asked for.
        let unasked = try await told(&state, number, since: state.polledState) { state in
            state.apply(Self.found("c", [:]), to: [])
        }
        #expect(isChange(unasked))
    }

    @Test func `keep the watcher awake, until their time is over`() async throws {
        var state = LiveFeedState(policy: LivePolicy())
        let number = state.enterReader()
        let idle = state.tick(at: Self.start)
        #expect(idle.isOver)
        let event = try await told(&state, number, since: state.polledState) { state in
            let tick = state.tick(at: Self.start)
            #expect(!tick.isOver && tick.shouldPoll && tick.told.isEmpty)
            state.polled(at: Self.start, taking: .zero)
            return state.tick(at: Self.start + .seconds(10)).told
        }
        #expect(isBeat(event))
    }

    @Test func `wait no more after their end`() async throws {
        var state = LiveFeedState(policy: LivePolicy())
        let number = state.enterReader()
        let ended = try await told(&state, number, since: state.polledState) {
            $0.endReader(number)
        }
        #expect(isBeat(ended))
        let again = try await told(&state, number, since: state.polledState) { _ in
            Issue.record("it waits")
            return []
        }
        #expect(isBeat(again))
    }

    @Test func `read again when the hub is another one`() async throws {
        var state = LiveFeedState(policy: LivePolicy())
        let number = state.enterReader()
        let event = try await told(&state, number, since: state.polledState) {
            $0.tellReaders()
        }
        #expect(isChange(event))
        #expect(Self.interest.isCurrent(Self.state()))
        let other = HubFacts(hub: "h", epoch: Epoch("f"), identity: "i")
        #expect(!Self.interest.isCurrent(Self.state(other)))
    }
}
