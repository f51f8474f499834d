#if Server
    import MoorageConfiguration
    import MoorageCore
    import MoorageTesting
    import MoorageWire

    /// The phases of a run, up to the end of the measured time.
    actor BenchWork {
        /// What has been measured so far.
        struct Progress: Sendable {
            var copiedRows = 0
            var copyTime = Duration.zero
            var copyBytes = TravelledBytes.Count()
            /// Whether nullable columns are NULL, because the hub refused rows with values in them.
            var isSparse = false
            var counts: BenchTally.Counts?
            var time = Duration.zero
            var bytes = TravelledBytes.Count()
        }

        private let plan: BenchPlan
        private let devices: [BenchDevice]
        private let bytes: TravelledBytes
        private let probe: HealthProbe
        private let console: Console
        private let tally = BenchTally()
        private var measured = Progress()
        private var isMeasuring = false

        init(
            plan: BenchPlan, devices: [BenchDevice], bytes: TravelledBytes, probe: HealthProbe,
            console: Console
        ) {
            self.plan = plan
            self.devices = devices
            self.bytes = bytes
            self.probe = probe
            self.console = console
        }

        /// The progress, also of an interrupted run.
        var progress: Progress {
            get async {
                var progress = measured
                if isMeasuring { progress.counts = await tally.counts }
                return progress
            }
        }

        func run(_ table: TableDescription) async throws {
            try await copy()
            var values: SyntheticValues?
            if !plan.readsOnly {
                values = try await firstRow(table)
                try await insertRows(values)
            }
            try await measure(values)
        }

        private func copy() async throws {
            console.progress("first copies of \(devices.count) devices")
            let (begin, before) = (ContinuousClock.now, bytes.count)
            let rows = LatestCount()
            try await BenchRun.eachOf(devices) { device in
                rows.add(try await device.catchUp())
            }
            measured.copiedRows = rows.value
            measured.copyTime = begin.duration(to: .now)
            measured.copyBytes = bytes.count - before
        }

        /// One device finds out which values the hub accepts.
        private func firstRow(_ table: TableDescription) async throws -> SyntheticValues {
            let everything = try SyntheticValues(table, .everything)
            do {
                try await devices[0].insertRows(1, everything)
                return everything
            } catch is BenchRefusal {
                let few = try SyntheticValues(table, .whatMustBe)
                try few.check(plan.mix)
                do {
                    try await devices[0].insertRows(1, few)
                } catch let refusal as BenchRefusal { throw refusal.failure }
                measured.isSparse = true
                return few
            }
        }

        private func insertRows(_ values: SyntheticValues?) async throws {
            guard let values else { return }
            console.progress("\(plan.rows) rows for each of \(devices.count) devices")
            do {
                try await BenchRun.eachOf(devices) { [plan] device in
                    try await device.insertRows(plan.rows, values)
                }
            } catch let refusal as BenchRefusal { throw refusal.failure }
            // Every device pulls the others' rows before the measurement begins.
            try await BenchRun.eachOf(devices) { _ = try await $0.catchUp() }
        }

        private func measure(_ values: SyntheticValues?) async throws {
            console.progress(
                plan.exchanges.map { "measuring \($0) exchanges of each device" }
                    ?? "measuring for \(plan.seconds) s")
            let (begin, before) = (ContinuousClock.now, bytes.count)
            isMeasuring = true
            defer {
                measured.time = begin.duration(to: .now)
                measured.bytes = bytes.count - before
            }
            // The measurement ends at its time limit, or with the last device.
            let end = plan.exchanges == nil ? begin + .seconds(plan.seconds) : nil
            try await withThrowingTaskGroup(of: Void.self) { [devices, plan, tally, probe] tasks in
                tasks.addTask { try await probe.run(until: end, tally) }
                tasks.addTask {
                    try await Self.run(devices, plan, since: begin, values, tally)
                }
                _ = try await tasks.next()
                if end == nil { tasks.cancelAll() }
                try await tasks.waitForAll()
            }
        }

        private static func run(
            _ devices: [BenchDevice], _ plan: BenchPlan, since begin: ContinuousClock.Instant,
            _ values: SyntheticValues?, _ tally: BenchTally
        ) async throws {
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for device in devices {
                    tasks.addTask {
                        let schedule = Schedule(of: plan, delay: await device.drawDelay())
                        try await device.run(schedule, since: begin, values, tally)
                    }
                }
                try await tasks.waitForAll()
            }
        }
    }
#endif
