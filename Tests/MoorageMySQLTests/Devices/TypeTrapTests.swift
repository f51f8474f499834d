import Foundation
import Moorage
import MoorageCore
import MoorageHub
import TestSupport
import Testing

@testable import MoorageMySQL

@Suite(.ownThreads, .enabled(if: !MySQLServer.all.isEmpty))
struct `Types of MariaDB and MySQL` {
    struct Case: Sendable {
        let declared: String
        /// The value as an owner writes it, and as the device has it.
        let central: String
        let onDevice: String?
        /// The value as a device writes it, and as the centre has it.
        let local: String
        let atCentre: String?
    }

    private static func same(
        _ declared: String, _ literal: String, _ text: String, back: String, _ atCentre: String
    )
        -> Case
    {
        Case(declared: declared, central: literal, onDevice: text, local: back, atCentre: atCentre)
    }

    static let cases = [
        // A boolean: 7 and 1 are equal.
        same("TINYINT(1)", "7", "7", back: "0", "0"),
        same("TINYINT UNSIGNED", "255", "255", back: "200", "200"),
        same("BIT(1)", "b'1'", "1", back: "0", "0"),
        same("BIT(8)", "b'10000001'", "129", back: "255", "255"),
        same("BIT(64)", "b'01'", "1", back: "9223372036854775807", "9223372036854775807"),
        same("BIGINT UNSIGNED", "9223372036854775807", "9223372036854775807", back: "5", "5"),
        same("BIGINT", "-9223372036854775808", "-9223372036854775808", back: "-1", "-1"),
        same("YEAR", "0", "0", back: "2155", "2155"),
        same("ENUM('a','ö','c d')", "'ö'", "ö", back: "'c d'", "c d"),
        same("SET('x','y','z')", "'z,x'", "x,z", back: "'y,z'", "y,z"),
        same("JSON", "'{\"a\":[1,2]}'", "{\"a\":[1,2]}", back: "'[true]'", "[true]"),
        same("DATE", "'9999-12-31'", "9999-12-31", back: "'0001-01-01'", "0001-01-01"),
        same("TIME(3)", "'23:59:59.999'", "23:59:59.999", back: "'00:00:00.5'", "00:00:00.500"),
        same(
            "DATETIME(6)", "'2026-03-29 02:30:00.000001'", "2026-03-29 02:30:00.000001",
            back: "'1000-01-01 00:00:00'", "1000-01-01 00:00:00.000000"),
        // The owner's session is two hours ahead of UTC. Elsewhere, the change to summer time
        // leaves out this hour.
        same(
            "TIMESTAMP NULL", "'2026-03-29 04:30:00'", "2026-03-29 02:30:00",
            back: "'2038-01-19 03:14:07'", "2038-01-19 05:14:07"),
        same(
            "TIMESTAMP(6) NULL", "'1970-01-01 02:00:01.000001'", "1970-01-01 00:00:01.000001",
            back: "'2026-10-25 01:30:00.5'", "2026-10-25 03:30:00.500000"),
        same(
            "DECIMAL(65,30)",
            "'12345678901234567890123456789012345.123456789012345678901234567890'",
            "12345678901234567890123456789012345.123456789012345678901234567890",
            back: "'-0.000000000000000000000000000001'", "-0.000000000000000000000000000001"),
        same("DECIMAL(10,2) UNSIGNED ZEROFILL", "'9.8'", "9.8", back: "'12.50'", "00000012.50"),
        same("FLOAT", "0.5", "0.5", back: "0.25", "0.25"),
        same("DOUBLE", "0.1", "0.1", back: "1e300", "1e300"),
        same("CHAR(5) CHARACTER SET utf8mb4", "'ab  '", "ab", back: "'é'", "é"),
        same("VARCHAR(9) CHARACTER SET latin1", "'ä€'", "ä€", back: "'ß'", "ß"),
        same("VARCHAR(9) CHARACTER SET utf8mb4", "'ab  '", "ab  ", back: "'x '", "x "),
        same("TINYTEXT CHARACTER SET utf16", "'a𝄞'", "a𝄞", back: "'𝄞'", "𝄞"),
        same("BINARY(4)", "'ab'", "ab\0\0", back: "x'61626364'", "abcd"),
        same("VARBINARY(4)", "'ab'", "ab", back: "x'6162'", "ab"),
    ]

