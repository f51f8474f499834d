import MoorageCore
import MoorageTesting
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

@Suite(.ownThreads) struct `An exchange` {
    static let cursor = SyncCursor(
        epoch: Epoch("e"), checkpoint: Checkpoint("1"), complete: [.everything])
    static let next = SyncCursor(
        epoch: Epoch("e"), checkpoint: Checkpoint("2"), complete: [.everything])
    static let batch = Batch(
        number: 3, nonce: "n", preparedAt: 0, tables: [TableColumns(name: "t", columns: ["id"])],
        changes: [Change(table: "t", key: RowKey([.integer(1)]), operation: .refetch, editedAt: 0)])

    static func request(_ batch: Batch?) -> ExchangeRequest {
        ExchangeRequest(
            replica: "r", hub: "h", sentAt: 0, tables: [], cursor: cursor, schemaVersion: nil,
            batch: batch, limits: PageLimits())
    }

    static func welcome(
        _ epoch: String = "e", isExpired: Bool = false, schema: SchemaDescription? = nil
    ) -> Welcome {
        Welcome(
            hub: "h", epoch: Epoch(epoch), time: 0, schemaVersion: "v", schema: schema,
            isExpired: isExpired, suspended: [], limits: HubLimits())
    }

    static func outcomes(_ status: Outcomes.Status = .applied, number: Int64 = 3) -> Outcomes {
        Outcomes(
            number: number, status: status,
            outcomes: status == .applied ? [Outcome(kind: .applied)] : [])
    }

    static let page = Page(
        since: cursor, cursor: next, isCaughtUp: true, tables: [], removals: [])

    func effects(_ batch: Batch?, _ frames: [Frame]) throws -> [Exchange.Effect] {
        var exchange = Exchange(Self.request(batch))
        return try frames.map { try exchange.received($0) }
    }

