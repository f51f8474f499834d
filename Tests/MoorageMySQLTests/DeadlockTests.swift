import MoorageCore
import MoorageHub
import TestSupport
import Testing

@testable import MoorageMySQL

/// The server answers a deadlock by ending a whole transaction, and the next statement would commit by
/// itself.
@Suite(.ownThreads, .enabled(if: !MySQLServer.all.isEmpty))
struct `A transaction that the server ended` {
    /// Longer than anything waits here: whoever asks last closes the ring, and the server finds it.
    private static let patient = MySQLDatabase.Options(lockTimeout: .seconds(120))

    @Test(arguments: MySQLServer.all)
    func `takes no statement more, and leaves nothing`(server: MySQLServer) throws {
        try server.withDatabase(options: Self.patient) { subject in
            let owner = try subject.session()
            // At another level a small table is read, and locked, from its first row on.
            try owner.plain("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED")
            try owner.plain(
                "CREATE TABLE t (id INT PRIMARY KEY, n INT NOT NULL) ENGINE = InnoDB")
            try owner.plain("INSERT INTO t VALUES (1, 0), (2, 0), (3, 0), (4, 0)")
            try subject.database.perform { connection in
                try connection.begin(.write)
                _ = try connection.run("UPDATE t SET n = 9 WHERE id = 1", [])
                try connection.savepoint()
                // The owner's transaction is the heavier one: ours is the victim.
                // One by one: a scan waits for the first row where the server has snapshot isolation.
                try owner.plain("BEGIN")
                for id in 2...4 { try owner.plain("UPDATE t SET n = 1 WHERE id = \(id)") }
                let waiter = Waiter { try owner.plain("UPDATE t SET n = 1 WHERE id = 1") }
                waiter.start()
                #expect(throws: CentralError.self) {
                    _ = try connection.run("UPDATE t SET n = 9 WHERE id = 2", [])
                }
                try waiter.end()
                for work in [
                    { try connection.rollbackToSavepoint() },
                    { _ = try connection.run("UPDATE t SET n = 9 WHERE id = 4", []) },
                    { try connection.commit() },
                ] {
                    let error = #expect(throws: CentralError.self) { try work() }
                    #expect(error?.kind == .conflict)
                }
                connection.rollback()
                try owner.plain("COMMIT")
                #expect(try owner.rows("SELECT DISTINCT n FROM t") == [["1"]])
                // Rolled back, it is as good as new.
                try connection.begin(.write)
                _ = try connection.run("UPDATE t SET n = 2 WHERE id = 4", [])
                try connection.commit()
                #expect(try owner.cell("SELECT n FROM t WHERE id = 4") == "2")
            }
        }
    }

    /// One statement is written without the server's checks, and the server takes nothing after it.
    @Test(arguments: MySQLServer.all)
    func `leaves a session that checks as before`(server: MySQLServer) throws {
        try server.withDatabase(options: Self.patient) { subject in
            let owner = try subject.session()
            try owner.plain(
                """
                CREATE TABLE t (id INT PRIMARY KEY, u INT UNIQUE, other INT, n INT,
                  FOREIGN KEY (other) REFERENCES t(id)) ENGINE = InnoDB
                """)
            try owner.plain("INSERT INTO t VALUES (1, 1, NULL, 0), (2, 2, 1, 0), (3, 3, 1, 0)")
            try subject.attach()
            try subject.inConnection { connection in
                let table = try #require(try connection.attachedTables().first)
                let own = connection.link.kind.isMariaDB ? "@@check_constraint_checks, " : ""
                let checks = "SELECT @@foreign_key_checks, \(own)@@sql_mode"
                let before = try connection.run(checks, [])
                try connection.begin(.write)
                _ = try connection.run("UPDATE t SET n = 9 WHERE id = 1", [])
                try connection.savepoint()
                try connection.deferConstraints()
                try owner.plain("BEGIN; INSERT INTO t VALUES (900, 77, NULL, 0)")
                for id in 2...3 { try owner.plain("UPDATE t SET n = 1 WHERE id = \(id)") }
                for id in 901...960 {
                    try owner.plain("INSERT INTO t VALUES (\(id), NULL, NULL, 0)")
                }
                let waiter = Waiter { try owner.plain("UPDATE t SET n = 1 WHERE id = 1") }
                waiter.start()
                // It waits for the owner's row with the same unique value, and the owner for ours.
                let error = #expect(throws: CentralError.self) {
                    try connection.insert(
                        table, columns: [0, 1, 2],
                        rows: [[.integer(62), .integer(77), .integer(1)]])
                }
                #expect(error?.kind == .conflict)
                connection.rollback()
                try waiter.end()
                try owner.plain("ROLLBACK")
                #expect(try connection.run(checks, []) == before)
            }
        }
    }
}
