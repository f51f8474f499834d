import MoorageCore
import MoorageWire
import TestSupport
import Testing

@testable import MoorageHub

/// The feed's own bookkeeping, step by step: nothing waits, nothing is read.
@Suite(.ownThreads) struct `A feed of live streams` {
    private typealias Waiting = LiveFeedState.Waiting

    private static let start = ContinuousClock.now

    /// A feed that polls by itself once an hour.
    private static func state() -> LiveFeedState {
        var policy = LivePolicy()
        policy.interval = .seconds(3_600)
        return LiveFeedState(policy: policy)
    }

    private static func opening(_ number: Int, of user: String? = nil) -> LiveOpening {
        let view = LiveView(
            name: LiveView.Name(
                epoch: Epoch("e"), schemaVersion: "s", suspended: [], tables: [],
                authorized: [.everything], priorities: [:],
                signedFor: user, limits: PageLimits()),
            tables: [], signatures: [:])
        let member = LiveMember(
            LiveBench.request(number), of: user.map { Principal(subject: $0) })
        return LiveOpening(member: member, view: view, cursor: .start, time: 0)
    }

    /// Waits in a stream while the body does something with the feed.
    ///
    /// - Returns: The event that the stream got; `nil` for none.
    private func told(
        _ state: inout LiveFeedState, _ number: Int,
        _ body: (inout LiveFeedState) -> [LiveFeedState.Delivery]
    ) async throws -> LiveFeed.Event? {
        do {
            return try await withCheckedThrowingContinuation { (waiting: Waiting) in
                let now = state.wait(number, waiting, now: Self.start) { Task {} }
                if let now { return waiting.resume(with: now) }
                for (continuation, event) in body(&state) { continuation.resume(returning: event) }
                state.streams[number]?.removeWaiting()?.resume(throwing: CancellationError())
            }
        } catch is CancellationError {
            return nil
        }
    }

    @Test func `polls again at once for what came during a poll`() async throws {
        var state = Self.state()
        let number = state.enter(Self.opening(1), now: Self.start, until: Self.start + .seconds(60))
            .number
        _ = try await told(&state, number) { state in
            let first = state.tick(at: Self.start)
            #expect(first.shouldPoll)
            // A stream that waits has everything that was polled.
            _ = state.apply(Self.found([.nothing]), to: [[number]])
            let isWaitedFor = state.poke()
            let during = state.tick(at: Self.start)
            #expect(isWaitedFor && !during.shouldPoll)
            state.polled(at: Self.start, taking: .zero)
            let next = state.tick(at: Self.start)
            #expect(next.shouldPoll && next.isUrgent)
            state.polled(at: Self.start, taking: .zero)
            let last = state.tick(at: Self.start)
            #expect(!last.shouldPoll)
            return []
        }
    }

    @Test func `tells a group that is over once, and polls for it no more`() async throws {
        var state = Self.state()
        let number = state.enter(Self.opening(1), now: Self.start, until: Self.start + .seconds(60))
            .number
        let event = try await told(&state, number) { state in
            let groups = state.groups().map(\.numbers)
            #expect(groups == [[number]])
            let told = state.apply(Self.found([.over]), to: groups)
            #expect(told.count == 1)
            #expect(state.groups().isEmpty)
            // A poll that was under way when the stream ended.
            let again = state.apply(Self.found([.over]), to: groups)
            let page = state.apply(Self.found([.page(Self.page)]), to: groups)
            #expect(again.isEmpty && page.isEmpty)
            return told
        }
        guard case .end(let end)? = event else {
            Issue.record("it was not told its end")
            return
        }
        #expect(end == End(hasMore: true))
        #expect(state.streams[number]?.cursor == .start)
    }

    @Test func `says an end to who comes for more after it`() async throws {
        var state = Self.state()
        let number = state.enter(Self.opening(1), now: Self.start, until: Self.start + .seconds(60))
            .number
        // The stream is being written to while the poll finds that it is over.
        let over = state.apply(Self.found([.over]), to: [[number]])
        let ended = state.end([number], with: End(hasMore: false))
        #expect(over.isEmpty && ended.isEmpty)
        guard case .end(let end)? = try await told(&state, number, { _ in [] }) else {
            Issue.record("it was not told its end")
            return
        }
        #expect(end == End(hasMore: true))
    }

    /// A sleeper that nobody wakes sleeps for a day.
    @Test func `wakes who was rung for before it slept`() async throws {
        let alarm = Alarm()
        let wakeUps = Box(0)
        alarm.ring()
        let sleeper = Task {
            for _ in 1...2 {
                await alarm.sleep(until: .now + .seconds(86_400))
                wakeUps.change { $0 += 1 }
            }
        }
        try await eventually("the sleeper woke once") { wakeUps.value == 1 }
        alarm.ring()
        try await eventually("the sleeper woke twice") { wakeUps.value == 2 }
        await sleeper.value
    }

    private static func found(_ answers: [LiveReading.Answer]) -> LiveReading.Found {
        LiveReading.Found(
            changeToken: "sign", checkpoint: Checkpoint("1"), answers: answers, pagesRead: 0)
    }

    private static let page = Page(
        since: .start, cursor: SyncCursor(epoch: Epoch("e"), checkpoint: Checkpoint("1")),
        isCaughtUp: true,
        tables: [], removals: [], withheld: [])
}
