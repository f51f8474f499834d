import GRDB
import MoorageCore
import MoorageHub
import Testing

@testable import MoorageSQLite

/// `REPLACE` removes rows and fires no delete trigger.
@Suite struct `A row that another statement replaced` {
    /// The keys that are live by the tracking table once everything has a number.
    private func live(after sql: String) throws -> [Value] {
        let database = try SQLiteDatabase(
            queue: DatabaseQueue(configuration: Self.configuration))
        try database.execute(
            """
            CREATE TABLE item (
              id INTEGER PRIMARY KEY, code INTEGER UNIQUE,
              up INTEGER REFERENCES item(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED);
            INSERT INTO item VALUES (1, 10, NULL), (2, 20, 1), (3, 30, 2), (4, 40, NULL);
            """)
        let report = try database.perform { connection in
            try Attachment(on: connection, makeID: { "id" }).attach(tables: nil)
        }
        #expect(report.attached.map(\.name) == ["item"])
        try database.execute(sql)
        return try database.perform { connection in
            try connection.numberChanges()
            return try connection.run(
                "SELECT k0 FROM moorage_track_1_item WHERE live ORDER BY k0", []
            ).map { $0[0] }
        }
    }

    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = true
        return configuration
    }

    @Test(arguments: [
        ("INSERT OR REPLACE INTO item VALUES (5, 40, NULL)", [1, 2, 3, 5]),
        ("UPDATE OR REPLACE item SET code = 40 WHERE id = 1", [1, 2, 3]),
        ("UPDATE OR REPLACE item SET id = 4 WHERE id = 3", [1, 2, 4]),
        // The cascade takes the very row that moves: nobody is left under either key.
        ("UPDATE OR REPLACE item SET id = 1 WHERE id = 3", [4]),
    ])
    func `is gone at the hub too`(sql: String, left: [Int64]) throws {
        #expect(try live(after: sql) == left.map(Value.integer))
    }
}
