import Foundation
import GRDB
import MoorageCore
import MoorageHub
import MoorageSQLite
import MoorageSupport
import MoorageTesting
import MoorageWire

@testable import Moorage

/// A replica on a disk that fails on demand, and a real hub on another disk. Tests call each step
/// themselves.
final class DiskBench {
    struct State {
        let device: SimulatedDisk.Snapshot
        let hub: SimulatedDisk.Snapshot
    }

    struct Safety: CustomStringConvertible, Sendable {
        let journal: String
        let synchronous: String
        var description: String { "\(journal) \(synchronous)" }
    }

    static let centralSchema = """
        CREATE TABLE customer(id TEXT NOT NULL PRIMARY KEY, email TEXT UNIQUE, name TEXT);
        CREATE TABLE orders(
          id INTEGER NOT NULL PRIMARY KEY, customer TEXT REFERENCES customer(id), note TEXT);
        CREATE TABLE line(
          orders INTEGER NOT NULL REFERENCES orders(id) ON DELETE CASCADE,
          number INTEGER NOT NULL, quantity INTEGER, PRIMARY KEY(orders, number));
        INSERT INTO customer VALUES('a', 'a@x', 'Anna'), ('b', 'b@x', 'Bert');
        INSERT INTO orders VALUES(1, 'a', 'first'), (2, 'b', 'second');
        INSERT INTO line VALUES(1, 1, 10), (1, 2, 20), (2, 1, 30);
        """

    static let localSchema = """
        CREATE TABLE customer(id TEXT NOT NULL PRIMARY KEY, email TEXT UNIQUE, name TEXT);
        CREATE TABLE orders(
          id INTEGER NOT NULL PRIMARY KEY, customer TEXT REFERENCES customer(id), note TEXT,
          draft TEXT);
        CREATE TABLE line(
          orders INTEGER NOT NULL REFERENCES orders(id) ON DELETE CASCADE,
          number INTEGER NOT NULL, quantity INTEGER, PRIMARY KEY(orders, number));
        INSERT INTO customer VALUES('d', 'd@x', 'Dora');
        INSERT INTO orders VALUES(4, 'd', 'from before', NULL);
        """

    static let now: Int64 = 1_700_000_000_000

    let safety: Safety
    let disk: SimulatedDisk
    let store = ReplicaStore(
        tables: ["customer", "orders", "line"].map { .table($0, firstContact: .upload) })
    private let hubDisk: SimulatedDisk
    private let ids = Locked(0)
    private(set) var queue: DatabaseQueue
    private(set) var central: SQLiteDatabase
    private(set) var hub: Hub
    private(set) var forks = 0

    /// Fills the app's tables, and makes no replica yet.
    init(_ safety: Safety = Safety(journal: "delete", synchronous: "FULL")) throws {
        self.safety = safety
        disk = try SimulatedDisk(seed: 1)
        hubDisk = try SimulatedDisk(seed: 2)
        disk.clock = Self.now
        hubDisk.clock = Self.now
        queue = try Self.open(disk, safety)
        central = try SQLiteDatabase(path: hubDisk.path("central.sqlite"))
        hub = Hub(database: central)
        try queue.write { try $0.execute(sql: Self.localSchema) }
        try central.execute(Self.centralSchema)
        try attach()
    }

