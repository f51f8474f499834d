import Moorage
import MoorageCore
import MoorageHub
import MoorageTesting
import TestSupport
import Testing

@testable import MoorageMySQL

/// MariaDB ends abruptly where a write to a FULLTEXT index is rolled back to a savepoint, and comes again.
@Suite(.ownThreads, .enabled(if: !MySQLServer.all.isEmpty)) struct `A FULLTEXT index` {
    @Test(arguments: MySQLServer.all)
    func `bears what is refused beside its rows`(server: MySQLServer) async throws {
        try await Devices.run(
            server,
            """
            CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(100), n TINYINT UNSIGNED, FULLTEXT KEY (a)) #;
            INSERT INTO t VALUES (1, 'hello world', 1), (2, 'other', 2), (3, 'third', 3)
            """
        ) { devices in
            let a = try await devices.clone("A", ["t"])
            try await a.execute(
                """
                UPDATE t SET a = 'guitars' WHERE id = 1; UPDATE t SET n = 300 WHERE id = 2;
                INSERT INTO t VALUES (4, 'fourth', 4), (5, 'fifth', 500); DELETE FROM t WHERE id = 3
                """)
            #expect(try await devices.differences(a) == [])
            #expect(try await a.replica.refusedChanges.fetch().count == 2)
            #expect(
                try devices.owner.rows("SELECT id, a, n FROM t ORDER BY id") == [
                    ["1", "guitars", "1"], ["2", "other", "2"], ["4", "fourth", "4"],
                ])
            #expect(
                try devices.owner.rows("SELECT id FROM t WHERE MATCH(a) AGAINST ('guitars fourth')")
                    .count == 2)
            #expect(
                try devices.owner.rows("SELECT id FROM t WHERE MATCH(a) AGAINST ('fifth')") == [])
        }
    }

    @Test(arguments: MySQLServer.all)
    func `that only the owner's trigger writes bears it, too`(server: MySQLServer) async throws {
        try await Devices.run(
            server,
            """
            CREATE TABLE words (id INT PRIMARY KEY, a VARCHAR(100), FULLTEXT KEY (a)) #;
            CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(100), n TINYINT UNSIGNED) #;
            CREATE TRIGGER came AFTER INSERT ON t FOR EACH ROW INSERT INTO words VALUES (NEW.id, NEW.a);
            CREATE TRIGGER changed AFTER UPDATE ON t FOR EACH ROW UPDATE words SET a = NEW.a WHERE id = NEW.id;
            CREATE TRIGGER went AFTER DELETE ON t FOR EACH ROW DELETE FROM words WHERE id = OLD.id;
            INSERT INTO t VALUES (1, 'hello world', 1), (2, 'other', 2), (3, 'third', 3)
            """, tables: ["t"]
        ) { devices in
            let a = try await devices.clone("A", ["t"])
            try await a.execute(
                """
                UPDATE t SET a = 'guitars' WHERE id = 1; UPDATE t SET n = 300 WHERE id = 2;
                INSERT INTO t VALUES (4, 'fourth', 4); DELETE FROM t WHERE id = 3
                """)
            #expect(try await devices.differences(a) == [])
            #expect(try await a.replica.refusedChanges.fetch().count == 1)
            #expect(
                try devices.owner.rows("SELECT id, a FROM words ORDER BY id") == [
                    ["1", "guitars"], ["2", "other"], ["4", "fourth"],
                ])
        }
    }

    /// With such an index in reach, parts of a transaction are undone by doing the rest again.
    @Test(arguments: MySQLServer.all)
    func `leaves nested savepoints what they mean`(server: MySQLServer) throws {
        try server.withDatabase { subject in
            let owner = try subject.session()
            try owner.plain(
                """
                CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(100), FULLTEXT KEY (a)) ENGINE = InnoDB;
                INSERT INTO t VALUES (1, 'one'), (2, 'two')
                """)
            try subject.attach()
            try subject.inConnection { connection in
                let table = try #require(try connection.attachedTables().first)
                func set(_ key: Int64, _ text: String) throws {
                    try connection.update(
                        table, columns: [1],
                        rows: [KeyedValues(key: RowKey([.integer(key)]), values: [.text(text)])])
                }
                try connection.begin(.write)
                _ = try connection.lockRows(
                    table, keys: [RowKey([.integer(1)]), RowKey([.integer(2)])])
                try connection.savepoint()
                try set(1, "kept")
                try connection.savepoint()
                try set(1, "undone")
                try set(2, "undone")
                try connection.rollbackToSavepoint()
                try set(2, "second")
                try connection.savepoint()
                try connection.savepoint()
                try connection.insert(
                    table, columns: [0, 1], rows: [[.integer(3), .text("third")]])
                try connection.releaseSavepoint()
                try connection.rollbackToSavepoint()
                try connection.releaseSavepoint()
                try connection.commit()
            }
            #expect(
                try owner.rows("SELECT id, a FROM t ORDER BY id") == [
                    ["1", "kept"], ["2", "second"],
                ])
            #expect(try owner.cell("SELECT count(*) FROM moorage_queue_1_t") == "2")
        }
    }

    @Test(arguments: MySQLServer.all)
    func `is told by the doctor where the server minds`(server: MySQLServer) async throws {
        try await server.withDatabase { subject in
            let isMariaDB = try subject.inConnection { connection in
                try connection.openIfNeeded()
                return connection.link.kind.isMariaDB
            }
            try subject.session().plain(
                "CREATE TABLE t (id INT PRIMARY KEY, a TEXT, FULLTEXT KEY (a)) ENGINE = InnoDB")
            let found = try await Hub(database: subject.mysql).doctor()
                .filter { $0.code == .fullTextIndex }
            #expect(found.map(\.table) == (isMariaDB ? ["t"] : []))
        }
    }
}
