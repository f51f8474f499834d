#if Server
    package import MoorageConfiguration

    /// What a load run does to a server, within limits that protect the run's own memory.
    package struct BenchPlan: Hashable, Sendable {
        static let maximumDevices = 10_000
        /// How many rows of their own all devices may have at once.
        static let maximumOwnRows = 1_000_000

        package var table: String
        package var devices = 10
        /// How many seconds it measures, unless `exchanges` is set.
        package var seconds = 30.0
        /// How many exchanges each device makes, instead of a time.
        package var exchanges: Int?
        /// How many exchanges each device makes in a second.
        package var rate = 1.0
        /// How many changes an exchange has.
        package var batch = 10
        package var mix = ChangeMix()
        /// Rows that each device inserts before anything is measured.
        package var rows = 100
        package var readsOnly = false
        /// Determines the changes, their values and when each device begins. Keys are always
        /// random.
        package var seed: UInt64 = 1
        /// Whether the run leaves its own rows in the database.
        package var keepsRows = false

        package init(table: String) { self.table = table }

        /// The most rows that one device has: beyond them it deletes instead of inserting.
        var maximumRowsOfDevice: Int { max(rows, min(10_000, Self.maximumOwnRows / devices)) }

        /// - Throws: ``CommandFailure`` that names the option, with exit code 64.
        package func validate() throws(CommandFailure) {
            try check("--devices", devices, in: 1...Self.maximumDevices)
            try check("--seconds", seconds, in: 1...86_400)
            if let exchanges { try check("--exchanges", exchanges, in: 1...1_000_000) }
            try check("--rate", rate, in: 0.001...1_000)
            try check("--batch", batch, in: 1...10_000)
            try check("--rows", rows, in: 0...100_000)
            guard devices * max(rows, batch) <= Self.maximumOwnRows else {
                throw CommandFailure.tooManyOwnRows(Self.maximumOwnRows)
            }
            guard mix.isWhole else { throw CommandFailure.mixNotWhole }
        }

        private func check<Number: Comparable>(
            _ option: String, _ number: Number, in range: ClosedRange<Number>
        ) throws(CommandFailure) {
            guard range.contains(number) else {
                throw CommandFailure.outOfRange(
                    option, from: "\(range.lowerBound)", to: "\(range.upperBound)")
            }
        }
    }

    /// How many of a hundred changes insert, update and delete.
    package struct ChangeMix: Hashable, Sendable {
        package var inserts: Int
        package var updates: Int
        package var deletes: Int

        package init(inserts: Int = 40, updates: Int = 50, deletes: Int = 10) {
            self.inserts = inserts
            self.updates = updates
            self.deletes = deletes
        }

        var isWhole: Bool {
            [inserts, updates, deletes].allSatisfy { (0...100).contains($0) }
                && inserts + updates + deletes == 100
        }
    }
#endif
