import Moorage
import MoorageCore
import MoorageWire

/// Gives pages to the replica, and remembers what they had once they are in.
///
/// - K1: A row is remembered as delivered only after the replica has applied its page.
/// - K2: The key of a row is remembered before its page, so no row of the server is on the device
///   without being remembered.
final class PageSender {
    static let epoch = Epoch("rest")

    let schema: RESTSchema
    private let store: RESTStore
    private let request: ExchangeRequest
    private let receive: @Sendable (Frame) async throws -> Void
    private var cursor: SyncCursor
    /// Pages that were sent in this exchange.
    private var count: Int64 = 0
    private let version: Int64
    private let signatures: [Identifier: String]

    init(
        _ request: ExchangeRequest, _ schema: RESTSchema, _ store: RESTStore, version: Int64,
        receive: @escaping @Sendable (Frame) async throws -> Void
    ) {
        self.schema = schema
        self.store = store
        self.request = request
        self.receive = receive
        cursor = request.cursor
        signatures = Self.signatures(of: request, schema)
        // A copy of the file may be ahead of what is remembered here.
        let known = cursor.knownCheckpoints.compactMap { Int64($0.text) }.max() ?? 0
        self.version = max(version, known < .max ? known : 0)
    }

    var limits: PageLimits { request.limits }

    /// Whether the replica lacks rows of a table that it asks for: it is new, or its scan has not
    /// ended.
    var isIncomplete: Bool {
        request.cursor.checkpoint == nil || Self.plan(after: request.cursor, signatures).scan != nil
            || request.cursor.tables != signatures || request.cursor.complete != [.everything]
    }

    /// The tables that the replica asks for and that rows come for, each with its signature.
    static func signatures(
        of request: ExchangeRequest, _ schema: RESTSchema
    ) -> [Identifier: String] {
        var signatures: [Identifier: String] = [:]
        for asked in request.tables {
            guard let table = schema.table(named: asked.name), table.isReceived,
                let restricted = table.description.restricted(
                    to: asked.columns.filter { table.description.column(named: $0) != nil })
            else { continue }
            signatures[Identifier(asked.name)] = restricted.signature
        }
        return signatures
    }

    static func plan(after cursor: SyncCursor, _ signatures: [Identifier: String]) -> PullPlan {
        PullPlan(cursor: cursor, authorized: [.everything], tables: signatures)
    }

    /// Sends a page, if there is anything to send.
    ///
    /// - Parameters:
    ///   - isCaughtUp: Whether it is the last one. It is sent in any case.
    ///   - isAnswer: Whether it belongs to outcomes. It is sent in any case, too.
    ///   - generation: The scan that met the rows.
    ///   - feed: What is remembered of a collection's progress from then on.
    func send(
        _ content: PageContent, isCaughtUp: Bool = false, isAnswer: Bool = false,
        feed: (table: String, state: FeedState)? = nil
    ) async throws {
        if content.isEmpty, feed == nil, !isCaughtUp, !isAnswer { return }
        let generations = try await store.write { [schema] records in
            try records.expect(content, schema, feed)
        }
        if content.count > 0 || isCaughtUp || isAnswer {
            try await sendPage(content, isCaughtUp: isCaughtUp)
        }
        let (cursor, version) = (cursor, version + count)
        try await store.write { records in
            // A page that did not continue the replica's cursor was dropped.
            guard try ReplicaFile(tables: []).cursor(records.db) == cursor else {
                throw HubError.restCursorMoved
            }
            try records.delivered(content, generations)
            if let feed { try records.setFeed(feed.state, of: feed.table) }
            if try records.version() < version { try records.setState("version", "\(version)") }
        }
    }

    private func sendPage(_ content: PageContent, isCaughtUp: Bool) async throws {
        let plan = Self.plan(after: cursor, signatures)
        let isAtRest =
            isCaughtUp && content.count == 0 && count == 0 && cursor.scan == nil
            && cursor.brokenOff == nil && cursor.checkpoint != nil && cursor.ahead.isEmpty
            && cursor.tables == signatures && cursor.complete == [.everything]
            && cursor.partial.isEmpty
        if !isAtRest { count += 1 }
        let checkpoint =
            isAtRest ? cursor.checkpoint ?? Checkpoint("") : Checkpoint("\(version + count)")
        let next =
            isCaughtUp
            ? plan.caughtUp(at: checkpoint, epoch: Self.epoch, ahead: [])
            : plan.scanned(
                upTo: plan.scan?.upperBound ?? checkpoint, to: position, epoch: Self.epoch,
                highWater: plan.scan?.upperBound ?? checkpoint, answered: [])
        let page = content.page(
            since: cursor, cursor: next, isCaughtUp: isCaughtUp, tables: request.tables)
        try await receive(.page(page))
        cursor = next
    }

    /// Differs for each page of a scan.
    private var position: ScanPosition {
        ScanPosition(
            table: 0, scope: .everything, version: 0, key: RowKey([.integer(version + count)]))
    }
}

extension RESTRecords {
    /// Remembers the keys of a page that is about to go (K2), and forgets the digests of its rows.
    /// If the process ends now, nobody knows which of them the device has.
    ///
    /// - Returns: The number of the present scan, by table.
    fileprivate func expect(
        _ content: PageContent, _ schema: RESTSchema, _ feed: (table: String, state: FeedState)?
    ) throws -> [String: Int64] {
        for (name, entry) in content.rows { try expect(name, parent: entry.parent) }
        for name in content.removals { try mistrust(name) }
        for row in content.withheld { try mistrust(row.row) }
        for name in content.forgotten { try mistrust(name) }
        var generations: [String: Int64] = [:]
        for model in schema.models {
            let table = model.table.name
            var stored = try self.feed(of: table)
            // A list that is as it was may not be what the device has. And a feed brings nothing
            // twice, so a row that must come again takes all of it.
            let isOld = model.settings.fetching.way == .list && content.names(anyOf: model)
            if isOld || content.forgotten.contains(where: { $0.table == table }) {
                stored.forgetProgress()
                try setFeed(stored, of: table)
            }
            generations[table] = feed?.table == table ? feed?.state.generation : stored.generation
        }
        return generations
    }

    /// Remembers what a page had, once it is in (K1).
    fileprivate func delivered(
        _ content: PageContent, _ generations: [String: Int64]
    ) throws {
        for (name, entry) in content.rows {
            let seen =
                content.unlisted.contains(name)
                ? try row(name)?.seen : generations[name.table]
            try set(
                name,
                KnownRow(
                    parent: entry.parent?.values.jsonText(), digest: entry.digest,
                    etag: entry.etag, seen: seen ?? 0))
        }
        for name in content.unchanged { try setSeen(name, generations[name.table] ?? 0) }
        for name in content.removals { try forget(name) }
        for row in content.withheld {
            let generation = generations[row.row.table] ?? 0
            try expect(row.row, parent: nil)
            var known = try self.row(row.row) ?? KnownRow()
            known.digest = nil
            known.seen = generation
            try set(row.row, known)
        }
    }
}
