#if Server
    import Foundation
    import MoorageCore
    import MoorageSupport
    import MoorageTesting
    import MoorageWire

    /// What one device writes: its own rows, what it does to them, and what the hub made of it.
    struct OwnWrites: Sendable {
        private let table: TableDescription
        private let plan: BenchPlan
        private let numbers: RunNumbers
        private(set) var rows = OwnRows()
        /// Keys that the hub handed out.
        private var keys: [ClosedRange<Int64>] = []
        private var random: SeededGenerator

        /// - Parameter number: The device's, which gives its random numbers with the plan's seed.
        init(number: Int, table: TableDescription, plan: BenchPlan, numbers: RunNumbers) {
            self.table = table
            self.plan = plan
            self.numbers = numbers
            random = SeededGenerator(seed: plan.seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
        }

        mutating func drawDelay() -> Double { .random(in: 0..<1, using: &random) }

        // MARK: Answers

        /// Takes the hub's answer to a batch of its own.
        mutating func answered(_ batch: Batch, _ outcomes: [Outcome]) -> BatchResult {
            var result = BatchResult()
            for (index, change) in batch.changes.enumerated() {
                let outcome = index < outcomes.count ? outcomes[index] : Outcome(kind: .applied)
                result.outcomes[outcome.kind.name, default: 0] += 1
                if case .refused(let refusal) = outcome.kind, result.refusal == nil {
                    result.refusal = refusal
                }
                switch change.operation {
                case .insert(let row):
                    result.inserts += 1
                    let key = inserted(row, outcome)
                    if let key { result.inserted.append(key) }
                    if key != change.key { result.notInserted.append(change.key) }
                case .update(let edits):
                    result.updates += 1
                    updated(change.key, edits, outcome)
                case .delete:
                    result.deletes += 1
                    if outcome.kind == .applied || outcome.kind.isGone { rows.remove(change.key) }
                case .refetch: break
                }
            }
            return result
        }

        /// - Returns: The key that the row has at the hub; `nil` where it is not there, or another's.
        private mutating func inserted(_ row: [Value], _ outcome: Outcome) -> RowKey? {
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

        private mutating func updated(_ key: RowKey, _ edits: [ColumnEdit], _ outcome: Outcome) {
            if outcome.kind.isGone { return rows.remove(key) }
            guard var row = rows[key], outcome.kind == .applied else { return }
            for edit in edits { row[edit.column] = edit.new }
            for value in outcome.stored { row[value.column] = value.value }
            rows.set(row, for: key)
        }

        /// - Returns: Whether the row is its own.
        mutating func received(_ key: RowKey, row: () -> [Value]) -> Bool {
            guard rows.contains(key) else {
                for case .integer(let number) in key.values { numbers.saw(number) }
                return false
            }
            rows.set(row(), for: key)
            return true
        }

        mutating func removed(_ keys: [RowKey]) {
            for key in keys { rows.remove(key) }
        }

        // MARK: Changes

        /// So many inserts; fewer where the hub has not handed out the keys yet.
        mutating func inserts(_ count: Int, _ values: SyntheticValues) -> [Change] {
            (0..<count).compactMap { _ in insert(values) }
        }

        /// So many changes by the plan's mix, each of another row. What cannot be done (a row to change, a
        /// key, room for a row) is done otherwise, or left out.
        mutating func mixed(_ count: Int, _ values: SyntheticValues) -> [Change] {
            var used: Set<RowKey> = []
            var writes: [Change] = []
            var deletes: [Change] = []
            for _ in 0..<count {
                let roll = Int.random(in: 0..<100, using: &random)
                let isInsert = roll < plan.mix.inserts
                let hasRoom = rows.count + writes.count < plan.maximumRowsOfDevice
                guard let own = isInsert && hasRoom ? nil : ownRow(except: used) else {
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
            return writes + deletes
        }

        /// Deletes of so many of its own rows.
        func deletes(_ count: Int) -> [Change] {
            rows.prefix(count).compactMap { key in rows[key].map { delete(key, $0) } }
        }

        private mutating func insert(_ values: SyntheticValues) -> Change? {
            var handedOut: Int64?
            if table.keyBlock != nil {
                guard let key = nextKey() else { return nil }
                handedOut = key
            }
            let row = values.row(key: handedOut, number: numbers.next(), using: &random)
            return change(table.key(of: row), .insert(row))
        }

        private mutating func update(_ key: RowKey, _ row: [Value], _ values: SyntheticValues)
            -> Change
        {
            let editable = values.editable
            guard let column = editable.randomElement(using: &random) else {
                return change(key, .update([]))
            }
            let new = values.value(of: column, number: numbers.next(), using: &random)
            guard table.granularity == .row else {
                return change(
                    key, .update([ColumnEdit(column: column, old: row[column], new: new)]))
            }
            let edits = row.indices.filter { !table.isKey($0) }.map {
                ColumnEdit(column: $0, old: row[$0], new: $0 == column ? new : row[$0])
            }
            return change(key, .update(edits))
        }

        private func delete(_ key: RowKey, _ row: [Value]) -> Change {
            change(key, .delete(before: row))
        }

        private func change(_ key: RowKey, _ operation: Change.Operation) -> Change {
            Change(table: table.name, key: key, operation: operation, editedAt: Self.now())
        }

        private mutating func ownRow(except used: Set<RowKey>) -> (key: RowKey, row: [Value])? {
            for _ in 0..<4 {
                guard let key = rows.random(using: &random), let row = rows[key] else { return nil }
                if !used.contains(key) { return (key, row) }
            }
            return nil
        }

        // MARK: Keys

        /// What a request says of them; `nil` where it takes none.
        var keysLeft: [KeysLeft]? {
            guard table.keyBlock != nil, !plan.readsOnly else { return nil }
            return [KeysLeft(table: table.name, count: keys.reduce(0) { $0 + $1.count })]
        }

        mutating func handedOut(_ block: ClosedRange<Int64>) { keys.append(block) }

        private mutating func nextKey() -> Int64? {
            guard let block = keys.first else { return nil }
            if block.count == 1 {
                keys.removeFirst()
            } else {
                keys[0] = block.lowerBound + 1...block.upperBound
            }
            return block.lowerBound
        }

        static func now() -> DeviceTime { DeviceTime(.now) }
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
