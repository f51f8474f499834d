import MoorageCore
import MoorageSupport
import MoorageWire

/// An answer that does not end after its replica has caught up.
///
/// It waits in the hub's feed with its cursor alone. It has no queue: what changes while a page is
/// being written comes as one page afterwards.
package final class LiveStream: Sendable {
    private let feed: LiveFeed
    private let number: Int
    private let onLeave: (@Sendable (LiveOpening) -> Void)?
    /// Where the replica is, as far as its connection took the pages.
    private let delivered: Locked<SyncCursor>
    /// The hub's clock, and that of this process, when the exchange began.
    private let time: HubTime
    private let start = ContinuousClock.now

    /// - Parameter onLeave: Called with where the replica is when its stream is over, unless it has
    ///   another one.
    init(
        _ opening: LiveOpening, in feed: LiveFeed, life: Duration?,
        onLeave: (@Sendable (LiveOpening) -> Void)? = nil
    ) {
        self.feed = feed
        self.onLeave = onLeave
        delivered = Locked(opening.cursor)
        time = opening.time
        number = feed.enter(opening, life: life)
    }

    deinit { leave() }

    private func leave() {
        guard let position = feed.leave(number), let onLeave else { return }
        onLeave(position.at(delivered.withLock { $0 }))
    }

    /// Passes on the frames that are left, up to and with `end`, one after the other.
    ///
    /// - Throws: What `receive` throws; `CancellationError`.
    package func run(_ receive: @Sendable (SharedFrame) async throws -> Void) async throws {
        while true {
            switch try await feed.next(number) {
            case .page(let frame):
                try await receive(frame)
                if case .page(let page) = frame.frame { delivered.withLock { $0 = page.cursor } }
            case .beat:
                let now = time + start.duration(to: .now).milliseconds
                try await receive(SharedFrame(.alive(Alive(time: now))))
            case .end(let end):
                leave()
                return try await receive(SharedFrame(.end(end)))
            case .change: continue
            }
        }
    }

    /// Ends the answer soon, from any thread.
    ///
    /// - Parameter wait: How long the device waits before it comes again.
    package func end(wait: Duration? = nil) {
        feed.end(number, with: End(hasMore: false, wait: wait))
    }
}
