import Foundation
import GRDB
import MoorageCore
import MoorageHub
import MoorageSQLite
import MoorageTesting
import MoorageWire

@testable import Moorage

/// One hub and its replicas under random users, other programs and a bad network, all from a seed;
/// no task, no thread.
final class World {
    static let schema = """
        CREATE TABLE parent (id TEXT NOT NULL PRIMARY KEY, a TEXT, b TEXT, code INTEGER UNIQUE);
        CREATE TABLE child (
          id TEXT NOT NULL PRIMARY KEY, parent TEXT NOT NULL REFERENCES parent(id), c TEXT, d TEXT);
        CREATE TABLE node (
          x INTEGER NOT NULL, y TEXT NOT NULL, up_x INTEGER, up_y TEXT, v TEXT, PRIMARY KEY (x, y),
          FOREIGN KEY (up_x, up_y) REFERENCES node(x, y) ON DELETE CASCADE);
        """

    let central: SQLiteDatabase
    let hub: Hub
    let rule: MergeRule
    var random: SeededGenerator
    var replicas: [SimulatedReplica] = []
    private var tokens = 0
    /// Every value that was committed on a device, until it is found or superseded there.
    private(set) var pushed: Set<Pushed> = []

    struct Pushed: Hashable {
        let table: String
        let key: String
        let column: String
        let value: String
    }

    init(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        rule = random.pick(MergeRule.allCases) ?? .newest
        central = try SQLiteDatabase()
        try central.execute(Self.schema)
        // What the central database ever held, kept by the owner.
        try central.execute("CREATE TABLE moorage_audit (tbl, key, col, val)")
        for (table, key, columns) in [
            ("parent", "NEW.id", ["a", "b", "code"]), ("child", "NEW.id", ["parent", "c", "d"]),
            ("node", "NEW.x || '/' || NEW.y", ["v"]),
        ] {
            for event in ["INSERT", "UPDATE"] {
                let writes = columns.map {
                    "INSERT INTO moorage_audit VALUES ('\(table)', \(key), '\($0)', NEW.\($0));"
                }
                try central.execute(
                    "CREATE TRIGGER \(table)_\(event) AFTER \(event) ON \(table) BEGIN \(writes.joined()) END"
                )
            }
        }
        let rules = TableRules(rule: rule)
        let ids = SeededIDs(seed: seed)
        hub = Hub(
            database: central,
            configuration: HubConfiguration(rules: ["parent": rules, "child": rules, "node": rules]
            ),
            makeID: { ids.next() })
        try central.perform { connection in
            _ = try Attachment(on: connection, makeID: { ids.next() }).attach(tables: nil)
        }
        let limit = random.pick([2, 5, 5000]) ?? 5000
        replicas = try (0..<3).map { try SimulatedReplica(number: $0, seed: seed, pageRows: limit) }
    }

    func token() -> String {
        tokens += 1
        return "v\(tokens)"
    }

    // MARK: Users and other programs

    func editSomewhere() throws {
        if let replica = random.pick(replicas) { try edit(replica) }
    }

    func edit(_ replica: SimulatedReplica) throws {
        for statement in statements("r\(replica.number)") { try replica.execute(statement) }
    }

    func editCentrally() throws {
        for statement in statements("h") {
            do {
                try central.execute(statement)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
                try central.perform { $0.rollback() }
            }
        }
    }

    /// A transaction of one to three statements; constraints may refuse it.
    private func statements(_ who: String) -> [String] {
        let count = random.chance(20) ? Int.random(in: 2...3, using: &random) : 1
        return (0..<count).map { _ in statement(who) }
    }

    private func statement(_ who: String) -> String {
        func shared(_ kind: String) -> String {
            random.chance(40)
                ? "\(kind)\(Int.random(in: 0..<12, using: &random))" : "\(kind)\(token())\(who)"
        }
        func known(_ table: String) -> String {
            "(SELECT id FROM \(table) ORDER BY id LIMIT 1 OFFSET \(Int.random(in: 0..<9, using: &random)))"
        }
        let node = "x = \(Int.random(in: 0..<6, using: &random)) AND y = 'n'"
        let code = Int.random(in: 0..<9, using: &random)
        let or = random.pick(["", "", "", "OR REPLACE ", "OR IGNORE "]) ?? ""
        switch Int.random(in: 0..<22, using: &random) {
        case 0...2:
            return
                "INSERT \(or)INTO parent VALUES ('\(shared("p"))', '\(token())', '\(token())', \(random.chance(50) ? "NULL" : "\(code)"))"
        case 3...5:
            return
                "UPDATE parent SET \(random.chance(50) ? "a" : "b") = '\(token())' WHERE id = \(known("parent"))"
        case 6: return "UPDATE \(or)parent SET code = \(code) WHERE id = \(known("parent"))"
        case 7:
            return
                "UPDATE \(or)parent SET id = '\(shared("p"))', a = '\(token())' WHERE id = \(known("parent"))"
        case 8...9: return "DELETE FROM parent WHERE id = \(known("parent"))"
        case 10...11:
            return
                "INSERT \(or)INTO child SELECT '\(shared("c"))', id, '\(token())', '\(token())' FROM parent WHERE id = \(known("parent"))"
        case 12...13:
            return
                "UPDATE child SET \(random.chance(50) ? "c" : "d") = '\(token())' WHERE id = \(known("child"))"
        case 14:
            return
                "UPDATE child SET parent = \(known("parent")) WHERE id = \(known("child")) AND EXISTS (SELECT 1 FROM parent WHERE id = \(known("parent")))"
        case 15: return "DELETE FROM child WHERE id = \(known("child"))"
        case 16:
            return
                "INSERT INTO parent VALUES ('\(shared("p"))', '\(token())', NULL, NULL) ON CONFLICT (id) DO UPDATE SET a = excluded.a"
        case 17: return "UPDATE parent SET a = a WHERE id = \(known("parent"))"
        case 18:
            return
                "INSERT \(or)INTO node VALUES (\(Int.random(in: 0..<6, using: &random)), 'n', NULL, NULL, '\(token())')"
        case 19:
            return
                "UPDATE node SET up_x = (SELECT x FROM node ORDER BY x LIMIT 1 OFFSET \(code % 4)), up_y = 'n', v = '\(token())' WHERE \(node)"
        case 20: return "UPDATE node SET v = '\(token())' WHERE \(node)"
        default: return "DELETE FROM node WHERE \(node)"
        }
    }

