import Moorage
import MoorageCore
import MoorageHub
import MoorageTesting
import TestSupport
import Testing

@testable import MoorageMySQL

/// Keys that are equal at the centre are one row there. A device compares bytes.
@Suite(.ownThreads, .enabled(if: !MySQLServer.all.isEmpty))
struct `Keys under a collation` {
    struct Case: Sendable, CustomTestStringConvertible {
        let type: String
        let first: String
        /// Equal to the first by the collation, but with other bytes.
        let second: String
        var testDescription: String { type }
    }

    static let cases = [
        Case(
            type: "VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci", first: "abc",
            second: "ABC "),
        Case(
            type: "VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci", first: "resume",
            second: "Résumé"),
        Case(
            type: "VARCHAR(20) CHARACTER SET latin1 COLLATE latin1_general_ci", first: "abc",
            second: "ABC"),
        Case(
            type: "VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin", first: "abc",
            second: "abc  "),
        Case(
            type: "CHAR(20) CHARACTER SET latin1 COLLATE latin1_swedish_ci", first: "abc",
            second: "aBc"),
        Case(
            type: "VARCHAR(20) CHARACTER SET latin1 COLLATE latin1_german1_ci", first: "aß",
            second: "AS"),
    ]

    /// In the gate each of two tests takes half of the cases, so that one test tries each
    /// collation. At night both take all of them.
    private static func half(_ test: Int) -> [Case] { cases.sample(every: 2, from: test) }

    private static func schema(_ type: String) -> String {
        """
        CREATE TABLE z_up (id \(type) NOT NULL PRIMARY KEY, n INT) #;
        CREATE TABLE low (id INT PRIMARY KEY, up \(type),
          FOREIGN KEY (up) REFERENCES z_up(id) ON DELETE CASCADE ON UPDATE CASCADE) #
        """
    }

    @Test(arguments: MySQLServer.usual, cases)
    func `that are equal at the centre are one row on every device`(server: MySQLServer, one: Case)
        async throws
    {
        try await Devices.run(server, Self.schema(one.type)) { devices in
            let tables = ["z_up", "low"]
            let (a, b) = (
                try await devices.clone("A", tables), try await devices.clone("B", tables)
            )
            try await a.execute("INSERT INTO z_up VALUES ('\(one.first)', 1)")
            try await b.execute("INSERT INTO z_up VALUES ('\(one.second)', 2), ('other', 3)")
            #expect(try await devices.differences(a, b) == [])
            #expect(try devices.owner.cell("SELECT count(*) FROM z_up") == "2")
            let refused = try await b.replica.refusedChanges.fetch()
            #expect(refused.map(\.code) == [.unique])
            #expect(refused.first?.message.contains("PRIMARY") == true)
            #expect(try await a.replica.refusedChanges.fetch().isEmpty)
            #expect(
                try await b.rows("SELECT id, n FROM z_up ORDER BY n") == [
                    [one.first, "1"], ["other", "3"],
                ])
        }
    }

    @Test(arguments: MySQLServer.usual, half(0))
    func `may change to one that is equal`(server: MySQLServer, one: Case) async throws {
        try await Devices.run(server, Self.schema(one.type)) { devices in
            try devices.owner.plain(
                "INSERT INTO z_up VALUES ('\(one.first)', 1); INSERT INTO low VALUES (1, '\(one.first)')"
            )
            let tables = ["z_up", "low"]
            let (a, b) = (
                try await devices.clone("A", tables), try await devices.clone("B", tables)
            )
            try devices.owner.plain("UPDATE z_up SET id = '\(one.second)', n = 2")
            #expect(try await devices.differences(a, b) == [])
            let stored = try devices.owner.cell("SELECT id FROM z_up")
            #expect(try await a.cell("SELECT id FROM z_up") == stored)
            #expect(try await a.cell("SELECT count(*) FROM z_up") == "1")
            // A device changes it back. Its delete and its insert are of one row at the centre.
            try await a.execute("DELETE FROM low")
            try await a.execute("UPDATE z_up SET id = '\(one.first)', n = 3")
            #expect(try await devices.differences(a, b) == [])
            #expect(try await a.refusals() == [])
            #expect(try devices.owner.rows("SELECT id, n FROM z_up") == [[one.first, "3"]])
            #expect(try await b.rows("SELECT id, n FROM z_up") == [[one.first, "3"]])
        }
    }

    /// A row that refers to another by an equal key is a row like others, at the centre and on a
    /// device.
    @Test(arguments: MySQLServer.usual, half(1))
    func `are referred to by equal ones`(server: MySQLServer, one: Case) async throws {
        try await Devices.run(server, Self.schema(one.type)) { devices in
            try devices.owner.plain(
                """
                INSERT INTO z_up VALUES ('\(one.first)', 1);
                INSERT INTO low VALUES (1, '\(one.second)'), (2, '\(one.first)')
                """)
            let tables = ["z_up", "low"]
            let (a, b) = (
                try await devices.clone("A", tables), try await devices.clone("B", tables)
            )
            #expect(try await devices.differences(a, b) == [])
            // Child and parent made offline, in the order of their tables' names.
            try await a.execute(
                "INSERT INTO z_up VALUES ('new', 5); INSERT INTO low VALUES (3, 'new'), (4, '\(one.first)')"
            )
            #expect(try await devices.differences(a, b) == [])
            #expect(try await a.refusals() == [])
            #expect(try devices.owner.cell("SELECT count(*) FROM low") == "4")
            try devices.owner.plain("DELETE FROM z_up WHERE id = '\(one.first)'")
            #expect(try await devices.differences(a, b) == [])
            #expect(try await b.rows("SELECT id FROM low") == [["3"]])
            // A device's delete also deletes the rows below it at the centre, however they spell
            // the key.
            try devices.owner.plain(
                "INSERT INTO z_up VALUES ('\(one.first)', 1); INSERT INTO low VALUES (7, '\(one.second)')"
            )
            _ = try await a.replica.sync()
            try await a.execute("DELETE FROM z_up WHERE n = 1")
            #expect(try await devices.differences(a, b) == [])
        }
    }

    @Test(arguments: MySQLServer.all)
    func `and unique columns refuse what is equal`(server: MySQLServer) async throws {
        try await Devices.run(
            server,
            """
            CREATE TABLE t (id INT PRIMARY KEY,
              code VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci, UNIQUE KEY one_code (code)) #
            """
        ) { devices in
            let (a, b) = (try await devices.clone("A", ["t"]), try await devices.clone("B", ["t"]))
            try await a.execute("INSERT INTO t VALUES (1, 'abc')")
            try await b.execute("INSERT INTO t VALUES (2, 'ABC'), (3, 'x')")
            #expect(try await devices.differences(a, b) == [])
            let refused = try await b.replica.refusedChanges.fetch()
            #expect(refused.map(\.code) == [.unique])
            #expect(refused.first?.message == "Another row of t already has this code.")
            // A code replaces an equal one: first in the same row, with other letters, and then in
            // another row.
            try await a.execute("UPDATE t SET code = 'ABC' WHERE id = 1")
            try await b.execute("UPDATE t SET code = 'y' WHERE id = 3")
            #expect(try await devices.differences(a, b) == [])
            try await a.execute(
                "UPDATE t SET code = 'tmp' WHERE id = 1; UPDATE t SET code = 'abc' WHERE id = 3")
            #expect(try await devices.differences(a, b) == [])
            #expect(try await a.refusals() == [])
            #expect(
                try devices.owner.rows("SELECT id, code FROM t ORDER BY id") == [
                    ["1", "tmp"], ["3", "abc"],
                ])
        }
    }
}
