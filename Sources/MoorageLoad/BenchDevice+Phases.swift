#if Server
    import MoorageConfiguration
    import MoorageCore
    import MoorageWire

    extension BenchDevice {
        /// Takes everything that the hub has for it, and keeps nothing.
        ///
        /// - Returns: The rows that came.
        func catchUp() async throws -> Int {
            var rows = 0
            var hasMore = true
            while hasMore {
                try await RetryLoop(.seconds(120)).run {
                    try await exchange(nil)
                    rows += answer.rows
                    hasMore = answer.hasMore
                }
            }
            return rows
        }

        /// Inserts rows until it has so many of its own.
        ///
        /// - Throws: ``CommandFailure`` when the hub takes none of a batch.
        func insertRows(_ count: Int, _ values: SyntheticValues) async throws {
            var idle = 0
            while rowCount < count {
                let before = rowCount
                let batch = inserts(min(1_000, count - before), values)
                var refusal: Refusal?
                try await RetryLoop(.seconds(120)).run {
                    try await exchange(batch)
                    refusal = answer.batchResult?.refusal
                }
                idle = rowCount > before ? 0 : idle + 1
                // The first may only bring keys.
                guard idle < 3, rowCount > before || refusal == nil else {
                    throw BenchRefusal(table: table.name, refusal: refusal)
                }
            }
        }

        /// Exchanges when they are due until the schedule ends. Latency counts from the time that an exchange
        /// was due: one that had to wait for the one before it waited for the server.
        func run(
            _ schedule: Schedule, since start: ContinuousClock.Instant, _ values: SyntheticValues?,
            _ tally: BenchTally
        ) async throws {
            var schedule = schedule
            var isBehind = false
            var notBegun = 0
            while let due = schedule.next() {
                try await Task.sleep(until: start + due, clock: .continuous)
                let late = start.duration(to: .now) - due
                isBehind = isBehind || late > schedule.interval
                if let length = schedule.length, late + due >= length {
                    notBegun = schedule.remaining + 1
                    break
                }
                try await exchange(
                    dueAt: start + due, until: schedule.length.map { start + $0 }, values, tally)
            }
            if isBehind || notBegun > 0 { await tally.fellBehind(notBegun: notBegun) }
        }

        /// One exchange, and those that bring the rest of its pages.
        private func exchange(
            dueAt due: ContinuousClock.Instant, until end: ContinuousClock.Instant?,
            _ values: SyntheticValues?, _ tally: BenchTally
        ) async throws {
            var due = due
            var batch = values.flatMap { mixed($0) }
            await tally.sent(batch?.insertedKeys ?? [])
            var hasMore = true
            while hasMore {
                var failure: HubError?
                do {
                    try await exchange(batch)
                } catch let error as HubError {
                    try Task.checkCancellation()
                    failure = error
                }
                let now = ContinuousClock.now
                let answer = answer
                if let result = answer.batchResult {
                    await tally.answered(result, at: answer.batchAnsweredAt)
                }
                await tally.received(
                    answer.others, rows: answer.rows, removals: answer.removals, at: now)
                if let failure { return await tally.failed(failure.code.rawValue) }
                await tally.ended(due.duration(to: now), withChanges: answer.batchResult != nil)
                hasMore = answer.hasMore && (end.map { now < $0 } ?? true)
                (due, batch) = (now, nil)
            }
        }
    }

    extension Batch {
        fileprivate var insertedKeys: [RowKey] {
            changes.compactMap { change in
                if case .insert = change.operation { change.key } else { nil }
            }
        }
    }

    /// The hub took no made-up row.
    struct BenchRefusal: Error {
        let table: String
        /// `nil` when it handed out no keys, or gave no reason.
        let refusal: Refusal?

        var failure: CommandFailure {
            CommandFailure.rowsRefused(
                of: table, refusal.map { "\($0.code.rawValue): \($0.message)" })
        }
    }
#endif
