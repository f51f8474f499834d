import Foundation
import MoorageCore
import MoorageWire

/// A hub in memory that accepts what it receives, for tests of devices that do not need the hub's
/// own rules.
final class FakeHub: HubConnection, @unchecked Sendable {
    struct Row {
        var values: [Value]?
        var version: Int64
    }

    let schemaDescription: SchemaDescription
    var hub = "hub-1"
    var epoch = Epoch("epoch-1")
    private var tables: [String: [RowKey: Row]] = [:]
    private var version: Int64 = 0
    private var batches: [String: [(number: Int64, nonce: String, outcomes: Outcomes)]] = [:]
    private let lock = NSRecursiveLock()

    /// Decides which changes the hub refuses, and for which reason.
    var refusing: (Change) -> Refusal? = { _ in nil }
    /// Decides which changes lose, and with which outcome.
    var overruling: (Change) -> Outcome? = { _ in nil }
    /// What the hub stores in place of a pushed value.
    var storing: (Change, Int, Value) -> Value = { $2 }
    var withheld: [WithheldRow] = []
    var suspended: [SuspendedTable] = []
    /// What the user may write; `nil` for a hub that says nothing about it.
    var rights: RightsAnswer?
    var status: Outcomes.Status?
    /// Changes the frames of an answer, or throws an error in their place.
    var onAnswer: (inout [Frame]) throws -> Void = { _ in }
    private(set) var requests: [ExchangeRequest] = []
    var requestCount: Int { lock.withLock { requests.count } }

    init(_ schema: SchemaDescription) { schemaDescription = schema }

    private func description(_ table: String) -> TableDescription {
        schemaDescription.table(named: table)!
    }

    // MARK: The owner's own programs

    func put(_ table: String, _ rows: [Value]...) {
        lock.withLock { for row in rows { set(table, row) } }
    }

    private func set(_ table: String, _ row: [Value]) {
        version += 1
        tables[table, default: [:]][description(table).key(of: row)] = Row(
            values: row, version: version)
    }

    func remove(_ table: String, _ key: Value...) {
        lock.withLock { gone(table, description(table).key(key)) }
    }

    private func gone(_ table: String, _ key: RowKey) {
        version += 1
        tables[table, default: [:]][key] = Row(values: nil, version: version)
    }

    func rows(_ table: String) -> [[Value]] {
        lock.withLock {
            (tables[table] ?? [:]).values.compactMap(\.values).sorted {
                $0.jsonText() < $1.jsonText()
            }
        }
    }

    func row(_ table: String, _ key: Value...) -> [Value]? {
        lock.withLock { tables[table]?[description(table).key(key)]?.values }
    }

    // MARK: Exchanging

    func answer(_ request: ExchangeRequest) throws -> [Frame] {
        lock.lock()
        defer { lock.unlock() }
        requests.append(request)
        let isKnown = request.schemaVersion == schemaDescription.version
        var welcome = Welcome(
            hub: hub, epoch: epoch, time: HubTime(milliseconds: request.sentAt.milliseconds),
            schemaVersion: schemaDescription.version,
            schema: isKnown ? nil : schemaDescription, suspended: suspended, limits: HubLimits())
        if request.rightsVersion != rights?.version { welcome.rights = rights }
        var frames: [Frame] = [.welcome(welcome)]
        if let known = request.cursor.epoch, known != epoch {
            frames.append(.end(End(hasMore: false)))
            return frames
        }
        var answered: Set<RowName> = []
        if let batch = request.batch {
            let outcomes = push(batch, of: request.replica)
            frames.append(.outcomes(outcomes))
            if outcomes.status == .forked || outcomes.status == .notAccepted {
                frames.append(.end(End(hasMore: false)))
                return frames
            }
            answered = Set(batch.changes.map(\.rowName))
        }
        var cursor = request.cursor
        var isDone = false
        var pages = 0
        while !isDone, pages < request.limits.maximumPages {
            let page = page(since: cursor, request, answered)
            answered = []
            frames.append(.page(page))
            cursor = page.cursor
            isDone = page.isCaughtUp
            pages += 1
        }
        frames.append(.end(End(hasMore: !isDone)))
        try onAnswer(&frames)
        return frames
    }

    private func push(_ batch: Batch, of replica: String) -> Outcomes {
        if let status { return Outcomes(number: batch.number, status: status, outcomes: []) }
        let known = batches[replica] ?? []
        if let same = known.first(where: { $0.number == batch.number }) {
            guard same.nonce == batch.nonce else {
                return Outcomes(number: batch.number, status: .forked, outcomes: [])
            }
            return Outcomes(
                number: batch.number, status: .alreadyApplied, outcomes: same.outcomes.outcomes)
        }
        guard batch.number == (known.last?.number ?? 0) + 1 else {
            return Outcomes(number: batch.number, status: .forked, outcomes: [])
        }
        let outcomes = Outcomes(
            number: batch.number, status: .applied,
            outcomes: batch.changes.map { apply($0, batch) })
        batches[replica, default: []].append((batch.number, batch.nonce, outcomes))
        return outcomes
    }

