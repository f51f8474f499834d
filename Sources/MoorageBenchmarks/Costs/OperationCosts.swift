#if Server
    /// Measures what each kind of exchange costs, with a central database of one shape.
    struct OperationCosts {
        typealias Line = (name: String, times: Int, cost: Counters)

        let world: CostWorld
        let meter: Meter
        let device: CostDevice
        /// Rows that the device's user sees, by their numbers.
        private let own: [Int]

        private static let times = 300
        private static let timesOfMany = 40
        private static let many = 100

        init(_ world: CostWorld, _ meter: Meter) async throws {
            self.world = world
            self.meter = meter
            device = try await CostDevice(world.connection(user: 0), of: world.shape)
            let step = max(1, world.shape.tenants)
            own = Array(stride(from: 0, to: world.shape.rows, by: step))
        }

        /// Exchanges with nothing to do, or with one change.
        func few() async throws -> [Line] {
            try await [idle(), idleAmongOthers(), push(1), pull(1)]
        }

        func all() async throws -> [Line] {
            var lines = try await few()
            lines.append(try await push(Self.many))
            lines.append(try await pull(Self.many))
            lines.append(try await idleBehindTransaction())
            lines += try await edits()
            return lines
        }

        private func idle() async throws -> Line {
            let cost = try await measure(Self.times) {
                for _ in 0..<Self.times { try await peek(expecting: 0) }
            }
            return ("an exchange with nothing to do, nothing was committed", Self.times, cost)
        }

        /// Between two exchanges, something commits in another database of the cluster. The hub
        /// cannot tell that from a change.
        private func idleAmongOthers() async throws -> Line {
            let cost = try await measure(Self.times) {
                for _ in 0..<Self.times {
                    try world.elsewhere.run("SELECT pg_current_xact_id()")
                    try await peek(expecting: 0)
                }
            }
            return ("an exchange with nothing to do, others commit", Self.times, cost)
        }

        /// A transaction in another database of the cluster has been open since before each row was
        /// edited. Every exchange reads again what was committed after that transaction began.
        private func idleBehindTransaction() async throws -> Line {
            try world.elsewhere.run("BEGIN; SELECT pg_current_xact_id()")
            try world.central.run("UPDATE item_0 SET quantity = quantity + 1")
            try await device.catchUp()
            let cost = try await measure(Self.timesOfMany) {
                for _ in 0..<Self.timesOfMany { try await peek(expecting: 0) }
            }
            try world.elsewhere.run("COMMIT")
            let name = "nothing to do, \(world.shape.rows) edits since the oldest open transaction"
            return (name, Self.timesOfMany, cost)
        }

        private func push(_ count: Int) async throws -> Line {
            let times = count == 1 ? Self.times : Self.timesOfMany
            let cost = try await measure(times) {
                for number in 0..<times {
                    let first = number * count
                    try await device.push(
                        (first..<(first + count)).map { own[$0 % own.count] })
                }
            }
            try await device.catchUp()
            return ("an exchange that pushes \(count)", times, cost)
        }

        /// Pulls the same rows each time, because the device does not advance its cursor.
        private func pull(_ count: Int) async throws -> Line {
            try await device.catchUp()
            try world.edit(Array(own.prefix(count)))
            let times = count == 1 ? Self.times : Self.timesOfMany
            let expected = min(count, own.count)
            let cost = try await measure(times) {
                for _ in 0..<times { try await peek(expecting: expected) }
            }
            try await device.catchUp()
            return ("an exchange that pulls \(expected)", times, cost)
        }

        /// What the triggers cost a program that knows nothing of Moorage.
        private func edits() async throws -> [Line] {
            try world.central.run("CREATE TABLE untracked (LIKE item_0 INCLUDING ALL)")
            try world.central.run("INSERT INTO untracked SELECT * FROM item_0")
            try world.central.run("VACUUM ANALYZE untracked")
            var lines: [Line] = []
            for (table, name) in [("untracked", "without triggers"), ("item_0", "tracked")] {
                let cost = try await meter.measure(
                    Self.times,
                    flush: { try world.central.run("SELECT 1") }
                ) {
                    for number in 0..<Self.times {
                        let key = CostShape.key(own[number % own.count])
                        try world.central.run(
                            "UPDATE \(table) SET flags = flags + 1 WHERE id = '\(key)'")
                    }
                }
                lines.append(("a program edits 1 row, \(name)", Self.times, cost))
            }
            return lines
        }

        private func measure(
            _ times: Int, _ work: () async throws -> Void
        ) async throws -> Counters {
            try await meter.measure(
                times, aside: [world.central, world.elsewhere],
                flush: {
                    _ = try await device.peek()
                    try world.central.run("SELECT 1")
                }, work)
        }

        private func peek(expecting rows: Int) async throws {
            let found = try await device.peek()
            guard found == rows else {
                throw BenchmarkFailure("\(found) rows came instead of \(rows).")
            }
        }
    }
#endif
