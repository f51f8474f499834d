import MoorageCore
package import MoorageWire

/// A live stream without tasks, for programs where every frame is a call.
///
/// It reads and checks what ``LiveFeed`` reads and checks for its streams. The caller decides who
/// waits for whom, and for how long.
package struct SteppedStream: Sendable {
    private let hub: Hub
    private let opening: LiveOpening
    private var cursor: SyncCursor
    private var isCaughtUp = true

    init(_ opening: LiveOpening, of hub: Hub) {
        self.hub = hub
        self.opening = opening
        cursor = opening.cursor
    }

    /// What has come since: a page, the end, or nothing.
    package mutating func poll() throws -> Frame? {
        let (check, reading) = hub.reading(of: opening, at: cursor, isCaughtUp: isCaughtUp)
        let answer = try hub.performing { connection -> LiveReading.Answer in
            guard try check.ended(on: connection).isEmpty else { return .over }
            return try reading.read(on: connection).answers.first ?? .nothing
        }
        switch answer {
        case .nothing, .later: return nil
        case .over: return .end(End(hasMore: true))
        case .page(let page):
            cursor = page.cursor
            isCaughtUp = page.isCaughtUp
            return .page(page)
        }
    }
}

extension Hub {
    /// One exchange on the calling thread whose answer may stay open.
    ///
    /// - Returns: The rest of the answer; `nil` after its end.
    package func open(
        _ request: ExchangeRequest, for principal: Principal?, receive: (Frame) throws -> Void
    ) throws -> SteppedStream? {
        try exchange(request, for: principal, isGranted: true, receive: receive)
            .map { SteppedStream($0, of: self) }
    }
}