    private func apply(_ change: Change, _ batch: Batch) -> Outcome {
        if let refusal = refusing(change) { return Outcome(kind: .refused(refusal)) }
        if let outcome = overruling(change) { return outcome }
        let table = description(change.table)
        let columns = batch.tables.first { $0.name == change.table }!.columns
        let key = table.key(change.key.values)
        var stored: [StoredValue] = []
        func store(_ position: Int, _ value: Value, into row: inout [Value]) {
            let result = storing(change, position, value)
            if result != value { stored.append(StoredValue(column: position, value: result)) }
            row[table.column(named: columns[position])!] = result
        }
        switch change.operation {
        case .refetch: break
        case .delete: gone(change.table, key)
        case .insert(let values):
            var row = [Value](repeating: .null, count: table.columns.count)
            for (position, value) in values.enumerated() { store(position, value, into: &row) }
            set(change.table, row)
        case .update(let edits):
            guard var row = tables[change.table]?[key]?.values else {
                return Outcome(kind: .refused(Refusal(code: .gone, message: "It is gone.")))
            }
            for edit in edits { store(edit.column, edit.new, into: &row) }
            set(change.table, row)
        }
        return Outcome(kind: .applied, stored: stored)
    }

    private func page(
        since: SyncCursor, _ request: ExchangeRequest, _ answered: Set<RowName>
    ) -> Page {
        let signatures = Dictionary(
            uniqueKeysWithValues: request.tables.map {
                (Identifier($0.name), description($0.name).restricted(to: $0.columns)!.signature)
            })
        let checkpoint = since.checkpoint.flatMap { Int64($0.text) } ?? 0
        let scanned = since.scan.flatMap { Int64($0.upperBound.text) } ?? 0
        var changed: [(version: Int64, table: TableColumns, key: RowKey, values: [Value]?)] = []
        for table in request.tables {
            let isHeld = since.tables[Identifier(table.name)] == signatures[Identifier(table.name)]
            for (key, row) in tables[table.name] ?? [:] {
                let from = max(isHeld ? checkpoint : 0, scanned)
                let isAnswer = answered.contains(RowName(table: table.name, key: key))
                if row.version > from || isAnswer {
                    changed.append((row.version, table, key, row.values))
                }
            }
            for name in answered
            where name.table == table.name && tables[name.table]?[name.key] == nil {
                changed.append((0, table, name.key, nil))
            }
        }
        changed.sort { $0.version < $1.version }
        let part = Array(changed.prefix(max(request.limits.maximumRows, answered.count)))
        let isCaughtUp = part.count == changed.count
        let cursor =
            isCaughtUp
            ? SyncCursor(
                epoch: epoch, checkpoint: Checkpoint("\(version)"), complete: [.everything],
                tables: signatures)
            : SyncCursor(
                epoch: epoch, checkpoint: since.checkpoint, complete: since.complete,
                partial: since.complete.isEmpty ? [.everything] : [], tables: since.tables,
                scan: Scan(
                    upperBound: Checkpoint("\(part.last!.version)"), scopes: [.everything],
                    tables: signatures, position: nil))
        var rows: [TableRows] = []
        var removals: [TableKeys] = []
        for table in request.tables {
            let own = part.filter { $0.table.name == table.name }
            let live = own.compactMap { item -> [Value]? in
                guard let values = item.values else { return nil }
                return table.columns.map { values[description(table.name).column(named: $0)!] }
            }
            if !live.isEmpty {
                rows.append(TableRows(table: table.name, columns: table.columns, rows: live))
            }
            let dead = own.filter { $0.values == nil }.map(\.key)
            if !dead.isEmpty { removals.insert(TableKeys(table: table.name, keys: dead), at: 0) }
        }
        return Page(
            since: since, cursor: cursor, isCaughtUp: isCaughtUp, tables: rows, removals: removals,
            withheld: withheld, expectedRows: since.scan == nil ? changed.count : nil,
            expectedTables: since.scan == nil
                ? request.tables.map { table in
                    ExpectedTable(
                        table: table.name, rows: changed.count { $0.table.name == table.name })
                } : [])
    }

    // MARK: HubConnection

    func exchange(
        _ request: ExchangeRequest, receive: @Sendable (Frame) async throws -> Void
    ) async throws {
        for frame in try answer(request) { try await receive(frame) }
    }

    func schema() async throws -> SchemaAnswer {
        SchemaAnswer(hub: hub, schema: schemaDescription, suspended: suspended)
    }

    func compare(_ request: CompareRequest) async throws -> CompareAnswer { comparing(request) }

    func comparing(_ request: CompareRequest) -> CompareAnswer {
        lock.lock()
        defer { lock.unlock() }
        let table = description(request.table.name).restricted(to: request.table.columns)!
        let checkpoint = request.cursor.checkpoint.flatMap { Int64($0.text) } ?? 0
        let sorted = (tables[request.table.name] ?? [:]).sorted {
            $0.key.values.jsonText() < $1.key.values.jsonText()
        }
        let after = request.after?.values.jsonText() ?? ""
        let rest = sorted.filter { $0.key.values.jsonText() > after }
        let part = rest.prefix(request.maximumRows)
        let rows = part.compactMap { key, row -> ComparedRow? in
            let isBeyond = row.version > checkpoint
            guard let values = row.values else {
                return isBeyond
                    ? ComparedRow(key: key, fingerprint: nil, values: nil, isBeyondCursor: true)
                    : nil
            }
            let own = request.table.columns.map {
                values[description(request.table.name).column(named: $0)!]
            }
            return ComparedRow(
                key: key, fingerprint: table.fingerprint(of: own),
                values: request.withValues ? own : nil, isBeyondCursor: isBeyond)
        }
        return CompareAnswer(rows: rows, next: part.count < rest.count ? part.last?.key : nil)
    }
}
