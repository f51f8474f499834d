#if Server
    import Foundation
    import MoorageCore
    import MoorageTesting
    import MoorageWire

    /// A device that writes its requests by hand: a replica id, a cursor and rows of its own, but no database.
    ///
    /// It writes no row that it did not insert. One exchange at a time, from one task.
    actor BenchDevice {
        private let hub: any HubConnection
        private let hubID: String
        private let schemaVersion: String
        /// As the device holds it: without generated columns.
        let table: TableDescription
        private let columns: TableColumns
        private let plan: BenchPlan
        private let numbers: RunNumbers

        private let replica: String
        private var user: String?
        private var cursor = SyncCursor.start
        private var limits = HubLimits()
        /// The number of the last batch that the hub answered.
        private var answered: Int64 = 0
        /// It is sent again as it is until the hub answers it (B1).
        private var unanswered: Batch?
        /// Keys that the hub handed out.
        private var keys: [ClosedRange<Int64>] = []
        private(set) var rows = OwnRows()
        private var random: SeededGenerator
        /// What the last exchange brought, also one that broke off.
        private(set) var answer = Answer()

        /// What one exchange brought.
        struct Answer: Sendable {
            var rows = 0
            var removals = 0
            /// Keys of rows that are not its own.
            var others: [Key] = []
            var settled: SettledBatch?
            var settledAt = ContinuousClock.now
            var hasMore = false
        }

        init(
            number: Int, hub: any HubConnection, schema: SchemaAnswer, table: TableDescription,
            plan: BenchPlan, numbers: RunNumbers
        ) {
            self.hub = hub
            hubID = schema.hub
            schemaVersion = schema.schema.version
            self.table = table
            columns = TableColumns(name: table.name, columns: table.columns.map(\.name))
            self.plan = plan
            self.numbers = numbers
            replica = UUID().uuidString.lowercased()
            random = SeededGenerator(seed: plan.seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
        }

        /// Where in its interval the device begins, from 0 to 1.
        func drawDelay() -> Double { .random(in: 0..<1, using: &random) }

        // MARK: Exchanges

        /// One exchange, with the batch that waits for its answer or else this one.
        ///
        /// - Throws: ``HubError``, also where the hub did not take a batch as it is; `CancellationError`.
        func exchange(_ batch: Batch?, limits: PageLimits = PageLimits()) async throws {
            unanswered = unanswered ?? batch
            answer = Answer()
            let request = ExchangeRequest(
                replica: replica, user: user, hub: hubID, sentAt: Self.now(), tables: [columns],
                cursor: cursor, schemaVersion: schemaVersion, answered: answered,
                batch: unanswered, keys: keysLeft, limits: limits)
            try await hub.exchange(request) { try await self.take($0) }
        }

        private func take(_ frame: Frame) throws {
            switch frame {
            case .welcome(let welcome): try take(welcome)
            case .outcomes(let outcomes): try take(outcomes)
            case .page(let page): take(page)
            case .end(let end): answer.hasMore = end.hasMore
            case .error(let error): throw error
            }
        }

        private func take(_ welcome: Welcome) throws {
            let isOther = cursor.epoch != nil && cursor.epoch != welcome.epoch
            guard !isOther, !welcome.isExpired else {
                throw HubError(
                    .cursorExpired, "The central history was restored or forgotten meanwhile.")
            }
            guard welcome.schemaVersion == schemaVersion else {
                throw HubError(.tableStopped, "The central tables changed meanwhile.")
            }
            user = welcome.user
            limits = welcome.limits
            for block in welcome.keys where block.table.hasSameBytes(as: table.name) {
                keys.append(block.first...block.last)
            }
        }

        private func take(_ outcomes: Outcomes) throws {
            guard let batch = unanswered, batch.number == outcomes.number else {
                throw HubError(.malformed, "The hub answered a batch that was not sent.")
            }
            unanswered = nil
            guard [.applied, .alreadyApplied].contains(outcomes.status) else {
                let code = HubError.Code(rawValue: outcomes.status.rawValue)
                throw HubError(code, "The hub did not take the batch as it is.")
            }
            answered = batch.number
            answer.settled = settle(batch, outcomes.outcomes)
            answer.settledAt = .now
        }

        private func take(_ page: Page) {
            guard page.since == cursor else { return }
            cursor = page.cursor
            for rows in page.tables where rows.table.hasSameBytes(as: table.name) { take(rows) }
            for removed in page.removals where removed.table.hasSameBytes(as: table.name) {
                for key in removed.keys { rows.remove(key) }
                answer.removals += removed.keys.count
            }
        }

        private func take(_ page: TableRows) {
            answer.rows += page.content.count
            guard page.columns == columns.columns else { return }
            for index in 0..<page.content.count {
                let key = table.key(table.primaryKey.map { page.content.columns[$0][index] })
                if rows.contains(key) {
                    rows.set(page.content[index], for: key)
                } else {
                    answer.others.append(key)
                    for case .integer(let number) in key.values { numbers.saw(number) }
                }
            }
        }

        // MARK: Its own rows

        private func settle(_ batch: Batch, _ outcomes: [Outcome]) -> SettledBatch {
            var settled = SettledBatch()
            for (index, change) in batch.changes.enumerated() {
                let outcome = index < outcomes.count ? outcomes[index] : Outcome(kind: .applied)
                settled.outcomes[outcome.kind.name, default: 0] += 1
                if case .refused(let refusal) = outcome.kind, settled.refusal == nil {
                    settled.refusal = refusal
                }
                switch change.operation {
                case .insert(let row):
                    settled.inserts += 1
                    let key = inserted(row, outcome)
                    if let key { settled.inserted.append(key) }
                    if key != change.key { settled.notInserted.append(change.key) }
                case .update(let edits):
                    settled.updates += 1
                    updated(change.key, edits, outcome)
                case .delete:
                    settled.deletes += 1
                    if outcome.kind == .applied || outcome.kind.isGone { rows.remove(change.key) }
                case .touch: break
                }
            }
            return settled
        }

        /// - Returns: The key that the row has at the hub; `nil` where it is not there, or another's.
        private func inserted(_ row: [Value], _ outcome: Outcome) -> Key? {
            var stored = row
            for value in outcome.stored { stored[value.column] = value.value }
            let key = table.key(of: stored)
            switch outcome.kind {
            case .applied: break
            // Another row had the key, unless the rule gave this one a key of its own.
            case .merged where key != table.key(of: row): break
            case .merged, .overruled, .refused: return nil
            }
            rows.set(stored, for: key)
            return key
        }

        private func updated(_ key: Key, _ edits: [ColumnEdit], _ outcome: Outcome) {
            if outcome.kind.isGone { return rows.remove(key) }
            guard var row = rows[key], outcome.kind == .applied else { return }
            for edit in edits { row[edit.column] = edit.new }
            for value in outcome.stored { row[value.column] = value.value }
            rows.set(row, for: key)
        }

        // MARK: Batches

        /// A batch of so many inserts; fewer where the hub has not handed out the keys yet.
        func inserts(_ count: Int, _ values: MadeUpValues) -> Batch? {
            batch((0..<min(count, limits.maximumBatchRows)).compactMap { _ in insert(values) })
        }

        /// A batch by the plan's mix. What cannot be done (a row to change, a key, room for a row) is done
        /// otherwise, or left out. `nil` while a batch waits for its answer, too.
        func mixed(_ values: MadeUpValues) -> Batch? {
            if unanswered != nil { return nil }
            var used: Set<Key> = []
            var writes: [Change] = []
            var deletes: [Change] = []
            for _ in 0..<min(plan.batch, limits.maximumBatchRows) {
                let roll = Int.random(in: 0..<100, using: &random)
                let isInsert = roll < plan.mix.inserts
                let hasRoom = rows.count + writes.count < plan.maximumRowsOfDevice
                let own = isInsert && hasRoom ? nil : ownRow(besides: used)
                guard let own else {
                    if hasRoom, let change = insert(values) { writes.append(change) }
                    continue
                }
                used.insert(own.key)
                if !isInsert, roll < plan.mix.inserts + plan.mix.updates {
                    writes.append(update(own.key, own.row, values))
                } else {
                    deletes.append(delete(own.key, own.row))
                }
            }
            return batch(writes + deletes)
        }

        /// A batch that deletes so many of its own rows.
        private func deletes(_ count: Int) -> Batch? {
            batch(
                rows.prefix(min(count, limits.maximumBatchRows)).compactMap { key in
                    rows[key].map { delete(key, $0) }
                })
        }

        private func batch(_ changes: [Change]) -> Batch? {
            if changes.isEmpty { return nil }
            return Batch(
                number: answered + 1, nonce: UUID().uuidString.lowercased(),
                preparedAt: Self.now(), tables: [columns], changes: changes)
        }

        private func insert(_ values: MadeUpValues) -> Change? {
            var handedOut: Int64?
            if table.keyBlock != nil {
                guard let key = takeKey() else { return nil }
                handedOut = key
            }
            let row = values.row(key: handedOut, number: numbers.take(), using: &random)
            return change(table.key(of: row), .insert(row))
        }

        private func update(_ key: Key, _ row: [Value], _ values: MadeUpValues) -> Change {
            let editable = values.editable
            guard let column = editable.randomElement(using: &random) else {
                return change(key, .update([]))
            }
            let new = values.value(of: column, number: numbers.take(), using: &random)
            guard table.granularity == .row else {
                return change(
                    key, .update([ColumnEdit(column: column, old: row[column], new: new)]))
            }
            let edits = row.indices.filter { !table.isKey($0) }.map {
                ColumnEdit(column: $0, old: row[$0], new: $0 == column ? new : row[$0])
            }
            return change(key, .update(edits))
        }

        private func delete(_ key: Key, _ row: [Value]) -> Change {
            change(key, .delete(before: row))
        }

        private func change(_ key: Key, _ operation: Change.Operation) -> Change {
            Change(table: table.name, key: key, operation: operation, editedAt: Self.now())
        }

        private func ownRow(besides used: Set<Key>) -> (key: Key, row: [Value])? {
            for _ in 0..<4 {
                guard let key = rows.random(using: &random), let row = rows[key] else { return nil }
                if !used.contains(key) { return (key, row) }
            }
            return nil
        }

        // MARK: Keys

        private var keysLeft: [KeysLeft]? {
            guard table.keyBlock != nil, !plan.readsOnly else { return nil }
            return [KeysLeft(table: table.name, count: keys.reduce(0) { $0 + $1.count })]
        }

        private func takeKey() -> Int64? {
            guard let block = keys.first else { return nil }
            if block.count == 1 {
                keys.removeFirst()
            } else {
                keys[0] = block.lowerBound + 1...block.upperBound
            }
            return block.lowerBound
        }

        private static func now() -> Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }

        // MARK: Deleting

        /// What of its own rows is gone, and what may still be there.
        struct Cleared: Sendable {
            var deleted = 0
            var left = 0
            var error: HubError?
        }

        /// Deletes the rows of its own, and learns first what became of the batch that was not answered.
        ///
        /// - Parameter patience: How long it tries again.
        func clear(_ patience: Patience) async -> Cleared {
            var cleared = Cleared()
            let few = PageLimits(maximumRows: 1, maximumBytes: 1, maximumPages: 1)
            let place = cursor
            do {
                while true {
                    let before = rows.count
                    let isSettling = unanswered != nil
                    guard isSettling || before > 0 else { return cleared }
                    // Pages do not matter any more: the cursor stays where it was.
                    cursor = place
                    let batch = isSettling ? nil : deletes(1_000)
                    try await patience.insist { try await exchange(batch, limits: few) }
                    if isSettling { continue }
                    cleared.deleted += max(0, before - rows.count)
                    guard rows.count < before else { break }
                }
            } catch {
                cleared.error = error as? HubError
            }
            cleared.left = rows.count + unansweredInserts
            return cleared
        }

        /// Rows of which nobody knows whether the hub took them.
        private var unansweredInserts: Int {
            unanswered?.changes.count {
                if case .insert = $0.operation { true } else { false }
            } ?? 0
        }
    }

    extension Outcome.Kind {
        /// The name in a report.
        fileprivate var name: String {
            switch self {
            case .applied: "applied"
            case .merged: "merged"
            case .overruled: "overruled"
            case .refused(let refusal): "refused \(refusal.code.rawValue)"
            }
        }

        fileprivate var isGone: Bool {
            if case .refused(let refusal) = self { refusal.code == .gone } else { false }
        }
    }
#endif
