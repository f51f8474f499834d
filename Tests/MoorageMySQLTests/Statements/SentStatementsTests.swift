import MoorageCore
import MoorageHub
import MoorageTesting
import TestSupport
import Testing

@testable import MoorageMySQL

/// The way in which MySQL is written to, where MariaDB takes it as well.
@Suite(.ownThreads, .enabled(if: !MySQLServer.all.isEmpty)) struct `Written as MySQL is` {
    @Test(arguments: MySQLServer.first, ConnectorConformance.checks)
    func `the connector honours its contract`(
        server: MySQLServer, check: ConnectorConformance.Check
    ) throws {
        try server.withDatabase(options: .init(bindsArrays: false)) { try check.run(against: $0) }
    }

    /// More rows than a statement has, and more arguments than one may have (65,535).
    @Test(arguments: MySQLServer.all)
    func `many rows go in as several statements`(server: MySQLServer) throws {
        try server.withDatabase(options: .init(bindsArrays: false)) { subject in
            let owner = try subject.session()
            let columns = (0..<100).map { "c\($0) INT" }.joined(separator: ", ")
            try owner.plain("CREATE TABLE t (id INT PRIMARY KEY, \(columns)) ENGINE = InnoDB")
            try subject.attach()
            let mirror = try Mirror(subject)
            try subject.inConnection { connection in
                guard let table = try connection.attachedTables().first else { return }
                try connection.begin(.write)
                let rows = (0..<2_500).map { row in
                    [Value.integer(Int64(row))] + (0..<100).map { Value.integer(Int64($0 + row)) }
                }
                try connection.insert(table, columns: Array(0...100), rows: rows)
                try connection.commit()
            }
            #expect(try owner.cell("SELECT sum(c99) FROM t") == String(2_500 * 99 + 2_499 * 1_250))
            #expect(try mirror.differences() == [])
        }
    }

    /// Which MariaDB takes, too: nobody's write comes between the two triggers.
    @Test(arguments: MySQLServer.all)
    func `a trigger is replaced under a lock of its table`(server: MySQLServer) throws {
        try server.withDatabase { subject in
            let owner = try subject.session()
            try owner.plain(
                """
                CREATE TABLE p (id INT PRIMARY KEY) ENGINE = InnoDB;
                CREATE TABLE t (id INT PRIMARY KEY, p INT,
                  FOREIGN KEY (p) REFERENCES p(id) ON DELETE CASCADE) ENGINE = InnoDB;
                CREATE TRIGGER own BEFORE INSERT ON t FOR EACH ROW SET NEW.p = coalesce(NEW.p, 1);
                INSERT INTO p VALUES (1), (2); INSERT INTO t VALUES (1, 1)
                """)
            try subject.attach()
            let mirror = try Mirror(subject)
            try subject.inConnection { connection in
                guard let kind = ServerKind(greeting: "8.0.36"),
                    let table = try connection.attachedTables().first(where: { $0.name == "t" })
                else { throw TestFailure("t is not attached") }
                let columns = try connection.nativeColumns(of: "t")
                let shape = try TableShape(
                    table, columns: columns, facts: connection.facts(of: "t", columns: columns),
                    kind: kind)
                let sql = TrackingSQL(shape, edges: try connection.readForeignEdges())
                for trigger in try sql.triggers() {
                    try connection.runStep(sql.step(trigger, isReplacing: true))
                }
                // A step that fails gives the lock back.
                var broken = try sql.triggers()[0]
                broken = TrackingSQL.Trigger(
                    name: "moorage_broken_9_t", table: broken.table, event: broken.event,
                    body: "no SQL")
                #expect(throws: CentralError.self) {
                    try connection.runStep(sql.step(broken, isReplacing: true))
                }
                // Nothing is missed, and nothing is made again.
                #expect(
                    try connection.attachSteps(for: table, previous: table).filter {
                        $0.contains("TRIGGER")
                    } == [])
            }
            try owner.plain(
                "INSERT INTO t (id) VALUES (2); DELETE FROM p WHERE id = 1; INSERT INTO t VALUES (3, 2)"
            )
            #expect(try mirror.differences() == [])
        }
    }
}
