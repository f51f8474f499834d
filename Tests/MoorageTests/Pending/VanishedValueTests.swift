import GRDB
import MoorageCore
import MoorageHub
import MoorageSQLite
import TestSupport
import Testing

@testable import Moorage

/// What a device wrote either arrives or is listed.
@Suite(.ownThreads) struct `A value that cannot be sent` {
    private struct Bench {
        let central: SQLiteDatabase
        let file: DatabaseQueue
        let replica: Replica

        /// - Parameter item: What follows the type of `item.name`.
        init(
            _ item: String = "", _ direction: TableDirection = .both, _ rule: MergeRule = .newest,
            _ options: ReplicaOptions = ReplicaOptions()
        ) async throws {
            central = try SQLiteDatabase()
            try central.execute(
                """
                CREATE TABLE item(
                  id INTEGER PRIMARY KEY, name TEXT \(item), grade INTEGER DEFAULT 3,
                  double INTEGER GENERATED ALWAYS AS (id * 2) STORED);
                INSERT INTO item(id, name, grade) VALUES (1, 'a', 5), (2, 'b', 6);
                CREATE TABLE word(id TEXT PRIMARY KEY NOT NULL, meaning TEXT);
                """)
            var configuration = HubConfiguration()
            configuration.columns = ["item": ColumnSettings(downOnly: ["grade"])]
            configuration.directions = ["item": direction]
            configuration.rules = ["item": TableRules(rule: rule)]
            let hub = Hub(database: central, configuration: configuration)
            _ = try await hub.attach()
            file = try DatabaseQueue()
            replica = try await Replica.clone(
                into: file, from: .direct(hub), tables: ["item", "word"], options: options)
        }
    }

    @Test func `is listed where its column only comes down`() async throws {
        let bench = try await Bench()
        try await bench.file.run(
            """
            UPDATE item SET grade = 9 WHERE id = 1;
            UPDATE item SET grade = 8, name = 'edited' WHERE id = 2;
            INSERT INTO item(id, name, grade) VALUES (4, 'd', 7)
            """)
        try await bench.replica.sync()
        #expect(try await bench.file.texts("SELECT grade FROM item") == ["5", "6", "3"])
        let refused = try await bench.replica.refusedChanges.fetch()
        #expect(refused.map(\.key) == [1, 2, 4].map { RowKey([.integer($0)]) })
        #expect(refused.allSatisfy { $0.code == .readOnly && $0.kind == .update })
        #expect(refused.map(\.after) == [9, 8, 7].map { ["grade": .integer($0)] })
        #expect(refused.prefix(2).map(\.before) == [5, 6].map { ["grade": .integer($0)] })
        #expect(refused.allSatisfy { !$0.isBlocked })
        #expect(bench.replica.status.refusedCount == 3)
        #expect(try await bench.replica.pendingChanges.fetch().isEmpty)
    }

    @Test func `is listed of a table that goes up only`() async throws {
        let bench = try await Bench("", .up)
        try await bench.file.run("INSERT INTO item(id, name, grade) VALUES (4, 'd', 7)")
        try await bench.replica.sync()
        #expect(try await bench.file.texts("SELECT grade FROM item") == ["7"])
        #expect(
            try await bench.replica.refusedChanges.fetch().map(\.after) == [["grade": .integer(7)]])
    }

    @Test func `is listed where another row holds the place of the hub's`() async throws {
        var options = ReplicaOptions()
        options.maximumRowsPerBatch = 1
        let bench = try await Bench("UNIQUE", .both, .server, options)
        try await bench.file.run("INSERT INTO item(id, name, grade) VALUES (4, 'd', 7)")
        try await bench.file.run("INSERT INTO item(id, name) VALUES (5, 'e')")
        try bench.central.execute("INSERT INTO item(id, name, grade) VALUES (4, 'e', 2)")
        try await bench.replica.sync()
        #expect(try await bench.file.texts("SELECT grade FROM item WHERE id = 4") == ["2"])
        let listed = try await bench.replica.refusedChanges.fetch().filter { $0.code == .readOnly }
        #expect(listed.map(\.key) == [RowKey([.integer(4)])])
        #expect(listed.map { $0.after["grade"] } == [.integer(7)])
    }

    @Test func `is listed under the key that the hub gave its row`() async throws {
        let bench = try await Bench("", .both, .keepBoth)
        try await bench.file.run("INSERT INTO item(id, name, grade) VALUES (4, 'd', 7)")
        try bench.central.execute("INSERT INTO item(id, name, grade) VALUES (4, 'e', 7)")
        try await bench.replica.sync()
        let row = try await bench.file.texts("SELECT id, grade FROM item WHERE name = 'd'")
        #expect(row == ["5|3"])
        let listed = try await bench.replica.refusedChanges.fetch()
        #expect(listed.map(\.key) == [RowKey([.integer(5)])])
        #expect(listed.map { $0.after["grade"] } == [.integer(7)])
    }

    @Test func `is not listed where the hub has the same`() async throws {
        let bench = try await Bench()
        try await bench.file.run(
            """
            INSERT INTO item(id, name, grade, double) VALUES (4, 'd', 3, 8), (5, 'e', NULL, NULL);
            INSERT INTO item(id, name) VALUES (6, 'f');
            UPDATE item SET double = 9 WHERE id = 1; UPDATE item SET double = 2 WHERE id = 1
            """)
        try await bench.replica.sync()
        #expect(try await bench.replica.refusedChanges.fetch().isEmpty)
        #expect(bench.replica.status.refusedCount == 0)
    }

    @Test func `of a key that is not UTF-8 stays in the log, and is listed`() async throws {
        let bench = try await Bench()
        try await bench.file.run(
            """
            INSERT INTO word VALUES(CAST(x'61ff62' AS TEXT), 'odd'), ('plain', 'even')
            """)
        let summary = try await bench.replica.sync()
        #expect(summary.changesPushed == 1 && summary.changesRefused == 0)
        #expect(try await bench.replica.refusedChanges.fetch().map(\.code) == [.invalidText])
        #expect(try await bench.replica.refusedChanges.fetch().map(\.isBlocked) == [true])
        #expect(try await bench.replica.pendingChanges.fetch().map(\.kind) == [.insert])
        #expect(bench.replica.status.pendingCount == 1)
        #expect(try await bench.replica.verify().isEmpty)
        try await bench.file.run("UPDATE word SET id = 'mended' WHERE meaning = 'odd'")
        try await bench.replica.sync()
        #expect(try await bench.replica.pendingChanges.fetch().isEmpty)
        #expect(try await bench.replica.refusedChanges.fetch().isEmpty)
        #expect(try await bench.replica.verify().isEmpty)
        let central = try bench.central.perform {
            try $0.run("SELECT id FROM word ORDER BY id", [])
        }
        #expect(central == [[.text("mended")], [.text("plain")]])
    }

    @Test func `of a key that is not UTF-8 can be reverted`() async throws {
        let bench = try await Bench()
        try await bench.file.run("INSERT INTO word VALUES(CAST(x'61ff62' AS TEXT), 'odd')")
        try await bench.replica.sync()
        try await bench.replica.revertAll()
        #expect(try await bench.file.texts("SELECT meaning FROM word") == [])
        try await bench.replica.sync()
        #expect(try await bench.replica.pendingChanges.fetch().isEmpty)
        #expect(try await bench.replica.refusedChanges.fetch().isEmpty)
    }
}