    @Test func `answers the batch with its first page, and applies the others alone`() throws {
        let effects = try effects(
            Self.batch,
            [
                .welcome(Self.welcome()), .outcomes(Self.outcomes()), .page(Self.page),
                .page(Self.page), .end(End(hasMore: true)),
            ])
        #expect(
            effects == [
                .adopt(Self.welcome()), .none, .apply(Self.outcomes(), Self.page),
                .apply(nil, Self.page), .finish(hasMore: true),
            ])
    }

    private func open(_ frames: [Frame], asking: Bool = true) throws -> Exchange {
        let request = asking ? Self.request(nil).live : Self.request(nil)
        var exchange = Exchange(request)
        for frame in frames { _ = try exchange.received(frame) }
        return exchange
    }

    @Test func `stays open where both sides want it, once it has caught up`() throws {
        let terms = LiveTerms(heartbeat: .seconds(10))
        let welcome = Frame.welcome(
            Welcome(
                hub: "h", epoch: Epoch("e"), time: 0, schemaVersion: "v", schema: nil,
                suspended: [],
                limits: HubLimits(), live: terms))
        let part = Frame.page(
            Page(since: Self.cursor, cursor: Self.next, isCaughtUp: false, tables: [], removals: [])
        )
        #expect(try open([welcome]).heartbeat == nil)
        #expect(try open([welcome, part]).heartbeat == nil)
        let begun = try open([welcome, part, .page(Self.page), .alive(Alive(time: 7)), part])
        #expect(begun.heartbeat == .seconds(10))
        #expect(begun.hubTime == 7)
        let ended = try open([welcome, .page(Self.page), .end(End(hasMore: true))])
        #expect(ended.heartbeat == nil && ended.isEnded)
        // The replica did not ask for a live stream.
        #expect(try open([welcome, .page(Self.page)], asking: false).heartbeat == nil)
        for frames in [[welcome, part], [.welcome(Self.welcome()), .page(Self.page)]] {
            #expect(throws: ReplicaError.self) {
                try open(frames + [.alive(Alive(time: 1))])
            }
        }
    }

    @Test(arguments: [
        (Outcomes.Status.forked, Exchange.Effect.fork), (.notAccepted, .unprepare),
    ])
    func `repairs at the end`(status: Outcomes.Status, effect: Exchange.Effect) throws {
        let effects = try effects(
            Self.batch,
            [.welcome(Self.welcome()), .outcomes(Self.outcomes(status)), .end(End(hasMore: false))])
        #expect(effects.last == effect)
    }

    @Test func `takes an old batch for answered, of which the hub kept no outcomes`() throws {
        let old = Outcomes(number: 3, status: .alreadyApplied, outcomes: [])
        let effects = try effects(
            Self.batch,
            [
                .welcome(Self.welcome()), .outcomes(old), .page(Self.page),
                .end(End(hasMore: false)),
            ])
        #expect(effects[2] == .apply(old, Self.page))
    }

    @Test func `sends the same batch again if the hub only brings a schema`() throws {
        let schema = SchemaDescription(tables: [])
        let end = Frame.end(End(hasMore: true))
        let frames = [Frame.welcome(Self.welcome(schema: schema)), end]
        #expect(try effects(Self.batch, frames).last == .resend)
        #expect(try effects(nil, frames).last == .finish(hasMore: true))
        // In another epoch the batch has no number to be sent again under.
        let other = Frame.welcome(Self.welcome("other", schema: schema))
        #expect(try effects(Self.batch, [other, end]).last == .reconcile)
    }

    @Test func `reconciles in another epoch`() throws {
        let effects = try effects(
            Self.batch, [.welcome(Self.welcome("other")), .end(End(hasMore: false))])
        #expect(effects.last == .reconcile)
    }

    @Test func `reads everything again when it was away for too long`() throws {
        let end = Frame.end(End(hasMore: true))
        let effects = try effects(Self.batch, [.welcome(Self.welcome(isExpired: true)), end])
        #expect(effects.last == .rescan)
        // Another epoch tells more: the replica and the hub then have no common past.
        let both = Frame.welcome(Self.welcome("other", isExpired: true))
        #expect(try self.effects(Self.batch, [both, end]).last == .reconcile)
    }

    static let violations: [(batch: Batch?, frames: [Frame])] = [
        (nil, [.page(page)]),
        (nil, [.end(End(hasMore: false))]),
        (nil, [.welcome(welcome()), .welcome(welcome())]),
        (nil, [.welcome(welcome()), .outcomes(outcomes())]),
        (batch, [.welcome(welcome()), .page(page)]),
        (batch, [.welcome(welcome()), .end(End(hasMore: false))]),
        (batch, [.welcome(welcome()), .outcomes(outcomes(number: 2))]),
        (batch, [.welcome(welcome()), .outcomes(outcomes()), .outcomes(outcomes())]),
        (batch, [.welcome(welcome()), .outcomes(outcomes()), .end(End(hasMore: false))]),
        (batch, [.welcome(welcome()), .outcomes(outcomes(.forked)), .page(page)]),
        (
            batch,
            [.welcome(welcome()), .outcomes(Outcomes(number: 3, status: .applied, outcomes: []))]
        ),
        (nil, [.welcome(welcome("other")), .page(page)]),
        (nil, [.welcome(welcome(isExpired: true)), .page(page)]),
        (nil, [.welcome(welcome()), .end(End(hasMore: false)), .page(page)]),
    ]

    @Test(arguments: violations.indices)
    func `ends with a typed error where the protocol is broken`(index: Int) throws {
        let one = Self.violations[index]
        let error = #expect(throws: ReplicaError.self) { try effects(one.batch, one.frames) }
        #expect(error?.code == .protocolViolation)
    }

    @Test func `hands an error of the hub on`() throws {
        let error = HubError(.busy, "later", retryAfter: .seconds(7))
        #expect(throws: error) { try effects(nil, [.welcome(Self.welcome()), .error(error)]) }
    }
}

@Suite(.ownThreads) struct `Waiting after failures` {
    @Test func `doubles, within a fifth, up to the most`() {
        var random = SeededGenerator(seed: 7)
        var backoff = Backoff(first: .seconds(1), maximum: .seconds(300))
        let delays = (0..<12).map { _ in backoff.failed(retryAfter: nil, using: &random) }
        #expect(delays[0] >= .milliseconds(800) && delays[0] <= .milliseconds(1200))
        #expect(delays[1] >= .milliseconds(1600) && delays[1] <= .milliseconds(2400))
        #expect(delays[2] >= .milliseconds(3200) && delays[2] <= .milliseconds(4800))
        #expect(delays[11] >= .seconds(240) && delays[11] <= .seconds(360))
        backoff.succeeded()
        #expect(backoff.failed(retryAfter: nil, using: &random) <= .milliseconds(1200))
    }

    @Test func `is never shorter than the hub asks for`() {
        var random = SeededGenerator(seed: 7)
        var backoff = Backoff(first: .seconds(1), maximum: .seconds(300))
        #expect(backoff.failed(retryAfter: .seconds(90), using: &random) == .seconds(90))
    }
}
