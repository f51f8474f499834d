import MoorageCore
import MoorageHub
import TestSupport
import Testing

@testable import MoorageMySQL

/// What the doctor advises can be followed.
@Suite(.ownThreads, .enabled(if: !MySQLServer.all.isEmpty)) struct `A doctor's advice` {
    private static func findings(_ subject: MySQLSubject, _ code: Finding.Code) async throws
        -> [Finding]
    {
        try await Hub(database: subject.mysql).doctor().filter { $0.code == code }
    }

    /// The columns of a FULLTEXT index have one character set, before and after each statement.
    @Test(arguments: MySQLServer.all)
    func `gives texts of one FULLTEXT index another character set together`(server: MySQLServer)
        async throws
    {
        try await server.withDatabase { subject in
            let owner = try subject.session()
            try owner.plain(
                """
                CREATE TABLE film_text (id INT PRIMARY KEY, title VARCHAR(255) NOT NULL, description TEXT,
                  note VARCHAR(20), FULLTEXT KEY words (title, description))
                  ENGINE = InnoDB CHARACTER SET utf8mb3
                """)
            let found = try await Self.findings(subject, .textEncoding)
            #expect(found.map(\.table) == ["film_text"])
            guard case .sql(let statements)? = found.first?.repair else {
                Issue.record("no statements: \(found)")
                return
            }
            #expect(statements.count == 2)
            for statement in statements { try owner.plain(statement) }
            #expect(try await Self.findings(subject, .textEncoding) == [])
        }
    }

    @Test(arguments: MySQLServer.all)
    func `asks for blocks that the type of a key holds`(server: MySQLServer) async throws {
        try await server.withDatabase { subject in
            try subject.session().plain(
                """
                CREATE TABLE a (id TINYINT UNSIGNED PRIMARY KEY) ENGINE = InnoDB;
                CREATE TABLE b (id SMALLINT PRIMARY KEY) ENGINE = InnoDB;
                CREATE TABLE c (id INT PRIMARY KEY) ENGINE = InnoDB
                """)
            let found = try await Self.findings(subject, .integerKeyCollides)
            #expect(found.map(\.table) == ["a", "b", "c"])
            #expect(found.first?.message.contains("keyBlock") == false)
            #expect(found.first?.message.contains("255") == true)
            #expect(found.dropFirst().first?.message.contains("`keyBlock: 10`") == true)
            #expect(found.last?.message.contains("`keyBlock: 1000`") == true)
        }
    }

    @Test(arguments: MySQLServer.all)
    func `warns of a table that a spatial column leaves out`(server: MySQLServer) async throws {
        try await server.withDatabase { subject in
            let owner = try subject.session()
            try owner.plain(
                """
                CREATE TABLE address (id INT PRIMARY KEY, street VARCHAR(50), place POINT NOT NULL) ENGINE = InnoDB;
                CREATE TABLE store (id INT PRIMARY KEY, address INT, FOREIGN KEY (address) REFERENCES address(id))
                  ENGINE = InnoDB;
                CREATE TABLE staff (id INT PRIMARY KEY, address INT, FOREIGN KEY (address) REFERENCES address(id))
                  ENGINE = InnoDB;
                INSERT INTO address VALUES (1, 'x', POINT(1, 2))
                """)
            let found = try await Self.findings(subject, .tableUnsupported)
            #expect(found.map(\.table) == ["address"])
            #expect(found.map(\.severity) == [.warning])
            #expect(found.first?.message.contains("staff, store") == true)
            guard case .sql(let statements)? = found.first?.repair else {
                Issue.record("no statements: \(found)")
                return
            }
            // A choice, since programs read the column: the owner takes the marks of the comments away.
            for statement in statements {
                #expect(statement.hasPrefix("-- "))
                try owner.plain(String(statement.dropFirst(3)))
            }
            #expect(
                try await Self.findings(subject, .tableUnsupported).map(\.table) == [
                    "address_place"
                ])
            #expect(try owner.cell("SELECT count(*) FROM address_place") == "1")
        }
    }
}
