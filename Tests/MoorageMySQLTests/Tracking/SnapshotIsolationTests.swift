import MoorageCore
import MoorageHub
import TestSupport
import Testing

@testable import MoorageMySQL

/// With `innodb_snapshot_isolation` a transaction may lock no row that changed since its snapshot (1020).
@Suite(.ownThreads, .enabled(if: !MySQLServer.all.isEmpty)) struct `Snapshot isolation` {
    private static let schema = """
        CREATE TABLE p (id INT PRIMARY KEY, n INT NOT NULL) ENGINE = InnoDB;
        CREATE TABLE c (id INT PRIMARY KEY, p INT, n INT NOT NULL,
          FOREIGN KEY (p) REFERENCES p(id) ON DELETE CASCADE ON UPDATE CASCADE) ENGINE = InnoDB;
        INSERT INTO p VALUES (1, 0), (2, 0), (3, 0), (4, 0);
        INSERT INTO c VALUES (10, 1, 0), (11, 1, 0), (20, 2, 0), (30, 3, 0), (40, 4, 0)
        """

    /// What others do after the owner's snapshot: beside the rows that the owner goes on to write.
    private static let others = [
        "INSERT INTO c VALUES (21, 2, 0), (5, 2, 0)", "UPDATE c SET n = 1 WHERE id = 20",
        "DELETE FROM c WHERE id = 40", "UPDATE p SET n = 1 WHERE id = 2",
        "INSERT INTO p VALUES (9, 0)",
    ]

    private static let own = [
        "UPDATE c SET n = 5 WHERE id = 10", "DELETE FROM p WHERE id = 1",
        "UPDATE p SET id = 7 WHERE id = 3", "INSERT INTO c VALUES (70, 7, 0), (71, 7, 0)",
        "DELETE FROM c WHERE id = 70",
    ]

    /// - Returns: Which of the owner's statements went through.
    private static func run(_ subject: MySQLSubject, isAttached: Bool) throws -> [String] {
        let (owner, other) = (try subject.session(), try subject.session())
        try owner.plain(
            """
            DROP TABLE IF EXISTS c; DROP TABLE IF EXISTS p; \(schema);
            SET SESSION innodb_snapshot_isolation = ON
            """)
        try owner.plain("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        if isAttached { try subject.attach() }
        let mirror = isAttached ? try Mirror(subject) : nil
        try owner.plain("BEGIN; SELECT * FROM p; SELECT * FROM c")
        for statement in others { try other.plain(statement) }
        // The queues that the owner's snapshot shows are emptied meanwhile.
        if isAttached { try subject.database.perform { try $0.numberChanges() } }
        var passed: [String] = []
        for statement in own {
            do {
                try owner.plain(statement)
                passed.append(statement)
            } catch let error as CentralError {
                passed.append("\(statement): \(error.message)")
            }
        }
        try owner.plain("COMMIT")
        if let mirror { #expect(try mirror.differences() == []) }
        return passed
    }

    @Test(arguments: MySQLServer.all)
    func `stops no statement of an owner's because of us`(server: MySQLServer) throws {
        try server.withDatabase { subject in
            let owner = try subject.session()
            guard try !owner.rows("SHOW VARIABLES LIKE 'innodb_snapshot_isolation'").isEmpty else {
                return
            }
            let without = try Self.run(subject, isAttached: false)
            #expect(without == Self.own)
            #expect(try Self.run(subject, isAttached: true) == without)
        }
    }

    /// Nor a number of ours.
    @Test(arguments: MySQLServer.all)
    func `holds the hub's own work up nowhere`(server: MySQLServer) throws {
        try server.withDatabase { subject in
            let owner = try subject.session()
            guard try !owner.rows("SHOW VARIABLES LIKE 'innodb_snapshot_isolation'").isEmpty else {
                return
            }
            try owner.plain(Self.schema)
            try subject.attach()
            let mirror = try Mirror(subject)
            try subject.inConnection { connection in
                try connection.openIfNeeded()
                try connection.link.simple("SET SESSION innodb_snapshot_isolation = ON")
            }
            for round in 0..<3 {
                try owner.plain(
                    "UPDATE c SET n = \(round + 5); DELETE FROM c WHERE id = \(round * 10 + 10)")
                #expect(try mirror.differences() == [])
            }
        }
    }
}