    private static func open(_ disk: SimulatedDisk, _ safety: Safety) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            try db.execute(
                sql: """
                    PRAGMA journal_mode = \(safety.journal);
                    PRAGMA synchronous = \(safety.synchronous);
                    """)
        }
        return try disk.queue("app.sqlite", configuration: configuration)
    }

    private func nextID() -> String {
        let number = ids.withLock {
            $0 += 1
            return $0
        }
        return "00000000-0000-4000-8000-" + String(format: "%012d", number)
    }

    func attach(newEpoch: Bool = false) throws {
        let id = { self.nextID() }
        try central.perform { connection in
            _ = try Attachment(on: connection, makeID: id).attach(tables: nil, newEpoch: newEpoch)
        }
    }

    // MARK: States

    func state() -> State { State(device: disk.snapshot(), hub: hubDisk.snapshot()) }

    func restore(_ state: State) throws {
        try hubDisk.restore(state.hub)
        central = try SQLiteDatabase(path: hubDisk.path("central.sqlite"))
        hub = Hub(database: central)
        try restore(device: state.device)
    }

    func restore(device: SimulatedDisk.Snapshot) throws {
        try disk.restore(device)
        try reopen()
    }

    func reopen() throws { queue = try Self.open(disk, safety) }

    /// Everything in the file, as text.
    func dump() throws -> String {
        try queue.read { db in
            let names = try String.fetchAll(
                db, sql: "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
            let parts = try names.map { name in
                try Row.fetchAll(db, sql: "SELECT * FROM \(SQLText.name(name))")
                    .map(\.description).joined(separator: "\n")
            }
            return zip(names, parts).map { "\($0)\n\($1)" }.joined(separator: "\n")
                + (try String.fetchAll(
                    db, sql: "SELECT name FROM sqlite_master WHERE type = 'trigger' ORDER BY 1"
                )).joined()
        }
    }

    // MARK: The replica's steps

    func openReplica() throws { try write { try store.open($0, newID: nextID()) } }

    func write<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try queue.writeWithoutTransaction(body)
    }

    func prepare(nonce: String) throws {
        try write {
            _ = try store.prepareBatch($0, now: DeviceTime(milliseconds: disk.clock), nonce: nonce)
        }
    }

    func request() throws -> ExchangeRequest {
        try write {
            try store.request($0, now: DeviceTime(milliseconds: disk.clock), limits: PageLimits())
                .request
        }
    }

    func answer(_ request: ExchangeRequest) throws -> [Frame] {
        var frames: [Frame] = []
        try hub.exchange(try ExchangeRequest(decoding: request.encoded())) { (frame: Frame) in
            frames.append(try Frame(decoding: frame.encoded()))
        }
        return frames
    }

    func carryOut(_ effect: Exchange.Effect, newID: String) throws {
        let now = DeviceTime(milliseconds: disk.clock)
        try write { db in
            switch effect {
            case .none, .resend, .finish: break
            case .adopt(let welcome):
                try store.adopt(db, welcome)
            case .apply(let outcomes, let page):
                _ = try store.apply(
                    db, outcomes: outcomes, page: page, at: ExchangeTime(now))
            case .fork:
                forks += 1
                try store.fork(db, newID: newID)
            case .unprepare: try store.unprepare(db, halving: true)
            case .reconcile:
                try store.reconcile(db, newID: newID, at: ExchangeTime(now))
            case .rescan: try store.rescan(db)
            }
        }
    }

    /// Runs one exchange. `between` runs after the first frame, while the batch is in flight.
    func exchange(between: () throws -> Void = {}) throws {
        try prepare(nonce: nextID())
        let request = try request()
        var exchange = Exchange(request)
        for (index, frame) in try answer(request).enumerated() {
            try carryOut(try exchange.received(frame), newID: nextID())
            if index == 0 { try between() }
        }
    }

    /// Exchanges until nothing is left to do.
    func converge() throws {
        for _ in 0..<12 {
            try exchange()
            let isQuiet = try write { db in
                let meta = Metadata(db: db)
                return try !store.hasLocalChanges(db) && meta.inFlightBatch() == nil
                    && meta.cursor().scan == nil && meta.cursor().checkpoint != nil
            }
            if isQuiet { return }
        }
        throw ReplicaError.protocolViolation("the replica does not come to rest")
    }

    // MARK: Inspecting

    static let queries = [
        "SELECT id, email, name FROM customer ORDER BY 1",
        "SELECT id, customer, note FROM orders ORDER BY 1",
        "SELECT orders, number, quantity FROM line ORDER BY 1, 2",
    ]

    func rowsHere() throws -> [String] {
        try queue.read { db in
            try Self.queries.flatMap { sql in
                try Row.fetchAll(db, sql: sql).map { row in
                    row.databaseValues.map { $0.isNull ? "∅" : "\($0.storage.value ?? "")" }
                        .joined(separator: "|")
                }
            }
        }
    }

    func rowsAtHub() throws -> [String] {
        try Self.queries.flatMap { sql in
            try central.perform { try $0.run(sql, []) }
                .map { $0.map(Device.text).joined(separator: "|") }
        }
    }

    func note(ofOrder id: Int) throws -> String? {
        let rows = try central.perform {
            try $0.run("SELECT note FROM orders WHERE id = \(id)", [])
        }
        return rows.first.map { Device.text($0[0]) }
    }

    /// The damage that SQLite itself finds in the file.
    func damage() throws -> [String] {
        try queue.read { db in
            let found = try String.fetchAll(db, sql: "PRAGMA integrity_check")
            return found.filter { $0 != "ok" }
                + (try Row.fetchAll(db, sql: "PRAGMA foreign_key_check")).map(\.description)
        }
    }

    /// The numbers of the calls to fail: all of them by night, and about `atMost` by day.
    static func numbers(_ count: Int, atMost: Int) -> [Int] {
        guard count > 0 else { return [] }
        let step = isNightly ? 1 : max(1, count / atMost)
        return Array(stride(from: 1, through: count, by: step))
    }
}