    // MARK: Exchanges

    /// One exchange over a network that loses so many of a hundred messages.
    func exchange(_ replica: SimulatedReplica, loss: Int) throws {
        let request = try replica.prepare(nonce: "n\(replica.number)-\(token())")
        let wire = try ExchangeRequest(decoding: request.encoded())
        if random.chance(loss) { return }
        func taken(_ frame: Frame) {
            // What a restored backup forgot before the hub took it is nobody's loss.
            guard case .outcomes(let outcomes) = frame, outcomes.status == .applied,
                let batch = request.batch
            else { return }
            note(batch)
        }
        if random.chance(loss) { try hub.exchange(wire) { (frame: Frame) in taken(frame) } }
        var exchange = Exchange(request)
        do {
            try hub.exchange(wire) { (frame: Frame) in
                let frame = try Frame(decoding: frame.encoded())
                taken(frame)
                if random.chance(20), loss > 0 { try edit(replica) }
                if random.chance(10), loss > 0 { try editCentrally() }
                if random.chance(loss) { throw Lost() }
                try replica.carryOut(try exchange.received(frame))
            }
        } catch is Lost {
            return
        } catch let error as HubError where error.isTransient {
            return
        }
    }

    private struct Lost: Error {}

    private func note(_ batch: Batch) {
        for change in batch.changes {
            let table = batch.tables.first { $0.name == change.table }?.columns ?? []
            let key = change.key.values.map(\.shown).joined(separator: "/")
            func add(_ column: Int, _ value: Value) {
                guard case .text(let text) = value,
                    ["a", "b", "c", "d", "v"].contains(table[column])
                else { return }
                pushed.insert(
                    Pushed(table: change.table, key: key, column: table[column], value: text))
            }
            switch change.operation {
            case .insert(let row): for (column, value) in row.enumerated() { add(column, value) }
            case .update(let edits): for edit in edits { add(edit.column, edit.new) }
            case .delete, .touch: break
            }
        }
    }

    // MARK: What must hold

    /// Lets everyone catch up over a good network; says what does not come to rest.
    func settle() throws -> String? {
        var before: [SyncCursor] = []
        for _ in 0..<60 {
            for replica in replicas { try exchange(replica, loss: 0) }
            let cursors = try replicas.map { try $0.cursor() }
            if try cursors == before && replicas.allSatisfy({ try $0.isQuiet() }) {
                return try problem()
            }
            before = cursors
        }
        return "not at rest after 60 rounds: \(try replicas.map { try $0.story() })"
    }

    private func problem() throws -> String? {
        for table in ["parent", "child", "node"] {
            let query = "SELECT * FROM \(table) ORDER BY 1, 2"
            let truth = try central.perform { try $0.run(query, []) }
            for replica in replicas {
                let mine = try replica.rows(query)
                if mine != truth {
                    return
                        "replica \(replica.number).\(table): here \(mine.filter { !truth.contains($0) }), hub \(truth.filter { !mine.contains($0) })"
                }
            }
        }
        for replica in replicas where try !replica.rows("PRAGMA foreign_key_check").isEmpty {
            return "replica \(replica.number): broken foreign keys"
        }
        return try lost()
    }

    func conflictCount() throws -> Int64 {
        let count = try central.perform { try $0.run("SELECT count(*) FROM moorage_conflict", []) }
        guard case .integer(let number)? = count.first?.first else { return 0 }
        return number
    }

    /// Every value that was pushed was applied, or is in the conflict log.
    private func lost() throws -> String? {
        var kept = Set(
            try central.perform { try $0.run("SELECT tbl, key, col, val FROM moorage_audit", []) }
                .map { row in
                    Pushed(
                        table: row[0].shown, key: row[1].shown, column: row[2].shown,
                        value: row[3].shown)
                })
        let log = try central.perform {
            try $0.run("SELECT table_name, row_key, mine FROM moorage_conflict", [])
        }
        for row in log {
            guard case .text(let mine) = row[2], case .object(let members) = try JSON(parsing: mine)
            else { continue }
            let key = try [Value](jsonText: row[1].shown).map(\.shown).joined(separator: "/")
            for member in members {
                if case .string(let value) = member.value {
                    kept.insert(
                        Pushed(table: row[0].shown, key: key, column: member.name, value: value))
                }
            }
        }
        let gone = pushed.subtracting(kept)
        return gone.isEmpty ? nil : "pushed, neither applied nor logged: \(Array(gone.prefix(3)))"
    }
}

extension Value {
    var shown: String {
        switch self {
        case .null: "NULL"
        case .integer(let number): String(number)
        case .real(let number): number.description
        case .text(let text): text
        case .blob(let bytes): "\(bytes)"
        }
    }
}

/// Ids from a seed.
final class SeededIDs: @unchecked Sendable {
    private let lock = NSLock()
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    func next() -> String { lock.withLock { UUIDText.random(using: &random) } }
}
