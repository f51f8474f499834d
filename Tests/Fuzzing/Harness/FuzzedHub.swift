import GRDB
import MoorageCore
import MoorageHub
import MoorageTesting
import MoorageWire

@testable import MoorageSQLite

/// A real hub on SQLite in memory, the same for each input: a copy of one that was attached once.
struct FuzzedHub {
    static let schema = """
        CREATE TABLE person (
          id TEXT NOT NULL PRIMARY KEY, email TEXT UNIQUE, age INTEGER CHECK (age >= 0),
          balance DECIMAL(10,2), born DATE, photo BLOB, boss TEXT REFERENCES person(id));
        CREATE TABLE task (
          id INTEGER NOT NULL PRIMARY KEY, person TEXT NOT NULL REFERENCES person(id), note JSON,
          done BOOLEAN, due TIMESTAMP);
        CREATE TABLE part (
          task INTEGER NOT NULL REFERENCES task(id) ON DELETE CASCADE, number INTEGER NOT NULL,
          weight REAL, ref UUID, PRIMARY KEY (task, number));
        """
    static let rows = """
        INSERT INTO person VALUES
          ('a', 'a@x', 30, 9.80, '1990-01-01', x'0102', NULL), ('b', 'b@x', 0, NULL, NULL, NULL, 'a'),
          ('é', NULL, NULL, 12345678.5, '2024-02-29', x'', 'b');
        INSERT INTO task VALUES
          (1, 'a', '{"x":[1,2]}', 0, '2024-01-01 00:00:00'), (2, 'b', NULL, 1, NULL), (-7, 'a', '3', NULL, NULL);
        INSERT INTO part VALUES
          (1, 1, 0.5, '00000000-0000-4000-8000-000000000001'), (1, 2, -0.0, NULL), (2, 1, NULL, NULL);
        """
    static let names = ["person", "task", "part"]
    static let epoch = "00000000-0000-4000-8000-00000000000e"
    static let replica = "00000000-0000-4000-8000-0000000000aa"

    private static let template = Result { () throws -> (DatabaseQueue, [TableDescription]) in
        let queue = try DatabaseQueue()
        try queue.write {
            try $0.execute(sql: schema)
            try $0.execute(sql: rows)
        }
        var ids = ["00000000-0000-4000-8000-0000000000bb", epoch].makeIterator()
        let tables = try SQLiteDatabase(queue: queue).perform { connection in
            let report = try Attachment(on: connection, makeID: { ids.next() ?? "more" })
                .attach(tables: nil)
            try connection.numberChanges()
            // Checkpoints contain nonces, and an input must mean the same each time.
            _ = try connection.run("UPDATE moorage_clock SET nonce = 'n' || number", [])
            return report.attached
        }
        return (queue, tables)
    }

    let queue: DatabaseQueue
    let database: SQLiteDatabase
    let hub: Hub

    init(rules: TableRules = TableRules()) throws {
        queue = try DatabaseQueue()
        try Self.template.get().0.backup(to: queue)
        database = SQLiteDatabase(queue: queue)
        let rules = Dictionary(uniqueKeysWithValues: Self.names.map { ($0, rules) })
        hub = Hub(
            database: database, configuration: HubConfiguration(rules: rules),
            makeID: { "00000000-0000-4000-8000-0000000000ee" })
    }

    static func tables() throws -> [TableDescription] { try template.get().1 }

    func request(
        cursor: SyncCursor = .start, batch: Batch? = nil, limits: PageLimits = PageLimits()
    ) throws -> ExchangeRequest {
        ExchangeRequest(
            replica: Self.replica, hub: nil, sentAt: 1_700_000_000_000,
            tables: try Self.tables().map {
                TableColumns(name: $0.name, columns: $0.columns.map(\.name))
            },
            cursor: cursor, schemaVersion: nil, batch: batch, limits: limits)
    }

    /// Returns the frames of one exchange, each encoded and decoded again. If the hub throws an
    /// error, that error is the last frame.
    func exchange(_ request: ExchangeRequest) throws -> [Frame] {
        var frames: [Frame] = []
        do {
            try hub.exchange(request) { (frame: Frame) in
                frames.append(try Frame(decoding: frame.encoded()))
            }
        } catch let error as HubError {
            frames.append(.error(error))
        }
        return frames
    }

    /// Everything that the tables of the owner and the hub contain, as text.
    func contents() throws -> [String] {
        try queue.read { db in
            let names = try String.fetchAll(
                db, sql: "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
            return try names.flatMap { name in
                try Row.fetchAll(db, sql: "SELECT * FROM \"\(name)\"").map { "\(name) \($0)" }
                    .sorted()
            }
        }
    }

    /// Checks what must be true of the central database at any time, and names what is not.
    func damage() throws -> String? {
        try queue.read { db in
            guard try String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok" else {
                return "the central file is damaged"
            }
            if try !Row.fetchAll(db, sql: "PRAGMA foreign_key_check").isEmpty {
                return "a central foreign key is broken"
            }
            for (number, table) in try String.fetchAll(
                db, sql: "SELECT name FROM moorage_table ORDER BY number"
            ).enumerated() {
                guard let problem = try Self.trackingProblem(db, table, number: number + 1) else {
                    continue
                }
                return problem
            }
            return nil
        }
    }

    /// A live row has exactly one live tracking row (T2).
    private static func trackingProblem(
        _ db: Database, _ table: String, number: Int
    ) throws -> String? {
        let names = try String.fetchAll(
            db,
            sql: "SELECT name FROM sqlite_master WHERE name LIKE 'moorage\\_track\\_%' ESCAPE '\\'")
        guard let track = names.first(where: { $0.hasSuffix("_\(table)") }) else {
            return "\(table) has no tracking table"
        }
        let rows = try Int.fetchOne(db, sql: "SELECT count(*) FROM \"\(table)\"")
        let live = try Int.fetchOne(db, sql: "SELECT count(*) FROM \"\(track)\" WHERE live")
        return rows == live ? nil : "\(table) has \(rows ?? 0) rows, and \(live ?? 0) are tracked"
    }
}
