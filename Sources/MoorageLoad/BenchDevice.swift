#if Server
    import Foundation
    import MoorageCore
    import MoorageWire

    /// A device that writes its requests by hand. It has a replica id, a cursor and rows of its
    /// own, but no database.
    ///
    /// It changes only rows that it inserted. One task runs one exchange at a time.
    actor BenchDevice {
        private let hub: any HubConnection
        private let hubID: String
        private let schemaVersion: String
        /// As the device stores it: without generated columns.
        let table: TableDescription
        private let columns: TableColumns
        private let plan: BenchPlan

        private let replica: String
        private var user: String?
        private var cursor = SyncCursor.start
        private var limits = HubLimits()
        /// The number of the last batch that the hub answered.
        private var answered: Int64 = 0
        /// The device sends it again unchanged until the hub answers it (B1).
        private var unanswered: Batch?
        private var writes: OwnWrites
        /// What the last exchange brought, even if it was interrupted.
        private(set) var answer = Answer()

        /// What one exchange brought.
        struct Answer: Sendable {
            var rows = 0
            var removals = 0
            /// Keys of rows that the device did not insert.
            var others: [RowKey] = []
            var batchResult: BatchResult?
            var batchAnsweredAt = ContinuousClock.now
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
            replica = UUID().uuidString.lowercased()
            writes = OwnWrites(number: number, table: table, plan: plan, numbers: numbers)
        }

        /// How many rows of its own it has.
        var rowCount: Int { writes.rows.count }

        /// Where in its interval the device begins, from 0 to 1.
        func drawDelay() -> Double { writes.drawDelay() }

        // MARK: Exchanges

        /// Runs one exchange, with the batch that waits for its answer or, without one, with this
        /// batch.
        ///
        /// - Throws: ``HubError``, also when the hub did not accept the batch; `CancellationError`.
        func exchange(_ batch: Batch?, limits: PageLimits = PageLimits()) async throws {
            // A batch that the hub answered before the connection broke is not sent again.
            if unanswered == nil, let batch, batch.number > answered { unanswered = batch }
            answer = Answer()
            let request = ExchangeRequest(
                replica: replica, user: user, hub: hubID, sentAt: OwnWrites.now(),
                tables: [columns],
                cursor: cursor, schemaVersion: schemaVersion, answered: answered,
                batch: unanswered, keys: writes.keysLeft, limits: limits)
            try await hub.exchange(request) { try await self.receive($0) }
        }

        private func receive(_ frame: Frame) throws {
            switch frame {
            case .welcome(let welcome): try receive(welcome)
            case .outcomes(let outcomes): try receive(outcomes)
            case .page(let page): receive(page)
            case .end(let end): answer.hasMore = end.hasMore
            // Only live streams have it, and the device opens none.
            case .alive: break
            case .error(let error): throw error
            }
        }

        private func receive(_ welcome: Welcome) throws {
            let isOther = cursor.epoch != nil && cursor.epoch != welcome.epoch
            guard !isOther, !welcome.isExpired else { throw HubError.historyChanged }
            guard welcome.schemaVersion == schemaVersion else { throw HubError.tablesChanged }
            user = welcome.user
            limits = welcome.limits
            for block in welcome.keys where block.table.hasSameBytes(as: table.name) {
                writes.handedOut(block.first...block.last)
            }
        }

        private func receive(_ outcomes: Outcomes) throws {
            guard let batch = unanswered, batch.number == outcomes.number else {
                throw HubError.otherBatchAnswered
            }
            unanswered = nil
            guard [.applied, .alreadyApplied].contains(outcomes.status) else {
                throw HubError.batchRefused(HubError.Code(rawValue: outcomes.status.rawValue))
            }
            answered = batch.number
            answer.batchResult = writes.answered(batch, outcomes.outcomes)
            answer.batchAnsweredAt = .now
        }

        private func receive(_ page: Page) {
            guard page.since == cursor else { return }
            cursor = page.cursor
            for rows in page.tables where rows.table.hasSameBytes(as: table.name) { receive(rows) }
            for removed in page.removals where removed.table.hasSameBytes(as: table.name) {
                writes.removed(removed.keys)
                answer.removals += removed.keys.count
            }
        }

        private func receive(_ page: TableRows) {
            answer.rows += page.content.count
            guard page.columns == columns.columns else { return }
            for index in 0..<page.content.count {
                let key = table.key(table.primaryKey.map { page.content.columns[$0][index] })
                if !writes.received(key, row: { page.content[index] }) { answer.others.append(key) }
            }
        }

        // MARK: Batches

        /// A batch of at most `count` inserts; fewer while the hub has not handed out enough keys.
        func inserts(_ count: Int, _ values: SyntheticValues) -> Batch? {
            batch(writes.inserts(min(count, limits.maximumBatchRows), values))
        }

        /// A batch by the plan's mix; `nil` without changes, or while a batch waits for its answer.
        func mixed(_ values: SyntheticValues) -> Batch? {
            if unanswered != nil { return nil }
            return batch(writes.mixed(min(plan.batch, limits.maximumBatchRows), values))
        }

        private func batch(_ changes: [Change]) -> Batch? {
            if changes.isEmpty { return nil }
            return Batch(
                number: answered + 1, nonce: UUID().uuidString.lowercased(),
                preparedAt: OwnWrites.now(), tables: [columns], changes: changes)
        }

        // MARK: Deleting

        /// How many of its own rows are deleted, and how many may remain.
        struct Cleared: Sendable {
            var deleted = 0
            var left = 0
            var error: HubError?
        }

        /// Deletes its own rows. Before that, it sends the unanswered batch again to learn its
        /// outcomes.
        ///
        /// - Parameter patience: How long it retries one batch.
        func clear(_ patience: Duration) async -> Cleared {
            let few = PageLimits(maximumRows: 1, maximumBytes: 1, maximumPages: 1)
            let place = cursor
            var deleted = 0
            do {
                while unanswered != nil || rowCount > 0 {
                    let before = rowCount
                    let awaitsAnswer = unanswered != nil
                    // Pages no longer matter, so the cursor stays where it was.
                    cursor = place
                    let batch =
                        awaitsAnswer
                        ? nil : batch(writes.deletes(min(1_000, limits.maximumBatchRows)))
                    try await RetryLoop(patience).run { try await exchange(batch, limits: few) }
                    if awaitsAnswer { continue }
                    deleted += before - rowCount
                    guard rowCount < before else { break }
                }
            } catch {
                return cleared(deleted, error as? HubError)
            }
            return cleared(deleted, nil)
        }

        /// The result of a device that deleted nothing.
        func uncleared() -> Cleared { cleared(0, nil) }

        private func cleared(_ deleted: Int, _ error: HubError?) -> Cleared {
            // The hub may have applied these inserts.
            let unknown =
                unanswered?.changes.count {
                    if case .insert = $0.operation { true } else { false }
                } ?? 0
            return Cleared(deleted: deleted, left: rowCount + unknown, error: error)
        }
    }
#endif
