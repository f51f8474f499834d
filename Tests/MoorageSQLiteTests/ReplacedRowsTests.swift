import GRDB
import MoorageCore
import MoorageHub
import TestSupport
import Testing

@testable import MoorageSQLite

/// `REPLACE` removes rows and fires no delete trigger.
@Suite(.ownThreads) struct `A row that another statement replaced` {
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

    /// A key that calls different bytes equal, and keys that are no whole columns.
    private static let odd: [(table: String, sql: [String])] = [
        (
            "CREATE TABLE part (k TEXT PRIMARY KEY COLLATE NOCASE, email TEXT)",
            [
                "INSERT OR REPLACE INTO part VALUES ('A', 'new')",
                "UPDATE OR REPLACE part SET k = 'A' WHERE k = 'b'",
                "UPDATE part SET k = 'A' WHERE k = 'a'",
            ]
        ),
        (
            "CREATE TABLE part (k TEXT, email TEXT, PRIMARY KEY (k COLLATE NOCASE)) WITHOUT ROWID",
            ["INSERT OR REPLACE INTO part VALUES ('A', 'new')"]
        ),
        (
            "CREATE TABLE part (k TEXT PRIMARY KEY, email TEXT)",
            [
                "UPDATE part SET k = NULL WHERE k = 'a'",
                "UPDATE part SET k = NULL; UPDATE part SET k = 'c' WHERE email = 'x'",
            ]
        ),
        (
            """
            CREATE TABLE part (k TEXT PRIMARY KEY, email TEXT, active INTEGER DEFAULT 1);
            CREATE UNIQUE INDEX one ON part(email /* the ( first */) WHERE part.active = 1 -- only
            """,
            [
                "INSERT OR REPLACE INTO part (k, email) VALUES ('c', 'x')",
                "UPDATE OR REPLACE part SET email = 'x' WHERE k = 'b'",
                """
                INSERT INTO part VALUES ('c', 'x', 0);
                UPDATE OR REPLACE part SET active = 1 WHERE k = 'c'
                """,
            ]
        ),
        (
            """
            CREATE TABLE part (k TEXT PRIMARY KEY, email TEXT, "a ""b" TEXT DEFAULT ',)');
            CREATE UNIQUE INDEX one ON part("a ""b", lower(email || ',)' /* ) */) COLLATE RTRIM DESC)
            """,
            [
                "INSERT OR REPLACE INTO part (k, email) VALUES ('c', 'X')",
                "UPDATE OR REPLACE part SET email = 'X' WHERE k = 'b'",
            ]
        ),
        (
            "CREATE TABLE part (k TEXT PRIMARY KEY, email TEXT); CREATE UNIQUE INDEX one ON part((1)) WHERE k <> 'b'",
            ["INSERT OR REPLACE INTO part VALUES ('c', 'z')"]
        ),
        (
            """
            CREATE TABLE part (
              k TEXT PRIMARY KEY, email TEXT, host TEXT DEFAULT 'h',
              address TEXT AS (lower(email) || '@' || host) UNIQUE)
            """,
            [
                "INSERT OR REPLACE INTO part (k, email) VALUES ('c', 'X')",
                "UPDATE OR REPLACE part SET email = 'X' WHERE k = 'b'",
                """
                INSERT INTO part (k, email, host) VALUES ('c', 'x', 'other');
                UPDATE OR REPLACE part SET host = 'h' WHERE k = 'c'
                """,
            ]
        ),
        (
            """
            CREATE TABLE part (k TEXT PRIMARY KEY, email TEXT);
            CREATE UNIQUE INDEX one ON part(email COLLATE NOCASE)
            """,
            ["INSERT OR REPLACE INTO part VALUES ('c', 'X')"]
        ),
        (
            "CREATE TABLE part (k TEXT PRIMARY KEY, email TEXT NOT NULL DEFAULT 'x' UNIQUE)",
            ["INSERT OR REPLACE INTO part VALUES ('c', NULL)"]
        ),
        (
            "CREATE TABLE part (k INTEGER PRIMARY KEY, email TEXT)",
            [
                "UPDATE part SET rowid = 9 WHERE email = 'x'",
                "UPDATE OR REPLACE part SET _rowid_ = (SELECT k FROM part WHERE email = 'y') WHERE email = 'x'",
            ]
        ),
    ]

    @Test(arguments: odd.flatMap { table in table.sql.map { (table.table, $0) } })
    func `is gone by any key of a table`(table: String, sql: String) throws {
        let database = try SQLiteDatabase()
        try database.execute(table)
        let keys = table.contains("INTEGER PRIMARY KEY") ? ("1", "2") : ("'a'", "'b'")
        try database.execute(
            "INSERT INTO part (k, email) VALUES (\(keys.0), 'x'), (\(keys.1), 'y')")
        try database.perform { connection in
            _ = try Attachment(on: connection, makeID: { "id" }).attach(tables: nil)
        }
        try database.execute(sql)
        try database.perform { connection in
            try connection.numberChanges()
            let live = try connection.run(
                "SELECT k0 FROM moorage_track_1_part WHERE live ORDER BY k0", [])
            let there = try connection.run(
                "SELECT k FROM part WHERE k IS NOT NULL ORDER BY k COLLATE BINARY", [])
            #expect(live == there)
        }
    }

    @Test(arguments: [
        "INSERT OR REPLACE INTO project VALUES ('p2', 'ABC', 'blue')",
        "UPDATE OR REPLACE project SET code = 'ABC' WHERE id = 'p3'",
        "UPDATE project SET rowid = rowid + 10",
    ])
    func `takes the rows below it out of their scopes`(sql: String) throws {
        let database = try SQLiteDatabase()
        try database.execute(
            """
            CREATE TABLE project (id TEXT PRIMARY KEY, code TEXT, team TEXT);
            CREATE UNIQUE INDEX project_code ON project(lower(code)) WHERE team <> '';
            CREATE TABLE task (id TEXT PRIMARY KEY, project TEXT REFERENCES project(id));
            INSERT INTO project VALUES ('p1', 'abc', 'red'), ('p3', 'other', 'red');
            INSERT INTO task VALUES ('t1', 'p1'), ('t3', 'p3');
            PRAGMA foreign_keys = OFF;
            """)
        let scopes = ScopeSettings(rules: [
            "project": [ScopeRule(.column(kind: "team", "team"))],
            "task": [ScopeRule(.through(["project"]))],
        ])
        try database.perform { connection in
            _ = try Attachment(on: connection, scopes: scopes, makeID: { "id" }).attach(tables: nil)
        }
        try database.execute(sql)
        try database.perform { connection in
            try connection.numberChanges()
            let live = try connection.run(
                "SELECT k0 FROM moorage_track_2_task WHERE live ORDER BY k0", [])
            let there = try connection.run(
                "SELECT id FROM task WHERE project IN (SELECT id FROM project) ORDER BY id", [])
            #expect(live == there)
        }
    }
}
