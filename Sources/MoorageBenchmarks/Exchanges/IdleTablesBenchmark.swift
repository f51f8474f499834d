import Foundation
import GRDB
import Moorage
import MoorageHub
import MoorageSQLite

/// A sync with nothing to do in a file of many tables: what each table costs.
struct IdleTablesBenchmark {
    let folder: URL

    private static let times = 20

    func run(_ report: Report) async throws {
        let (few, many) = (try await ManyTables(folder, 1), try await ManyTables(folder, 201))
        var single: [Double] = []
        var (opened, first, again): ([Double], [Double], [Double]) = ([], [], [])
        let reference = try await few.open()
        for _ in 0..<Self.times {
            single.append(try await Cost.measure { _ = try await reference.sync() }.wall)
            var replica: Replica?
            opened.append(try await Cost.measure { replica = try await many.open() }.wall)
            first.append(try await Cost.measure { _ = try await replica?.sync() }.wall)
            again.append(try await Cost.measure { _ = try await replica?.sync() }.wall)
        }
        report.latencies(
            "a sync with nothing to do, hub on SQLite in process",
            [
                ("1 table, a sync", single), ("201 tables, the replica opened", opened),
                ("201 tables, the first sync", first), ("201 tables, another sync", again),
            ])
    }
}

/// A hub with many small tables, and a device's file that has them all.
struct ManyTables {
    private let hub: Hub
    private let names: [String]
    let path: String

    /// All tables but the first refer to the first.
    init(_ folder: URL, _ count: Int) async throws {
        names = (0..<count).map { "item_\($0)" }
        let central = folder.appending(path: "\(UUID().uuidString).db").path
        let owner = try RawSQLite(central)
        for (number, name) in names.enumerated() {
            let parent = number == 0 ? "" : ", parent TEXT REFERENCES item_0(id)"
            try owner.run(
                """
                CREATE TABLE \(name) (
                  id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL, note TEXT, quantity INTEGER,
                  flags INTEGER, price REAL, updated_at TEXT\(parent));
                INSERT INTO \(name)(id, name) VALUES ('a', 'one')
                """)
        }
        hub = Hub(database: try SQLiteDatabase(path: central))
        _ = try await hub.attach()
        path = folder.appending(path: "\(UUID().uuidString).db").path
        _ = try await Replica.clone(
            into: try DatabaseQueue(path: path), from: .direct(hub), tables: names)
    }

    /// The file as a process of its own opens it: nothing is known of it.
    func open() async throws -> Replica { try await open(DatabaseQueue(path: path)) }

    func open(_ database: DatabaseQueue) async throws -> Replica {
        try await Replica(
            database: database, hub: .direct(hub), tables: names.map { .table($0) })
    }
}
