import Moorage
import MoorageCore
import MoorageHub
import TestSupport
import Testing

@testable import MoorageMySQL

@Suite(.ownThreads, .enabled(if: !MySQLServer.all.isEmpty))
struct `Keys that look otherwise` {
    /// As booleans, 1, 2 and 3 would be one key.
    @Test(arguments: MySQLServer.usual)
    func `of the type tinyint(1) are numbers`(server: MySQLServer) async throws {
        try await Devices.run(
            server,
            """
            CREATE TABLE days (day TINYINT(1) PRIMARY KEY, n INT, isOpen TINYINT(1)) #;
            CREATE TABLE parts (id INT, part TINYINT(1) UNSIGNED, PRIMARY KEY (id, part)) #;
            CREATE TABLE seats (id INT PRIMARY KEY, line INT, seat TINYINT(1), UNIQUE (line, seat)) #;
            CREATE TABLE fkp (id INT PRIMARY KEY, code TINYINT(1) UNIQUE) #;
            CREATE TABLE fkc (id INT PRIMARY KEY, code TINYINT(1),
              FOREIGN KEY (code) REFERENCES fkp(code)) #;
            INSERT INTO days VALUES (0, 0, 1), (1, 0, 7);
            INSERT INTO fkp VALUES (10, 0), (11, 1), (12, 2), (13, 3)
            """
        ) { devices in
            let tables = ["days", "parts", "seats", "fkp", "fkc"]
            for table in tables {
                try devices.subject.inConnection { connection in
                    let found = try connection.readTables().first { $0.name == table }
                    guard case .supported(let description) = found?.support else {
                        Issue.record("\(table) is not supported")
                        return
                    }
                    // A read of one table gives the same types as a read of all.
                    let alone = try connection.nativeColumns(of: table).map(\.type)
                    #expect(alone == description.columns.map(\.type), "\(table)")
                    let expected: [ColumnType] =
                        switch table {
                        case "days": [.integer, .integer, .boolean]
                        case "seats": [.integer, .integer, .integer]
                        default: [.integer, .integer]
                        }
                    #expect(alone == expected, "\(table)")
                }
            }
            try devices.owner.plain(
                """
                INSERT INTO days VALUES (2, 0, 0), (3, 0, 1);
                INSERT INTO parts VALUES (1, 1), (1, 2), (1, 200);
                INSERT INTO seats VALUES (1, 1, 1), (2, 1, 2)
                """)
            let (a, b) = (
                try await devices.clone("A", tables), try await devices.clone("B", tables)
            )
            #expect(
                try await a.rows("SELECT day, isOpen FROM days ORDER BY day") == [
                    ["0", "1"], ["1", "7"], ["2", "0"], ["3", "1"],
                ])
            try await a.execute(
                """
                INSERT INTO fkc VALUES (20, 3);
                UPDATE days SET n = 5 WHERE day = 3;
                DELETE FROM days WHERE day = 2;
                INSERT INTO days VALUES (4, 1, 0);
                INSERT INTO parts VALUES (1, 3);
                INSERT INTO seats VALUES (3, 1, 3)
                """)
            #expect(try await devices.differences(a, b) == [])
            #expect(try await a.refusals() == [])
            #expect(try devices.owner.cell("SELECT code FROM fkc WHERE id = 20") == "3")
            #expect(
                try devices.owner.rows("SELECT day, n FROM days ORDER BY day") == [
                    ["0", "0"], ["1", "0"], ["3", "5"], ["4", "1"],
                ])
            #expect(try devices.owner.cell("SELECT count(*) FROM parts") == "4")
            #expect(try devices.owner.cell("SELECT count(*) FROM seats") == "3")
        }
    }

    /// An attach reads the keys of older rows in parts, each behind the last.
    @Test(arguments: MySQLServer.usual)
    func `of the type tinyint(1) are all tracked when attaching`(server: MySQLServer) throws {
        try server.withDatabase { subject in
            let owner = try subject.session()
            try owner.plain(
                """
                CREATE TABLE days (day TINYINT(1) PRIMARY KEY) ENGINE = InnoDB;
                INSERT INTO days VALUES (0), (1), (2), (3)
                """)
            try subject.attach()
            try subject.inConnection { connection in
                let table = try #require(try connection.attachedTables().first)
                let track = try connection.shape(of: table).track
                let found = try connection.link.query("SELECT k0 FROM \(track) ORDER BY k0")
                #expect((0..<found.rowCount).map { found.integer($0, 0) } == [0, 1, 2, 3])
            }
        }
    }

    /// An attach that reads the same keys again and again would never end.
    @Test(arguments: MySQLServer.usual)
    func `are not found again behind themselves`(server: MySQLServer) throws {
        try server.withDatabase { subject in
            let owner = try subject.session()
            try owner.plain("CREATE TABLE days (day INT PRIMARY KEY) ENGINE = InnoDB")
            try subject.attach()
            try owner.plain("INSERT INTO days VALUES (0), (1), (2), (3)")
            try subject.inConnection { connection in
                let table = try #require(try connection.attachedTables().first)
                let truths = AttachedTable(
                    number: table.number,
                    description: TableDescription(
                        name: "days",
                        columns: [ColumnDescription(name: "day", type: .boolean)],
                        primaryKey: [0]))
                // The read follows the order of the column itself, whatever its values are read as.
                func calls() throws -> Int {
                    var count = 0
                    try connection.fillTracking(truths, batch: 2) { _ in
                        count += 1
                        if count > 9 { throw TestFailure("it goes on and on") }
                    }
                    return count
                }
                let count = try Self.retrying(calls)
                #expect(count == 2)
            }
        }
    }

    /// Tries again, as an attach does: a transaction that another test prepared may be in the way.
    private static func retrying(_ work: () throws -> Int) throws -> Int {
        for _ in 1..<30 {
            do {
                return try work()
            } catch let error as CentralError where error.kind == .conflict {}
        }
        return try work()
    }

    private static let spellings = [
        (local: "2001:DB8:0:0::1", central: "2001:db8::1"),
        (local: "0::FFFF:10.0.0.1", central: "::ffff:10.0.0.1"),
    ]

    /// The only row is the one with the server's spelling.
    @Test(arguments: MySQLServer.usual)
    func `at the centre are taken in its spelling`(server: MySQLServer) async throws {
        let version = try server.session("mysql").cell("SELECT version()")
        guard version?.contains("MariaDB") == true else { return }
        for one in Self.spellings {
            try await Devices.run(server, "CREATE TABLE hosts (k INET6 PRIMARY KEY, n INT) #") {
                devices in
                let (a, b) = (
                    try await devices.clone("A", ["hosts"]), try await devices.clone("B", ["hosts"])
                )
                try await a.execute("INSERT INTO hosts VALUES ('\(one.local)', 1)")
                #expect(try await devices.differences(a, b) == [], "\(one.local)")
                #expect(try await a.rows("SELECT k, n FROM hosts") == [[one.central, "1"]])
                #expect(try await b.rows("SELECT k, n FROM hosts") == [[one.central, "1"]])
                let refusals = try await a.refusals()
                #expect(refusals == [])
                try await a.execute("UPDATE hosts SET n = 2")
                #expect(try await devices.differences(a, b) == [], "\(one.local)")
                #expect(try devices.owner.cell("SELECT n FROM hosts") == "2")
                // A row that exists already is not another row because its key is spelled in
                // another way.
                try await b.execute("INSERT INTO hosts VALUES ('\(one.local)', 9)")
                #expect(try await devices.differences(a, b) == [], "\(one.local)")
                #expect(try await b.replica.refusedChanges.fetch().map(\.code) == [.unique])
                #expect(try devices.owner.rows("SELECT k, n FROM hosts") == [[one.central, "2"]])
                try await b.execute("DELETE FROM hosts")
                #expect(try await devices.differences(a, b) == [], "\(one.local)")
                #expect(try devices.owner.cell("SELECT count(*) FROM hosts") == "0")
            }
        }
    }
}
