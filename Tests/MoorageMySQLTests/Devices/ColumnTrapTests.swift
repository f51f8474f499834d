import Moorage
import MoorageCore
import MoorageHub
import TestSupport
import Testing

@testable import MoorageMySQL

@Suite(.ownThreads, .enabled(if: !MySQLServer.all.isEmpty))
struct `Columns that fill themselves` {
    /// ON UPDATE CURRENT_TIMESTAMP changes a row behind the one who writes it.
    @Test(arguments: MySQLServer.usual)
    func `with the time of the update come back with the answer, and make no conflict`(
        server: MySQLServer
    )
        async throws
    {
        try await Devices.run(
            server,
            """
            CREATE TABLE v (id INT PRIMARY KEY, n INT,
              at TIMESTAMP(6) NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6),
              day DATETIME NULL ON UPDATE CURRENT_TIMESTAMP) #;
            INSERT INTO v (id, n, at) VALUES (1, 0, '2001-01-01 02:00:00'), (2, 0, '2001-01-01 02:00:00')
            """
        ) { devices in
            let (a, b) = (try await devices.clone("A", ["v"]), try await devices.clone("B", ["v"]))
            for n in 1...3 {
                try await a.execute("UPDATE v SET n = \(n) WHERE id = 1")
                _ = try await a.replica.sync()
                // The answer to the push itself has it.
                let at = try await a.cell("SELECT at FROM v WHERE id = 1")
                #expect(at != "2001-01-01 00:00:00" && at?.hasPrefix("20") == true)
            }
            try await b.execute("UPDATE v SET n = 9 WHERE id = 2")
            #expect(try await devices.differences(a, b) == [])
            // What a device says is what is stored.
            try await a.execute("UPDATE v SET n = 5, at = '2002-02-02 02:02:02' WHERE id = 1")
            #expect(try await devices.differences(a, b) == [])
            #expect(
                try devices.owner.cell("SELECT at FROM v WHERE id = 1")
                    == "2002-02-02 04:02:02.000000")
            try await a.execute("INSERT INTO v (id, n) VALUES (3, 3)")
            try await a.execute("INSERT INTO v (id, n, at) VALUES (4, 3, '2003-03-03 03:03:03')")
            #expect(try await devices.differences(a, b) == [])
            #expect(
                try devices.owner.cell("SELECT at FROM v WHERE id = 4")
                    == "2003-03-03 05:03:03.000000")
            #expect(try await devices.conflicts() == [])
            #expect(try await a.refusals() == [])
        }
    }

    @Test(arguments: MySQLServer.usual)
    func `by an expression or a default come down, and are not sent up`(server: MySQLServer)
        async throws
    {
        try await Devices.run(
            server,
            """
            CREATE TABLE v (id INT PRIMARY KEY, n INT, twice INT AS (n * 2) VIRTUAL, thrice INT AS (n * 3) STORED,
              token VARCHAR(36) DEFAULT (uuid()), plain VARCHAR(20) DEFAULT 'it''s \\ so',
              num INT DEFAULT (1 + 2), KEY by_thrice (thrice)) #;
            INSERT INTO v (id, n) VALUES (1, 5)
            """
        ) { devices in
            let (a, b) = (try await devices.clone("A", ["v"]), try await devices.clone("B", ["v"]))
            #expect(try await a.rows("SELECT twice, thrice, num FROM v") == [["10", "15", "3"]])
            try await a.execute("INSERT INTO v (id, n) VALUES (2, 7)")
            try await a.execute("UPDATE v SET n = 6 WHERE id = 1")
            #expect(try await devices.differences(a, b) == [])
            #expect(
                try await b.rows("SELECT twice, thrice FROM v ORDER BY id") == [
                    ["12", "18"], ["14", "21"],
                ])
            #expect(
                try await b.cell("SELECT plain FROM v WHERE id = 2")
                    == devices.owner.cell("SELECT plain FROM v WHERE id = 1"))
            #expect(try await devices.conflicts() == [])
        }
    }

    @Test(arguments: MySQLServer.usual)
    func `and that nobody sees travel like others`(server: MySQLServer) async throws {
        try await Devices.run(
            server,
            """
            CREATE TABLE v (id INT PRIMARY KEY, n INT, hidden VARCHAR(9) INVISIBLE DEFAULT 'x') #;
            INSERT INTO v (id, n, hidden) VALUES (1, 5, 'y')
            """
        ) { devices in
            let a = try await devices.clone("A", ["v"])
            #expect(try await a.cell("SELECT hidden FROM v") == "y")
            try await a.execute(
                "UPDATE v SET hidden = 'z'; INSERT INTO v (id, n, hidden) VALUES (2, 1, 'w')")
            #expect(try await devices.differences(a) == [])
            #expect(try devices.owner.rows("SELECT hidden FROM v ORDER BY id") == [["z"], ["w"]])
        }
    }

    /// A trigger of the owner's is seen by a user without the right to see it.
    @Test(arguments: MySQLServer.usual)
    func `by the owner's trigger come back with the answer`(server: MySQLServer) async throws {
        try await Devices.run(
            server,
            """
            CREATE TABLE v (id INT PRIMARY KEY, n INT) #;
            CREATE TRIGGER more BEFORE UPDATE ON v FOR EACH ROW SET NEW.n = NEW.n + 100;
            INSERT INTO v VALUES (1, 0)
            """
        ) { devices in
            let a = try await devices.clone("A", ["v"])
            try await a.execute("UPDATE v SET n = 1")
            _ = try await a.replica.sync()
            #expect(try await a.cell("SELECT n FROM v") == "101")
            #expect(try await devices.differences(a) == [])
        }
    }
}
