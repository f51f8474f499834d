import GRDB
import MoorageCore
import MoorageHub
import MoorageSQLite
import MoorageSupport
import MoorageTesting
import MoorageWire

@testable import Moorage

/// A real hub in memory, and random statements on its tables or a device's, from a seed.
///
/// All files have one clock, which moves by a millisecond with each statement and exchange. So a
/// seed is the same history each time.
final class LawBench {
    static let schema = """
        CREATE TABLE item (
          id TEXT NOT NULL PRIMARY KEY, code INTEGER UNIQUE, a TEXT, b INTEGER,
          up TEXT REFERENCES item(id));
        CREATE TABLE part (
          item TEXT NOT NULL REFERENCES item(id) ON DELETE CASCADE, number INTEGER NOT NULL,
          note TEXT, PRIMARY KEY (item, number));
        """
    static let queries = ["SELECT * FROM item ORDER BY id", "SELECT * FROM part ORDER BY 1, 2"]

    let central: SQLiteDatabase
    let hub: Hub
    private let disk: SimulatedDisk
    private var words = 0
    private var devices = 0

    /// - Parameter part: The rule of the table `part`; `nil` for the same rule.
    init(
        rule: MergeRule = .newest, part: MergeRule? = nil,
        directions: [String: TableDirection] = [:],
        granularity: TableRules.Granularity = .column
    ) throws {
        disk = try SimulatedDisk(seed: 1)
        disk.clock = DiskBench.now
        var memory = Configuration()
        memory.foreignKeysEnabled = true
        central = SQLiteDatabase(queue: try disk.memory(configuration: memory))
        try central.execute(Self.schema)
        var configuration = HubConfiguration(rules: [
            "item": TableRules(rule: rule, granularity: granularity),
            "part": TableRules(rule: part ?? rule, granularity: granularity),
        ])
        configuration.directions = directions
        let ids = Locked(0)
        let makeID: @Sendable () -> String = {
            ids.withLock { number in
                number += 1
                return "id-\(number)"
            }
        }
        hub = Hub(database: central, configuration: configuration, makeID: makeID)
        try central.perform { connection in
            _ = try Attachment(on: connection, makeID: makeID).attach(tables: nil)
        }
    }

    func device(schema: String = LawBench.schema, rowStates: Bool = false) throws -> Device {
        devices += 1
        return try Device(
            schema,
            tables: [.table("item", rowStates: rowStates), .table("part", rowStates: rowStates)],
            replica: "00000000-0000-4000-8000-00000000000\(devices)", on: disk)
    }

    /// A statement for any file. Constraints may refuse it.
    func statement(using random: inout SeededGenerator) -> String {
        words += 1
        let id = "'i\(random.below(9))'"
        let code = random.once(in: 3) ? "NULL" : "\(random.below(6))"
        let or = random.one(of: ["", "", "OR REPLACE ", "OR IGNORE "])
        let word = "'w\(words)'"
        switch random.below(11) {
        case 0, 1: return "INSERT \(or)INTO item(id, code, a) VALUES (\(id), \(code), \(word))"
        case 2: return "UPDATE item SET a = \(word) WHERE id = \(id)"
        case 3: return "UPDATE item SET b = \(random.below(9)) WHERE id < \(id)"
        case 4: return "UPDATE \(or)item SET code = \(code) WHERE id = \(id)"
        case 5: return "UPDATE \(or)item SET id = 'i\(random.below(12))' WHERE id = \(id)"
        case 6: return "DELETE FROM item WHERE id = \(id)"
        case 7:
            return """
                UPDATE item SET up = (SELECT min(id) FROM item WHERE id > \(id)) WHERE id = \(id)
                """
        case 8:
            return """
                INSERT INTO part SELECT id, \(random.below(4)), \(word) FROM item WHERE id = \(id)
                ON CONFLICT DO UPDATE SET note = excluded.note
                """
        case 9: return "DELETE FROM part WHERE item = \(id)"
        default: return "UPDATE part SET note = \(word) WHERE number = \(random.below(4))"
        }
    }

    func editCentrally(using random: inout SeededGenerator) throws {
        disk.clock += 1
        do {
            try central.execute(statement(using: &random))
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            return
        }
    }

    func contents() throws -> [[[Value]]] {
        try Self.queries.map { query in try central.perform { try $0.run(query, []) } }
    }
}

extension Device {
    /// Runs one exchange with a real hub.
    ///
    /// - Parameters:
    ///   - between: Runs before the device handles each frame.
    ///   - apply: Takes a page, with the outcomes that came before it.
    /// - Returns: Whether a page caught up.
    @discardableResult
    func exchange(
        _ hub: Hub, limits: PageLimits = PageLimits(), between: () throws -> Void = {},
        apply: ((Database, Outcomes?, Page) throws -> Void)? = nil
    ) throws -> Bool {
        tick()
        _ = try prepare()
        let request = try queue.writeWithoutTransaction {
            try store.request($0, now: now, limits: limits).request
        }
        var exchange = Exchange(request)
        try hub.exchange(request) { (frame: Frame) in
            try between()
            let effect = try exchange.received(try Frame(decoding: frame.encoded()))
            try queue.writeWithoutTransaction { db in
                switch effect {
                case .adopt(let welcome):
                    try store.adopt(db, welcome)
                case .apply(let outcomes, let page):
                    if let apply {
                        try apply(db, outcomes, page)
                    } else {
                        _ = try store.apply(
                            db, outcomes: outcomes, page: page,
                            at: ExchangeTime(now))
                    }
                default: break
                }
            }
        }
        return exchange.isCaughtUp
    }

    /// The rows of a query, as the hub's connector returns them.
    func values(_ sql: String) throws -> [[Value]] {
        try queue.read { db in
            let statement = try RawStatement(db, sql)
            var rows: [[Value]] = []
            while try statement.step() {
                rows.append((0..<statement.columnCount).map { statement.column($0).value })
            }
            return rows
        }
    }

    func contents() throws -> [[[Value]]] { try LawBench.queries.map(values) }
}
