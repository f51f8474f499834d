import MoorageHub
import TestSupport
import Testing

@testable import MoorageMySQL

/// A server may have hundreds of databases, and opens a table to describe it.
@Suite(.ownThreads, .enabled(if: !MySQLServer.all.isEmpty)) struct `What is read of a schema` {
    @Test(arguments: MySQLServer.usual)
    func `opens no tables of other databases`(server: MySQLServer) throws {
        try server.withDatabase { other in
            let neighbour = try other.session()
            try neighbour.plain("CREATE TABLE p (id INT PRIMARY KEY) ENGINE = InnoDB")
            for number in 1...Self.neighbours {
                try neighbour.plain(
                    """
                    CREATE TABLE t\(number) (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES p(id))
                    ENGINE = InnoDB;
                    CREATE TRIGGER g\(number) BEFORE INSERT ON t\(number) FOR EACH ROW SET @x = 1
                    """)
            }
            try server.withDatabase { subject in
                let owner = try subject.session()
                try owner.plain(
                    """
                    CREATE TABLE p (id INT PRIMARY KEY) ENGINE = InnoDB;
                    CREATE TABLE c (id INT PRIMARY KEY, p INT, j JSON,
                      FOREIGN KEY (p) REFERENCES p(id) ON DELETE CASCADE) ENGINE = InnoDB
                    """)
                try subject.attach()
                try subject.inConnection { connection in
                    let attached = try connection.attachedTables()
                    let names = (1...Self.neighbours).map { "t\($0)" }.joined(separator: ", ")
                    try neighbour.plain("FLUSH TABLES p, \(names)")
                    let before = try Self.opened(connection)
                    let tables = try connection.readTables()
                    #expect(tables.contains { $0.name == "c" })
                    _ = try connection.schemaStamp()
                    for table in attached {
                        _ = try connection.facts(of: table.name, columns: [])
                        _ = try connection.attachSteps(for: table, previous: table)
                        _ = try connection.detachSteps(for: table)
                    }
                    // The server opens our tables once or twice each.
                    #expect(try Self.opened(connection) - before < Int64(Self.neighbours))
                }
            }
        }
    }

    private static let neighbours = 120

    /// How many tables the server opened for the connection, and of how many it read the triggers
    /// (MariaDB).
    private static func opened(_ connection: MySQLConnection) throws -> Int64 {
        let answer = try connection.link.query(
            """
            SHOW SESSION STATUS WHERE variable_name IN ('Opened_tables', 'Feature_trigger')
            """, isKept: false)
        return (0..<answer.rowCount).reduce(0) { sum, row in
            sum + (Int64(answer.text(row, 1) ?? "") ?? 0)
        }
    }
}
