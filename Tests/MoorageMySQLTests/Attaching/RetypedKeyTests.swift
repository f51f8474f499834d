import Moorage
import MoorageCore
import MoorageHub
import TestSupport
import Testing

@testable import MoorageMySQL

/// Key columns that an owner gives another type after the attach.
@Suite(.ownThreads, .enabled(if: !MySQLServer.all.isEmpty))
struct `Keys of another type` {
    /// One device follows, the other one is away meanwhile.
    @Test(
        arguments: MySQLServer.usual,
        [
            ["VARCHAR(5)", "VARCHAR(300)", "'a'", "'b'", "'c'", "repeat('d', 300)"],
            [
                "ENUM('a','b','c')", "ENUM('a','b','c','dddddddddd')", "'a'", "'b'", "'c'",
                "'dddddddddd'",
            ],
            ["INT", "BIGINT UNSIGNED", "1", "2", "3", "9000000000000000000"],
            ["DECIMAL(6,2)", "DECIMAL(8,4)", "1.25", "2", "3", "1.2512"],
            [
                "DECIMAL(6,0)", "DECIMAL(65,0)", "1", "2", "3",
                "12345678901234567890123456789012345678901",
            ],
        ])
    func `lose no delete and no row`(server: MySQLServer, types: [String]) async throws {
        let (before, after, keys) = (types[0], types[1], types.dropFirst(2).map { $0 })
        try await Devices.run(
            server,
            """
            CREATE TABLE p (code \(before) NOT NULL PRIMARY KEY, n INT) #;
            INSERT INTO p VALUES (\(keys[0]), 0), (\(keys[1]), 0), (\(keys[2]), 0)
            """
        ) { devices in
            let a = try await devices.clone("A", ["p"])
            let away = try await devices.clone("B", ["p"])
            try devices.owner.plain("DELETE FROM p WHERE code = \(keys[0])")
            _ = try await a.replica.sync()
            try devices.owner.plain("ALTER TABLE p MODIFY code \(after) NOT NULL")
            try devices.owner.plain("DELETE FROM p WHERE code = \(keys[1])")
            // Whether it can be recorded or not, the owner's statement goes on.
            try devices.owner.plain("INSERT INTO p VALUES (\(keys[3]), 0)")
            try devices.owner.plain("UPDATE p SET n = 1 WHERE code = \(keys[3])")
            _ = try await devices.hub.attach()
            #expect(try await devices.differences(a, away) == [])
            #expect(try await a.cell("SELECT count(*) FROM p") == "2")
            #expect(try await away.cell("SELECT count(*) FROM p") == "2")
        }
    }

    @Test(arguments: MySQLServer.all)
    func `are told of where they no longer fit, until the next attach`(server: MySQLServer) throws {
        try server.withDatabase { subject in
            let owner = try subject.session()
            try owner.plain(
                """
                CREATE TABLE t (a VARCHAR(10) CHARACTER SET utf8mb4, b INT, PRIMARY KEY (a, b)) ENGINE = InnoDB;
                INSERT INTO t VALUES ('a', 1)
                """)
            try subject.attach()
            func isProblem() throws -> Bool {
                try subject.inConnection { connection in
                    connection.forgetShapes()
                    return try connection.attachedTables().contains {
                        try connection.keyTypeProblem(connection.shape(of: $0))
                    }
                }
            }
            // There is room for text to grow.
            for (type, fits) in [("VARCHAR(250)", true), ("VARCHAR(300)", false)] {
                try owner.plain("ALTER TABLE t MODIFY a \(type) CHARACTER SET utf8mb4 NOT NULL")
                #expect(try isProblem() == !fits, "\(type)")
            }
            try owner.plain("ALTER TABLE t MODIFY b BIGINT UNSIGNED NOT NULL")
            try owner.plain("INSERT INTO t VALUES (repeat('b', 300), 18446744073709551615)")
            try subject.attach()
            #expect(try !isProblem())
            let mirror = try Mirror(subject)
            try owner.plain(
                "DELETE FROM t WHERE a = 'a'; INSERT INTO t VALUES (repeat('b', 300), 3)")
            #expect(try mirror.differences() == [])
            #expect(try owner.cell("SELECT count(*) FROM moorage_track_1_t WHERE live = 0") == "1")
        }
    }

    @Test(arguments: MySQLServer.all)
    func `or name, or none at all, never stop an owner's statement`(server: MySQLServer) throws {
        try server.withDatabase { subject in
            let owner = try subject.session()
            try owner.plain(
                """
                CREATE TABLE t (id INT, line INT, n INT, PRIMARY KEY (id, line)) ENGINE = InnoDB;
                INSERT INTO t VALUES (1, 1, 0), (2, 1, 0), (3, 1, 0)
                """)
            try subject.attach()
            for (change, columns, values) in [
                ("RENAME COLUMN id TO number", "number, line", "9, 1"),
                ("DROP PRIMARY KEY, ADD PRIMARY KEY (number)", "number, line", "9, 1"),
                ("MODIFY line INT NULL", "number", "9"), ("DROP COLUMN line", "number", "9"),
                ("MODIFY number CHAR(36)", "number", "'nine'"),
            ] {
                try owner.plain("ALTER TABLE t \(change)")
                try owner.plain("INSERT INTO t (\(columns)) VALUES (\(values))")
                try owner.plain(
                    "UPDATE t SET n = 1; DELETE FROM t WHERE CAST(number AS CHAR) IN ('9', 'nine')")
            }
            try subject.attach()
            #expect(try Mirror(subject).differences() == [])
        }
    }

    /// A number is the text that it is written as: what went is known by it to devices that keep texts now.
    @Test(arguments: MySQLServer.all)
    func `that become texts keep their tombstones`(server: MySQLServer) throws {
        try server.withDatabase { subject in
            let owner = try subject.session()
            try owner.plain(
                """
                CREATE TABLE t (id INT PRIMARY KEY, n INT) ENGINE = InnoDB;
                INSERT INTO t VALUES (1, 0), (20, 0), (3, 0)
                """)
            try subject.attach()
            let mirror = try Mirror(subject)
            try owner.plain("DELETE FROM t WHERE id = 1")
            try mirror.follow()
            try owner.plain("ALTER TABLE t MODIFY id CHAR(36)")
            try owner.plain("DELETE FROM t WHERE id = '20'; INSERT INTO t VALUES ('x', 0)")
            try subject.attach()
            #expect(try Mirror(subject).differences() == [])
            #expect(
                try owner.rows("SELECT k0, live FROM moorage_track_1_t ORDER BY k0")
                    == [["1", "0"], ["20", "0"], ["3", "1"], ["x", "1"]])
        }
    }
}
