#if Server
    import Foundation
    import Moorage
    package import MoorageConfiguration
    import MoorageCore
    import MoorageTesting
    import MoorageWire

    /// A load run: it makes first copies, inserts the first rows, measures, and deletes its own
    /// rows again.
    package struct BenchRun: Sendable {
        /// How many devices make their first copy, or delete their rows, at the same time.
        private static let atOnce = 8
        /// How long a device tries to delete its rows while the server does not answer.
        private static let patience = Duration.seconds(60)
        /// Beyond this number, devices share connections: each connection needs memory, above all
        /// for TLS.
        private static let maximumConnections = 1_000

        let plan: BenchPlan
        let server: ServerAccess
        let console: Console

        package init(plan: BenchPlan, server: ServerAccess, console: Console) {
            self.plan = plan
            self.server = server
            self.console = console
        }

        /// - Parameter stop: Returns when the run must end early; cancelling the task has the same
        ///   effect. The run still deletes its own rows.
        /// - Throws: ``CommandFailure``, ``HubError``: the server did not answer, or there is
        ///   nothing to measure.
        package func run(stop: @escaping @Sendable () async -> Void) async throws -> BenchReport {
            let schema = try await server.connection(server.transport()).schema()
            let table = try table(of: schema)
            // Before anything is written.
            let everything = plan.readsOnly ? nil : try SyntheticValues(table, .everything)
            try everything?.check(plan.mix)
            let bytes = TravelledBytes()
            let devices = try devices(schema, SyntheticValues.held(table), bytes)
            let work = BenchWork(
                plan: plan, devices: devices, bytes: bytes,
                probe: HealthProbe(url: server.url, transport: server.transport()),
                console: console)
            var isWhole = false
            var failure: (any Error)?
            do {
                isWhole = try await Self.finishes(before: stop) { try await work.run(table) }
            } catch is CancellationError {
                // The run ended early, as with `stop`.
            } catch { failure = error }
            // A separate task: the caller's may be cancelled, and the rows must still be deleted.
            let cleared = await Task { await clear(devices) }.value
            console.endProgress()
            let progress = await work.progress
            if failure == nil, let counts = progress.counts {
                return BenchReport(
                    plan: plan, server: server.url, progress: progress, counts: counts,
                    cleared: cleared, isWhole: isWhole)
            }
            if let left = cleared.failure(table.name) { Console.error("moorage-dev: \(left.what)") }
            throw failure ?? CancellationError()
        }

        private func table(of schema: SchemaAnswer) throws(CommandFailure) -> TableDescription {
            guard let table = schema.schema.table(named: plan.table) else {
                let suspended = schema.suspended.first { $0.name.hasSameBytes(as: plan.table) }
                throw CommandFailure.tableNotSynced(
                    plan.table, reason: suspended?.reason, others: schema.schema.tables.map(\.name)
                )
            }
            if let suspended = schema.suspended.first(where: {
                $0.name.hasSameBytes(as: plan.table)
            }) {
                throw CommandFailure.tableSuspended(plan.table, suspended.reason)
            }
            return table
        }

        private func devices(
            _ schema: SchemaAnswer, _ table: TableDescription, _ bytes: TravelledBytes
        ) -> [BenchDevice] {
            let numbers = RunNumbers()
            let count = min(plan.devices, Self.maximumConnections)
            let transports = (0..<count).map { _ in
                CountingTransport(base: server.transport(), bytes: bytes)
            }
            return (0..<plan.devices).map { number in
                BenchDevice(
                    number: number, hub: server.connection(transports[number % count]),
                    schema: schema, table: table, plan: plan, numbers: numbers)
            }
        }

        /// - Returns: Whether the work finished.
        private static func finishes(
            before stop: @escaping @Sendable () async -> Void,
            _ work: @escaping @Sendable () async throws -> Void
        ) async throws -> Bool {
            try await withThrowingTaskGroup(of: Bool.self) { tasks in
                defer { tasks.cancelAll() }
                tasks.addTask {
                    try await work()
                    return true
                }
                tasks.addTask {
                    await stop()
                    return false
                }
                return try await tasks.next() ?? false
            }
        }

        // MARK: Deleting

        private func clear(_ devices: [BenchDevice]) async -> BenchReport.Cleared {
            var cleared = BenchReport.Cleared(keepsRows: plan.keepsRows)
            if plan.keepsRows {
                for device in devices { cleared.kept += await device.rowCount }
                return cleared
            }
            console.progress("deleting the run's own rows")
            var isGone = false
            await withTaskGroup(of: BenchDevice.Cleared.self) { tasks in
                var rest = devices.makeIterator()
                for _ in 0..<Self.atOnce {
                    guard let device = rest.next() else { break }
                    tasks.addTask { await device.clear(Self.patience) }
                }
                while let one = await tasks.next() {
                    cleared.deleted += one.deleted
                    cleared.left += one.left
                    cleared.error = cleared.error ?? one.error
                    // When the server did not answer one device for that long, the other devices do
                    // not try.
                    isGone = isGone || one.error?.isTransient == true
                    if let device = rest.next() {
                        tasks.addTask { [isGone] in
                            isGone
                                ? await device.uncleared() : await device.clear(Self.patience)
                        }
                    }
                }
            }
            return cleared
        }

        /// Does the work for all devices, several at a time. The first failure ends it.
        static func eachOf(
            _ devices: [BenchDevice], _ work: @escaping @Sendable (BenchDevice) async throws -> Void
        ) async throws {
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                var rest = devices.makeIterator()
                for _ in 0..<atOnce {
                    guard let device = rest.next() else { break }
                    tasks.addTask { try await work(device) }
                }
                while try await tasks.next() != nil {
                    if let device = rest.next() { tasks.addTask { try await work(device) } }
                }
            }
        }
    }
#endif
