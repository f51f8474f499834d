import MoorageSupport
import MoorageWire

/// Waits in a feed for changes. It reads them itself.
///
/// - H5: What had been polled when the reader began to read is part of what it has read. So it
///   misses nothing: a later commit makes another state, of which a poll tells it.
final class LiveReader: Sendable {
    private let feed: LiveFeed
    private let number: Int

    /// - Parameter user: `nil` for a program without a user.
    /// - Throws: ``HubError`` `tooMany` for a user who has as many readers as one may have.
    init(in feed: LiveFeed, of user: String?) throws(HubError) {
        self.feed = feed
        let number = feed.state.withLock { state in
            state.mayEnterReader(of: user) ? state.enterReader(of: user) : nil
        }
        guard let number else { throw .tooManyStreamsOfUser }
        self.number = number
    }

    deinit { feed.state.withLock { $0.readers[number] = nil } }

    /// The state that was polled last. Take it before reading.
    var state: Int { feed.state.withLock { $0.polledState } }

    var isOver: Bool { feed.state.withLock { $0.readers[number]?.isOver ?? true } }

    /// Waits until there may be something to read, or the time is over, or ``end()`` was called.
    ///
    /// - Parameter known: The ``state`` before the reader began to read.
    /// - Returns: Whether there may be something to read.
    func wait(
        for interest: LiveInterest, since known: Int, until end: ContinuousClock.Instant
    ) async throws -> Bool {
        let event = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let answer = feed.state.withLock { state -> Result<LiveFeed.Event, any Error>? in
                    // If the task is cancelled after this, the handler below finds it waiting.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    return state.wait(
                        number, for: interest, since: known, until: end, continuation
                    ) {
                        Task { [feed] in await feed.watch() }
                    }
                }
                if let answer { return continuation.resume(with: answer) }
                feed.alarm.ring()
            }
        } onCancel: {
            feed.state.withLock { $0.readers[number]?.removeWaiting() }?
                .resume(throwing: CancellationError())
        }
        if case .change = event { return true }
        return false
    }

    /// Ends waiting, from any thread, now and later.
    func end() { feed.tell(feed.state.withLock { $0.endReader(number) }) }
}
