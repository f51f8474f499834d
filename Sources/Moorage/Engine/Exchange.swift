import MoorageCore
import MoorageWire

/// One exchange, seen from the device: frames go in, the next effect comes out. It has no await, no
/// I/O and no clock.
///
/// - E1: The first frame is `welcome`, the last `end` or `error`.
/// - E2: A sent batch is answered before the first page, and its outcomes are applied with that
///   page. If the welcome brings a schema, the answer may end without both.
/// - E3: No page comes after a fork, a batch that was not accepted, another epoch or an expired
///   cursor.
/// - E4: Once a page has caught up and the welcome granted it, the answer is a live stream. More
///   pages come, and `alive` between them. `alive` comes nowhere else.
struct Exchange: Sendable {
    /// What the loop does next.
    enum Effect: Hashable, Sendable {
        case none
        /// The hub's schema or limits are new.
        case adopt(Welcome)
        case apply(Outcomes?, Page)
        /// Take a new replica id, and send the batch again.
        case fork
        /// Prepare the batch again.
        case unprepare
        /// The request named columns that are gone. Send the same batch again, with a request for
        /// the columns of the new schema.
        case resend
        /// The hub has another history: read everything from the start.
        case reconcile
        /// The replica was away for too long: read everything from the start.
        case rescan
        case finish(hasMore: Bool)
    }

    private enum State: Hashable {
        case start, welcomed, answered, paged, open, ended
    }

    private let request: ExchangeRequest
    private var state = State.start
    private var outcomes: Outcomes?
    /// What to do at the end of the answer; until then no page may come.
    private var atEnd: Effect?
    private var hasNewSchema = false
    private(set) var isCaughtUp = false
    /// The terms of a live stream; `nil` for an answer that ends.
    private var terms: LiveTerms?
    /// How long the live stream may be without a frame; `nil` before it is open and after its end.
    private(set) var heartbeat: Duration?
    /// The hub's time once it has welcomed the replica; 0 before.
    private(set) var hubTime: HubTime = 0
    /// Until when the central database is sure to have what the hub answered. It is for
    /// ``Effect/reconcile``.
    private(set) var copiedAt: HubTime?

    init(_ request: ExchangeRequest) { self.request = request }

    var isEnded: Bool { state == .ended }

    mutating func received(_ frame: Frame) throws -> Effect {
        switch frame {
        case .error(let error):
            end()
            throw error
        case .welcome(let welcome): return try received(welcome)
        case .outcomes(let outcomes): return try received(outcomes)
        case .page(let page): return try received(page)
        case .alive(let alive): return try received(alive)
        case .end(let end): return try received(end)
        }
    }

    private mutating func received(_ welcome: Welcome) throws -> Effect {
        guard state == .start else {
            throw ReplicaError.protocolViolation(ProtocolReason.secondWelcome)
        }
        state = .welcomed
        hubTime = welcome.time
        copiedAt = welcome.copiedAt
        hasNewSchema = welcome.schema != nil
        if request.isLive { terms = welcome.live }
        if let hub = request.hub, !hub.hasSameBytes(as: welcome.hub) { return .adopt(welcome) }
        if let epoch = request.cursor.epoch, epoch != welcome.epoch {
            atEnd = .reconcile
        } else if welcome.isExpired {
            atEnd = .rescan
        }
        return .adopt(welcome)
    }

    private mutating func received(_ answer: Outcomes) throws -> Effect {
        guard state == .welcomed, atEnd == nil, let batch = request.batch else {
            throw ReplicaError.protocolViolation(ProtocolReason.outcomesOutOfPlace)
        }
        guard answer.number == batch.number else {
            throw ReplicaError.protocolViolation(ProtocolReason.outcomesOfAnotherBatch)
        }
        state = .answered
        switch answer.status {
        case .applied, .alreadyApplied:
            guard answer.fits(batch) else {
                throw ReplicaError.protocolViolation(ProtocolReason.outcomesDoNotFit)
            }
            outcomes = answer
        case .forked: atEnd = .fork
        case .notAccepted: atEnd = .unprepare
        }
        return .none
    }

    private mutating func received(_ page: Page) throws -> Effect {
        let mayCome =
            switch state {
            case .welcomed: request.batch == nil
            case .answered, .paged, .open: true
            case .start, .ended: false
            }
        guard mayCome, atEnd == nil else {
            throw ReplicaError.protocolViolation(ProtocolReason.pageOutOfPlace)
        }
        if state != .open { state = .paged }
        isCaughtUp = page.isCaughtUp
        if isCaughtUp, let terms {
            state = .open
            heartbeat = terms.heartbeat
        }
        defer { outcomes = nil }
        return .apply(outcomes, page)
    }

    private mutating func received(_ alive: Alive) throws -> Effect {
        guard state == .open else {
            throw ReplicaError.protocolViolation(ProtocolReason.aliveOutOfPlace)
        }
        hubTime = alive.time
        return .none
    }

    private mutating func end() {
        state = .ended
        heartbeat = nil
    }

    private mutating func received(_ end: End) throws -> Effect {
        guard state != .start, state != .ended else {
            throw ReplicaError.protocolViolation(ProtocolReason.endBeforeWelcome)
        }
        guard outcomes == nil else {
            throw ReplicaError.protocolViolation(ProtocolReason.outcomesWithoutPage)
        }
        if state == .welcomed, request.batch != nil, atEnd == nil {
            guard hasNewSchema else {
                throw ReplicaError.protocolViolation(ProtocolReason.batchNotAnswered)
            }
            atEnd = .resend
        }
        self.end()
        return atEnd ?? .finish(hasMore: end.hasMore)
    }
}

extension Outcomes {
    /// Whether there is one outcome for each change.
    ///
    /// A hub keeps the outcomes of a replica's last batch only. A restored file may send an older
    /// batch again. The hub then says only that it was applied, and the page brings its rows.
    func fits(_ batch: Batch) -> Bool {
        outcomes.count == batch.changes.count || (status == .alreadyApplied && outcomes.isEmpty)
    }
}