    private static let onMariaDB = [
        // MySQL's times begin a second later.
        same(
            "TIMESTAMP(6) NULL", "'1970-01-01 02:00:00.000001'", "1970-01-01 00:00:00.000001",
            back: "'2026-10-25 01:30:00.5'", "2026-10-25 03:30:00.500000"),
        same(
            "UUID", "'01890A5D-AC96-774B-BCCE-B302099A8057'",
            "01890a5d-ac96-774b-bcce-b302099a8057",
            back: "'ffffffff-ffff-ffff-ffff-ffffffffffff'", "ffffffff-ffff-ffff-ffff-ffffffffffff"),
        same("INET6", "'2001:DB8::1'", "2001:db8::1", back: "'::1'", "::1"),
        same("INET4", "'10.0.0.1'", "10.0.0.1", back: "'127.0.0.1'", "127.0.0.1"),
        same("TEXT COMPRESSED CHARACTER SET utf8mb4", "'long'", "long", back: "'longer'", "longer"),
    ]

    @Test(arguments: MySQLServer.all)
    func `come down and go up as they are`(server: MySQLServer) async throws {
        let isMariaDB =
            try server.session("mysql").cell("SELECT version()")?.contains("MariaDB") == true
        let all = Self.cases + (isMariaDB ? Self.onMariaDB : [])
        let columns = all.enumerated().map { "c\($0) \($1.declared)" }.joined(separator: ", ")
        let values = all.map(\.central).joined(separator: ", ")
        try await Devices.run(
            server,
            "CREATE TABLE v (id INT PRIMARY KEY, \(columns)) #; INSERT INTO v VALUES (1, \(values))"
        ) { devices in
            let (a, b) = (try await devices.clone("A", ["v"]), try await devices.clone("B", ["v"]))
            for (place, one) in all.enumerated() {
                let text = try await a.cell("SELECT c\(place) FROM v")
                let isEqual =
                    text == one.onDevice
                    || text.flatMap(Double.init) == one.onDevice.flatMap(Double.init)
                        && !one
                            .declared.contains("CHAR")
                #expect(isEqual, "\(one.declared): \(text ?? "NULL")")
            }
            let sets = all.enumerated().map { "c\($0) = \($1.local)" }.joined(separator: ", ")
            try await a.execute("UPDATE v SET \(sets) WHERE id = 1")
            let locals = all.map(\.local).joined(separator: ", ")
            try await a.execute("INSERT INTO v VALUES (2, \(locals))")
            try await a.execute("INSERT INTO v (id) VALUES (3)")
            #expect(try await devices.differences(a, b) == [])
            #expect(try await a.refusals() == [])
            for id in 1...2 {
                for (place, one) in all.enumerated() {
                    let number = one.declared.hasPrefix("BIT") ? " + 0" : ""
                    let text = try devices.owner.cell(
                        "SELECT CONVERT(CAST(c\(place)\(number) AS CHAR) USING utf8mb4) FROM v WHERE id = \(id)"
                    )
                    #expect(text == one.atCentre, "\(one.declared) of \(id)")
                }
            }
            #expect(
                try devices.owner.cell("SELECT count(*) FROM v WHERE c0 IS NULL AND c8 IS NULL")
                    == "1")
        }
    }

    /// The hub withholds a row with such a value, and the page names the reason.
    @Test(arguments: MySQLServer.usual)
    func `that a device cannot hold are withheld by name, and come once they are mended`(
        server: MySQLServer
    )
        async throws
    {
        let bad: [(column: String, value: String, good: String)] = [
            ("big BIGINT UNSIGNED", "18446744073709551615", "1"), ("wide BIT(64)", "~0", "1"),
            ("zero DATE", "'0000-00-00'", "'2026-01-01'"),
            ("part DATE", "'2026-00-05'", "'2026-01-01'"),
            ("day DATE", "'2026-02-00'", "'2026-01-01'"),
            ("zero_time DATETIME", "'0000-00-00 00:00:00'", "'2026-01-01 10:00:00'"),
            ("never TIMESTAMP NULL", "'0000-00-00 00:00:00'", "'2026-01-01 10:00:00'"),
            ("negative TIME", "'-838:59:59'", "'10:00:00'"),
            ("long_time TIME", "'25:00:00'", "'24:00:00'"),
        ]
        let columns = bad.map(\.column).joined(separator: ", ")
        try await Devices.run(server, "CREATE TABLE v (id INT PRIMARY KEY, \(columns), n INT) #") {
            devices in
            try devices.owner.plain("SET SESSION sql_mode = 'ANSI_QUOTES,ALLOW_INVALID_DATES'")
            for (id, one) in bad.enumerated() {
                let name = one.column.prefix { $0 != " " }
                try devices.owner.plain("INSERT INTO v (id, \(name)) VALUES (\(id), \(one.value))")
            }
            try devices.owner.plain("INSERT INTO v (id) VALUES (100)")
            let a = try await devices.clone("A", ["v"])
            let withheld = try await a.replica.withheldValues.fetch()
            #expect(
                Set(withheld.map(\.column))
                    == Set(bad.map { String($0.column.prefix { $0 != " " }) }))
            #expect(withheld.count == bad.count)
            #expect(try await a.rows("SELECT id FROM v") == [["100"]])
            for (id, one) in bad.enumerated() {
                let name = one.column.prefix { $0 != " " }
                try devices.owner.plain("UPDATE v SET \(name) = \(one.good) WHERE id = \(id)")
            }
            #expect(try await devices.differences(a) == [])
            #expect(try await a.replica.withheldValues.fetch().isEmpty)
            #expect(try await a.cell("SELECT count(*) FROM v") == String(bad.count + 1))
        }
    }

    @Test(arguments: MySQLServer.usual)
    func `that a column cannot hold are refused by its name`(server: MySQLServer) async throws {
        let bad: [(column: String, value: String)] = [
            ("big BIGINT UNSIGNED", "-1"), ("small TINYINT", "300"), ("yr YEAR", "3000"),
            ("bits BIT(8)", "256"),
            ("kind ENUM('a','b')", "'c'"), ("kinds SET('a','b')", "'a,c'"),
            ("amount DECIMAL(4,2)", "'1234.5'"),
            ("day DATE", "'2026-02-30'"), ("at TIMESTAMP NULL", "'1960-01-01 00:00:00'"),
            ("narrow VARCHAR(3)", "'abcd'"), ("code CHAR(2) CHARACTER SET latin1", "'漢'"),
            ("bytes BINARY(2)", "x'010203'"),
            ("doc JSON", "'{'"),
        ]
        let columns = bad.map(\.column).joined(separator: ", ")
        try await Devices.run(server, "CREATE TABLE v (id INT PRIMARY KEY, \(columns)) #") {
            devices in
            let a = try await devices.clone("A", ["v"])
            for (id, one) in bad.enumerated() {
                let name = one.column.prefix { $0 != " " }
                try await a.execute("INSERT INTO v (id, \(name)) VALUES (\(id), \(one.value))")
            }
            try await a.execute("INSERT INTO v (id, amount) VALUES (100, '12.345')")
            #expect(try await devices.differences(a) == [])
            let refused = try await a.replica.refusedChanges.fetch()
            #expect(refused.count == bad.count)
            for (id, one) in bad.enumerated() {
                let name = String(one.column.prefix { $0 != " " })
                let found = refused.first { $0.key.values == [.integer(Int64(id))] }
                #expect(
                    found?.message.contains(name) == true, "\(name): \(found?.message ?? "taken")")
                #expect(found.map { [.type, .check].contains($0.code) } == true, "\(name)")
            }
            #expect(try devices.owner.rows("SELECT id FROM v") == [["100"]])
        }
    }

    /// A session that is not strict stores the empty text for a value that the enum does not have.
    @Test(arguments: MySQLServer.usual)
    func `with the error value of an enum travel as the empty text`(server: MySQLServer)
        async throws
    {
        try await Devices.run(
            server, "CREATE TABLE v (id INT PRIMARY KEY, kind ENUM('a','b'), n INT) #"
        ) { devices in
            try devices.owner.plain(
                "SET SESSION sql_mode = 'ANSI_QUOTES'; INSERT INTO v VALUES (1, 'x', 0), (2, 'a', 0)"
            )
            let a = try await devices.clone("A", ["v"])
            #expect(try await a.rows("SELECT kind FROM v ORDER BY id") == [[""], ["a"]])
            try await a.execute("UPDATE v SET n = 1")
            #expect(try await devices.differences(a) == [])
            #expect(try await a.refusals() == [])
            #expect(
                try devices.owner.rows("SELECT CAST(kind + 0 AS SIGNED), n FROM v ORDER BY id") == [
                    ["0", "1"], ["1", "1"],
                ])
        }
    }
}
