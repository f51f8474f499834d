import GRDB
import Moorage
import MoorageCore
import MoorageHub
import MoorageSQLite
import TestSupport
import Testing

/// The hub's answer restores what a device writes into a down-only column.
@Suite(.ownThreads) struct `Columns that only come down` {
    private struct Bench {
        let central: SQLiteDatabase
        let hub: Hub

        init() async throws {
            central = try SQLiteDatabase()
            try central.execute(
                """
                CREATE TABLE item(
                  id INTEGER PRIMARY KEY, name TEXT, grade INTEGER DEFAULT 3, mark TEXT,
                  double INTEGER GENERATED ALWAYS AS (id * 2) STORED);
                INSERT INTO item(id, name, grade) VALUES (1, 'a', 5), (2, 'b', 6), (3, 'c', 7);
                """)
            var configuration = HubConfiguration()
            configuration.columns = ["item": ColumnSettings(downOnly: ["grade", "mark"])]
            hub = Hub(database: central, configuration: configuration)
            _ = try await hub.attach()
        }
    }

    private func rows(_ file: DatabaseQueue) throws -> [[String]] {
        try file.read { db in
            try Row.fetchAll(db, sql: "SELECT id, name, grade, double FROM item ORDER BY id")
                .map { row in row.databaseValues.map(\.description) }
        }
    }

    @Test(arguments: ["grade = 9", "double = 9", "grade = NULL", "grade = 9, double = 9"])
    func `are put right, alone and beside an edit that counts`(edit: String) async throws {
        let bench = try await Bench()
        let file = try DatabaseQueue()
        let replica = try await Replica.clone(
            into: file, from: .direct(bench.hub), tables: ["item"])
        try await file.write {
            try $0.execute(sql: "UPDATE item SET \(edit) WHERE id = 1")
            try $0.execute(sql: "UPDATE item SET name = 'edited', \(edit) WHERE id = 2")
        }
        let summary = try await replica.sync()
        #expect(summary.changesRefused == 0)
        let expected = [
            ["1", "\"a\"", "5", "2"], ["2", "\"edited\"", "6", "4"], ["3", "\"c\"", "7", "6"],
        ]
        #expect(try rows(file) == expected)
        #expect(try await replica.verify().isEmpty)
        #expect(try await replica.pendingChanges.fetch().isEmpty)
    }

    @Test func `are the centre's in a row that is inserted, deleted or reverted`() async throws {
        let bench = try await Bench()
        let file = try DatabaseQueue()
        let replica = try await Replica.clone(
            into: file, from: .direct(bench.hub), tables: ["item"])
        try await file.write { db in
            try db.execute(
                sql: "INSERT INTO item(id, name, grade, double, mark) VALUES (4, 'd', 9, 9, 'm')")
            try db.execute(sql: "UPDATE item SET grade = 9 WHERE id = 1")
            try db.execute(sql: "DELETE FROM item WHERE id = 1")
            try db.execute(sql: "UPDATE item SET grade = 9, double = 9 WHERE id = 3")
        }
        let pending = try await replica.pendingChanges.fetch().filter {
            $0.key == RowKey([.integer(3)])
        }
        try await replica.revert(pending)
        try await replica.sync()
        let expected = [
            ["2", "\"b\"", "6", "4"], ["3", "\"c\"", "7", "6"], ["4", "\"d\"", "3", "8"],
        ]
        #expect(try rows(file) == expected)
        #expect(try await replica.verify().isEmpty)
        let central = try bench.central.perform { try $0.run("SELECT count(*) FROM item", []) }
        #expect(central == [[.integer(3)]])
    }
}
