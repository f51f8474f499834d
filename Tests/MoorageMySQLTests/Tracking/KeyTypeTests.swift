import MoorageCore
import MoorageHub
import TestSupport
import Testing

@testable import MoorageMySQL

/// Keys of every type that can be one, in tables that are attached and read in parts.
@Suite(.ownThreads, .enabled(if: !MySQLServer.all.isEmpty)) struct `Keys of each type` {
    struct Case: Sendable, CustomTestStringConvertible {
        let declared: String
        /// As an owner writes them, in no order.
        let values: [String]
        var testDescription: String { declared }
    }

    private static let labels = (0..<64).map { "'l\(97 * ($0 + 1) % 64)'" }
        .joined(separator: ",")

    static let cases = [
        Case(declared: "INT", values: ["7", "-3", "0", "20", "-40", "1", "100"]),
        Case(
            declared: "BIGINT UNSIGNED",
            values: ["1", "18446744073709551615", "0", "9223372036854775808", "9", "10", "200"]),
        Case(declared: "BIT(9)", values: ["3", "0", "511", "256", "17", "1", "300"]),
        Case(declared: "YEAR", values: ["2000", "1999", "1901", "2155", "0", "2026", "1970"]),
        Case(declared: "DOUBLE", values: ["0.1", "-1e300", "3", "2", "-7.25", "1e-300", "0"]),
        Case(declared: "FLOAT", values: ["0.1", "-1e30", "3", "2.5", "-7.2", "1e-30", "0"]),
        Case(
            declared: "DECIMAL(10,3)",
            values: ["2", "10", "-9.5", "-10.25", "0", "100.125", "9.999"]),
        Case(
            declared: "DATE",
            values: [
                "'2024-02-29'", "'1000-01-01'", "'9999-12-31'", "'2024-10-01'", "'1999-12-31'",
                "'2000-01-01'", "'2024-02-28'",
            ]),
        Case(
            declared: "TIME(3)",
            values: [
                "'10:00:00'", "'9:00:00'", "'23:59:59.999'", "'20:00:00'", "'10:00:00.5'",
                "'0:00:00.001'", "'0:00:00'",
            ]),
        Case(
            declared: "DATETIME(2)",
            values: [
                "'2024-01-01 10:00:00'", "'2023-12-31'", "'1000-01-01'", "'9999-12-31 23:59:59.99'",
                "'2024-01-01 10:00:00.01'", "'2024-01-01 09:59:59.99'", "'2030-01-01'",
            ]),
        Case(
            declared: "TIMESTAMP(3)",
            values: [
                "'2024-01-01 10:00:00'", "'2023-12-31'", "'1970-01-02'", "'2038-01-18 03:00:00'",
                "'2024-01-01 10:00:00.001'", "'2024-01-01 09:59:59.999'", "'2030-01-01'",
            ]),
        Case(
            declared: "VARCHAR(20) CHARACTER SET utf8mb4",
            values: ["'b'", "'Ä'", "'z'", "'ab'", "'o'", "''", "'𝄞'"]),
        Case(
            declared: "CHAR(5) CHARACTER SET latin1",
            values: ["'b'", "'Ä'", "'z'", "'ab'", "'o'", "''", "'é'"]),
        Case(
            declared: "VARBINARY(8)",
            values: ["x'00'", "x'ff'", "x''", "x'0000'", "x'7f80'", "x'41'", "x'c3a4'"]),
        Case(
            declared: "BINARY(3)",
            values: ["x'00'", "x'ff'", "x'01'", "x'7f80'", "x'41'", "x'c3a4'", "x'ffffff'"]),
        Case(
            // Under a collation of MySQL, `a` and `ä` would be one label.
            declared:
                "ENUM('z','a','10','9','m','b','ä') CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
            values: ["'m'", "'z'", "'9'", "'ä'", "'a'", "'10'", "'b'"]),
        Case(
            declared: "SET('z','a','10')",
            values: ["'z'", "''", "'a'", "'z,a'", "'10'", "'a,10'", "'z,a,10'"]),
        Case(
            declared: "SET(\(labels))",
            values: ["'l0'", "''", "'l33'", "'l1,l0'", "'l33,l2'", "'l2'", "'l5'"]),
    ]

    static let onMariaDB = [
        Case(
            declared: "UUID",
            values: (0..<7).map { place in
                let digit = String(place * 37 % 16, radix: 16)
                return "'\(digit)23e4567-e89b-12d3-a456-42661417400\((6 - place) % 4)'"
            }),
        Case(
            declared: "INET6",
            values: [
                "'::1'", "'::'", "'fe80::1'", "'::10.0.0.1'", "'2001:db8::'", "'ff::'", "'9::'",
            ]
        ),
        Case(
            declared: "INET4",
            values: [
                "'10.0.0.1'", "'9.0.0.1'", "'0.0.0.0'", "'255.255.255.255'", "'100.0.0.1'",
                "'65.66.67.68'", "'10.0.0.10'",
            ]),
    ]

    private func check(_ mirror: Mirror, _ when: String) throws {
        let found = try mirror.differences()
        #expect(found == [], "\(when)")
    }

    private static func cases(on owner: MySQLSession) throws -> [Case] {
        let isMariaDB = try owner.cell("SELECT version()")?.contains("MariaDB") == true
        return cases + (isMariaDB ? onMariaDB : [])
    }

    /// The keys that a device reads, in pages of two.
    private static func read(_ table: AttachedTable, _ connection: MySQLConnection) throws
        -> [RowKey]
    {
        var (keys, after): ([RowKey], TrackingPosition?) = ([], nil)
        while true {
            let part = try connection.content(
                table, columns: Array(table.description.columns.indices), in: .everything,
                .fromNothing(copiedAt: nil, within: nil), after: after, limit: 2)
            guard part.count > 0 else { return keys }
            keys += (0..<part.count).filter { part.isFound[$0] }
                .map { table.description.key(part.keys[$0]) }
            guard let last = keys.last, keys.count < 1_000 else { return keys }
            after = TrackingPosition(version: 0, key: last)
        }
    }

    /// The column is the whole key, or comes before or after another column. Many rows then have
    /// the same value in the first column.
    @Test(arguments: MySQLServer.usual)
    func `are filled and read in parts, none left out and none met twice`(server: MySQLServer)
        throws
    {
        try server.withDatabase { subject in
            let owner = try subject.session()
            try owner.plain("SET SESSION time_zone = '+00:00'")
            let cases = try Self.cases(on: owner)
            for (place, one) in cases.enumerated() {
                let first = one.values.map { "(\($0))" }.joined(separator: ", ")
                let both = one.values.flatMap { value in (1...5).map { "(\(value), \($0 * 7 % 5))" }
                }
                .joined(separator: ", ")
                try owner.plain(
                    """
                    CREATE TABLE a\(place) (k \(one.declared) NOT NULL PRIMARY KEY) ENGINE = InnoDB;
                    INSERT INTO a\(place) VALUES \(first);
                    CREATE TABLE b\(place) (k \(one.declared) NOT NULL, id INT, PRIMARY KEY (k, id)) ENGINE = InnoDB;
                    INSERT INTO b\(place) VALUES \(both);
                    CREATE TABLE c\(place) (k \(one.declared) NOT NULL, id INT, PRIMARY KEY (id, k)) ENGINE = InnoDB;
                    INSERT INTO c\(place) VALUES \(both)
                    """)
            }
            try subject.inConnection { base in
                var attachment = Attachment(on: base, makeID: { "an id" })
                attachment.batchRows = 3
                _ = try attachment.attach(tables: nil)
            }
            try check(Mirror(subject), "attached")
            try subject.inConnection { connection in
                try connection.begin(.snapshot)
                defer { connection.rollback() }
                for table in try connection.attachedTables() {
                    let place = Int(table.name.dropFirst()) ?? 0
                    let name = "\(table.name): \(cases[place].declared)"
                    let keys = try Self.read(table, connection)
                    #expect(keys.count == (table.name.hasPrefix("a") ? 7 : 35), "\(name)")
                    #expect(Set(keys).count == keys.count, "\(name)")
                }
            }
        }
    }

    @Test(arguments: MySQLServer.usual)
    func `are noted as they are written`(server: MySQLServer) throws {
        try server.withDatabase { subject in
            let owner = try subject.session()
            let cases = try Self.cases(on: owner)
            for (place, one) in cases.enumerated() {
                try owner.plain(
                    "CREATE TABLE t\(place) (k \(one.declared) NOT NULL PRIMARY KEY, n INT) ENGINE = InnoDB"
                )
            }
            try subject.attach()
            let mirror = try Mirror(subject)
            for (place, one) in cases.enumerated() {
                for value in one.values {
                    try owner.plain("INSERT INTO t\(place) VALUES (\(value), 0)")
                }
            }
            try check(mirror, "inserted")
            for place in cases.indices {
                try owner.plain("UPDATE t\(place) SET n = 1 ORDER BY k LIMIT 3")
            }
            try check(mirror, "updated")
            for place in cases.indices {
                try owner.plain("DELETE FROM t\(place) ORDER BY k LIMIT 4")
            }
            try check(mirror, "deleted")
        }
    }

    /// `+02:00` is the test's own zone. A server may know no zones by name.
    @Test(arguments: MySQLServer.all)
    func `that are instants are noted alike in every time zone`(server: MySQLServer) throws {
        try server.withDatabase { subject in
            let owner = try subject.session()
            try owner.plain(
                """
                CREATE TABLE place (id INT, at TIMESTAMP(3) NOT NULL DEFAULT '2000-01-01', v INT,
                  PRIMARY KEY (id, at)) ENGINE = InnoDB;
                CREATE TABLE visit (at TIMESTAMP(6) NOT NULL DEFAULT '2000-01-01', place INT, place_at TIMESTAMP(3) NULL,
                  PRIMARY KEY (at), FOREIGN KEY (place, place_at) REFERENCES place(id, at)
                    ON UPDATE CASCADE ON DELETE CASCADE) ENGINE = InnoDB
                """)
            try subject.attach()
            let mirror = try Mirror(subject)
            let knowsZones =
                try owner.cell("SELECT CONVERT_TZ('2024-01-01', 'UTC', 'Europe/Berlin')") != nil
            let zones = ["+05:00", "-11:30", "SYSTEM"] + (knowsZones ? ["Europe/Berlin"] : [])
            for (place, zone) in zones.enumerated() {
                try owner.plain("SET SESSION sql_mode = 'ANSI_QUOTES', time_zone = '\(zone)'")
                // The hour before the end of summer time and the hour after it have the same names.
                for second in [1_729_986_300, 1_729_989_900, 1_704_085_200] {
                    try owner.plain(
                        """
                        INSERT INTO place VALUES (\(place), FROM_UNIXTIME(\(second).25), 0);
                        INSERT INTO visit VALUES (FROM_UNIXTIME(\(second + place).125), \(place), FROM_UNIXTIME(\(second).25))
                        """)
                }
                try check(mirror, zone)
                // A value that no device can store.
                try owner.plain("INSERT INTO place VALUES (\(place), 0, 0)")
                try mirror.follow()
                let noted = "SELECT count(*) FROM moorage_track_1_place WHERE k1 = 0 AND live"
                #expect(try owner.cell(noted) == "1", "\(zone)")
                try owner.plain("DELETE FROM place WHERE at = 0")
                try mirror.follow()
                #expect(try owner.cell(noted) == "0", "\(zone)")
            }
            for (place, zone) in zones.enumerated() {
                try owner.plain("SET SESSION time_zone = '\(zone)'")
                try owner.plain(
                    "UPDATE place SET v = 1, at = at + INTERVAL 1 SECOND ORDER BY at DESC LIMIT 5")
                try check(mirror, zone)
                try owner.plain("DELETE FROM place WHERE id = \(place) LIMIT 2")
                try check(mirror, zone)
            }
        }
    }
}
