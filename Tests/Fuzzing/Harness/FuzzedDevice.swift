import GRDB
import MoorageCore
import MoorageTesting
import MoorageWire

@testable import Moorage

/// The real store of a device in memory that has read the fuzzed hub, edited rows, prepared a batch
/// and edited again; the same for each input.
struct FuzzedDevice {
    private static let now: DeviceTime = 1_700_000_000_000
    private static let tables = FuzzedHub.names.map { ReplicaTable.table($0) }

    /// Edits that are in flight, and edits that are not yet.
    private static let pushed = """
        UPDATE person SET email = 'new@x', age = 31 WHERE id = 'a';
        INSERT INTO person(id, email) VALUES('c', 'c@x');
        DELETE FROM part WHERE number = 2;
        """
    private static let pending = """
        UPDATE person SET age = 32 WHERE id = 'a';
        UPDATE task SET note = '[]' WHERE id = 2;
        INSERT INTO person(id, boss) VALUES('d', 'c');
        DELETE FROM task WHERE id = -7;
        INSERT OR IGNORE INTO person(id, email) VALUES('e', 'b@x');
        """

    private static let template = Result { () throws -> (DatabaseQueue, ExchangeRequest) in
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: FuzzedHub.schema) }
        let device = FuzzedDevice(queue: queue)
        try queue.writeWithoutTransaction {
            try device.store.open($0, newID: FuzzedHub.replica)
        }
        let hub = try FuzzedHub()
        var exchange = Exchange(try device.request())
        for frame in try hub.exchange(try device.request()) {
            try device.carryOut(try exchange.received(frame))
        }
        try queue.write { try $0.execute(sql: pushed) }
        _ = try queue.writeWithoutTransaction {
            try device.store.prepareBatch($0, now: now, nonce: "n")
        }
        try queue.write { try $0.execute(sql: pending) }
        return (queue, try device.request())
    }

    let queue: DatabaseQueue
    private let store = ReplicaStore(tables: FuzzedDevice.tables)

    private init(queue: DatabaseQueue) { self.queue = queue }

    init() throws {
        self.init(queue: try DatabaseQueue())
        try Self.template.get().0.backup(to: queue)
        // A copied file counts its schema on: it would be taken for one that moved.
        try queue.writeWithoutTransaction {
            try Metadata(db: $0).set(.cookie, try ReplicaStore.cookie($0))
        }
    }

    /// What every such device asks.
    static func firstRequest() throws -> ExchangeRequest { try template.get().1 }

    private func request() throws -> ExchangeRequest {
        try queue.writeWithoutTransaction {
            try store.request($0, now: Self.now, limits: PageLimits()).request
        }
    }

    /// The frame as it would have to be for the device to look at it closely: a page continues the
    /// device's cursor, for any other is dropped.
    func fitting(_ frame: Frame) throws -> Frame {
        guard case .page(let page) = frame else { return frame }
        let cursor = try queue.read { try Metadata(db: $0).cursor() }
        return .page(
            Page(
                since: cursor, cursor: page.cursor, isCaughtUp: page.isCaughtUp,
                tables: page.tables, removals: page.removals, withheld: page.withheld,
                expectedRows: page.expectedRows, expectedTables: page.expectedTables))
    }

    func carryOut(_ effect: Exchange.Effect) throws {
        try queue.writeWithoutTransaction { db in
            switch effect {
            case .none, .resend, .finish: break
            case .adopt(let welcome):
                try store.adopt(db, welcome)
            case .apply(let outcomes, let page):
                _ = try store.apply(
                    db, outcomes: outcomes, page: page,
                    at: ExchangeTime(
                        here: Self.now, hub: HubTime(milliseconds: Self.now.milliseconds)))
            case .fork: try store.fork(db, newID: "00000000-0000-4000-8000-0000000000cc")
            case .unprepare: try store.unprepare(db, halving: true)
            case .reconcile:
                try store.reconcile(
                    db, newID: "00000000-0000-4000-8000-0000000000dd",
                    at: ExchangeTime(
                        here: Self.now, hub: HubTime(milliseconds: Self.now.milliseconds)))
            case .rescan: try store.rescan(db)
            }
            // What the log says can always be folded into a batch again.
            _ = try store.prepareBatch(db, now: Self.now, nonce: "m")
        }
    }

    // MARK: What must hold

    /// The log without candidates: what the user did and nobody has answered.
    func localChanges() throws -> [String] {
        try queue.read { db in
            try FuzzedHub.names.flatMap { name in
                try Row.fetchAll(
                    db, sql: "SELECT * FROM _moorage_log_\(name) WHERE op <> 'C' ORDER BY seq"
                ).map { "\($0)" }
            } + Row.fetchAll(db, sql: "SELECT * FROM _moorage_inflight").map { "\($0)" }
        }
    }

    func problem(after effect: Exchange.Effect, localChanges before: [String]) throws -> String? {
        switch effect {
        case .none, .resend, .finish:
            if try localChanges() != before { return "nothing was to be done, and the log changed" }
        case .apply(nil, _):
            // A candidate that a page decides becomes a delete: local changes may be added, never lost.
            let now = Set(try localChanges())
            if before.contains(where: { !now.contains($0) }) { return "a note was lost" }
        case .rescan:
            if try localChanges() != before { return "the device starts over, and the log changed" }
        case .apply, .adopt, .fork, .unprepare, .reconcile: break
        }
        return try damage()
    }

    func damage() throws -> String? {
        try queue.read { db in
            guard try String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok" else {
                return "the device's file is damaged"
            }
            if try Int.fetchOne(db, sql: "SELECT count(*) FROM _moorage_applying") != 0 {
                return "the guard row is still there (D1)"
            }
            if try Int.fetchOne(db, sql: "PRAGMA foreign_keys") != 1 {
                return "foreign keys are off"
            }
            _ = try Metadata(db: db).cursor()
            return nil
        }
    }

    // MARK: Seeds

    /// What a hub might answer to the device's request, nearly.
    static func randomAnswer(using random: inout SeededGenerator) throws -> [UInt8] {
        let hub = try FuzzedHub(rules: TableRules(rule: random.one(of: MergeRule.deciding)))
        for statement in [
            "UPDATE person SET email = 'z@x' WHERE id = 'b'", "DELETE FROM part WHERE task = 2",
            "UPDATE person SET email = 'b@x', age = 7 WHERE id = 'a'",
            "INSERT INTO person(id, email) VALUES('f', 'f@x')", "DELETE FROM task WHERE id = 2",
            "UPDATE task SET id = 9 WHERE id = 1", "UPDATE person SET boss = NULL, age = NULL",
        ] where random.once(in: 3) {
            try? hub.queue.write { try $0.execute(sql: statement) }
        }
        let request = try firstRequest()
        let limits = PageLimits(
            maximumRows: random.below(6) + 1, maximumPages: random.below(3) + 1)
        let cursor = random.once(in: 4) ? SyncCursor.start : request.cursor
        let frames = try hub.exchange(
            ExchangeRequest(
                replica: request.replica, hub: request.hub, sentAt: request.sentAt,
                tables: request.tables, cursor: cursor,
                schemaVersion: random.once(in: 4) ? nil : request.schemaVersion,
                batch: request.batch, limits: limits))
        let isSpoilt = random.once(in: 2)
        return Array(
            frames.map { (isSpoilt ? spoilt($0, using: &random) : $0).encoded() }
                .joined(separator: [0x0A]))
    }

    /// A page with values that its columns were not made for.
    private static func spoilt(_ frame: Frame, using random: inout SeededGenerator) -> Frame {
        guard case .page(let page) = frame else { return frame }
        let tables = page.tables.map { table in
            TableRows(
                table: table.table, columns: table.columns,
                rows: table.rows.map { row in
                    row.map { random.once(in: 10) ? Value.random(using: &random) : $0 }
                })
        }
        return .page(
            Page(
                since: page.since, cursor: page.cursor, isCaughtUp: page.isCaughtUp,
                tables: tables, removals: page.removals))
    }
}
