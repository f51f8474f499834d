import MoorageCore
import MoorageHub
import MoorageSQLite
import MoorageTesting
import MoorageWire

extension FuzzTarget {
    /// The cursor, and the checkpoints in it: what a replica sends back, and a hub reads on with.
    static let cursor = FuzzTarget(
        name: "cursor", words: messageWords + ["0:n0", "1:n1", FuzzedHub.epoch, "*", "person"],
        seed: { random in
            guard random.once(in: 2) else { return random.cursor().encoded() }
            // One that this hub gave, in the middle of a scan or after it.
            let hub = try FuzzedHub()
            let limits = PageLimits(maximumRows: random.below(4) + 1, maximumPages: 1)
            var cursor = SyncCursor.start
            for _ in 0...random.below(6) {
                for case .page(let page) in try hub.exchange(
                    hub.request(cursor: cursor, limits: limits))
                {
                    cursor = page.cursor
                }
            }
            return cursor.encoded()
        },
        problem: { bytes in
            if let problem = MessageKind.cursor.problem(of: bytes) { return problem }
            guard let cursor = try? SyncCursor(decoding: bytes) else { return nil }
            return try pullProblem(cursor)
        })

    /// Whatever the cursor says, a pull ends: caught up, in a new epoch, or with a typed error.
    private static func pullProblem(_ start: SyncCursor) throws -> String? {
        let hub = try FuzzedHub()
        var cursor = start
        let limits = PageLimits(maximumRows: 3, maximumPages: 2)
        for _ in 0..<20 {
            for frame in try hub.exchange(try hub.request(cursor: cursor, limits: limits)) {
                switch frame {
                case .error: return nil
                case .welcome(let welcome):
                    // The device reconciles: it begins again.
                    if cursor.epoch != nil, cursor.epoch != welcome.epoch { cursor = .start }
                case .page(let page):
                    guard page.since == cursor else {
                        return "a page that continues another cursor"
                    }
                    cursor = page.cursor
                    if page.isCaughtUp { return try hub.damage() }
                case .outcomes: return "outcomes of no batch"
                case .alive: return "an answer that was not to stay open is"
                case .end: break
                }
            }
        }
        return "the pull does not end"
    }

    /// Batches, pushed to a real hub.
    static let push = FuzzTarget(
        name: "push", words: messageWords + FuzzedHub.names + ["id", "email", "boss", "a", "b"],
        seed: { random in try RandomChanges(hub: FuzzedHub()).batch(using: &random).encoded() },
        problem: { bytes in
            guard let batch = try? Batch(decoding: bytes) else { return nil }
            return try pushProblem(batch)
        })

    /// A batch is taken once, whole, and the central database stays sound (B3, T2).
    private static func pushProblem(_ batch: Batch) throws -> String? {
        let hub = try FuzzedHub()
        let request = try hub.request(batch: batch)
        let first = outcomes(try hub.exchange(request))
        if let damage = try hub.damage() { return damage }
        guard let first, first.status == .applied else { return nil }
        guard first.outcomes.count == batch.changes.count else {
            return "\(batch.changes.count) changes have \(first.outcomes.count) outcomes"
        }
        let contents = try hub.contents().filter { !$0.hasPrefix("moorage_replica ") }
        let again = try hub.exchange(request)
        guard outcomes(again)?.status == .alreadyApplied else { return "taken twice: \(again)" }
        let now = try hub.contents().filter { !$0.hasPrefix("moorage_replica ") }
        return now == contents ? nil : "a repeated push changed the central database"
    }

    private static func outcomes(_ frames: [Frame]) -> Outcomes? {
        frames.lazy.compactMap { if case .outcomes(let outcomes) = $0 { outcomes } else { nil } }
            .first
    }
}

/// Changes that a replica of the fuzzed hub might push, and some that it would not.
struct RandomChanges {
    let tables: [TableDescription]
    /// The rows of the central tables, for edits that fit.
    private let rows: [String: [[Value]]]

    init(hub: FuzzedHub) throws {
        let tables = try FuzzedHub.tables()
        self.tables = tables
        rows = try hub.database.perform { connection in
            try Dictionary(
                uniqueKeysWithValues: tables.map {
                    ($0.name, try connection.run("SELECT * FROM \($0.name) ORDER BY 1, 2", []))
                })
        }
    }

    func batch(using random: inout SeededGenerator) -> Batch {
        let columns = tables.map {
            TableColumns(name: $0.name, columns: $0.columns.map(\.name))
        }
        return Batch(
            number: 1, nonce: "n", preparedAt: 1_700_000_000_000, tables: columns,
            changes: (0...random.below(4)).map { _ in change(using: &random) })
    }

    private func change(using random: inout SeededGenerator) -> Change {
        let table = random.one(of: tables)
        let known = rows[table.name] ?? []
        var row = random.pick(known) ?? table.columns.map { _ in .null }
        if random.once(in: 3) {
            row[table.primaryKey[0]] = value(table, table.primaryKey[0], &random)
        }
        let operation: Change.Operation
        switch random.below(5) {
        case 0, 1:
            for column in row.indices where !table.isKey(column) && random.once(in: 2) {
                row[column] = value(table, column, &random)
            }
            operation = .insert(row)
        case 2, 3:
            operation = .update(
                row.indices.filter { !table.isKey($0) && random.once(in: 2) }.map {
                    ColumnEdit(
                        column: $0, old: random.once(in: 4) ? .null : row[$0],
                        new: value(table, $0, &random))
                })
        default: operation = random.once(in: 5) ? .refetch : .delete(before: row)
        }
        return Change(
            table: table.name, key: table.key(of: row), operation: operation,
            editedAt: 1_700_000_000_000 + Int64(random.below(1000)), isAgain: random.once(in: 9))
    }

    private func value(
        _ table: TableDescription, _ column: Int, _ random: inout SeededGenerator
    ) -> Value {
        if random.once(in: 6) { return Value.random(using: &random) }
        return switch table.columns[column].type {
        case .integer: .integer(Int64(random.below(5)))
        case .boolean: .integer(Int64(random.below(2)))
        case .real: .real(random.one(of: hardReals))
        case .decimal: .text(random.one(of: ["1.50", "0", "-3", "12345678901234567.89"]))
        case .blob: .blob([UInt8(random.below(3))])
        case .uuid: .text(UUIDText.random(using: &random))
        case .date: .text("2024-0\(random.below(9) + 1)-28")
        case .time: .text("12:00:00")
        case .timestamp, .instant: .text("2024-01-0\(random.below(9) + 1) 10:00:00")
        case .json: .text(random.one(of: ["{}", "[1,2]", "null", "3"]))
        case .text: .text(random.one(of: ["a", "b", "é", "c", "a@x"]))
        }
    }
}
