import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageHub
import MoorageTesting
import MoorageWire
import TestSupport
import Testing

@Suite(.ownThreads) struct `Every value type` {
    /// By day only HTTP runs, because it also encodes the values that the direct mode passes as
    /// they are.
    private static let ways: [Way] = isNightly ? [.direct, .http] : [.http]

    private static func schema(_ kind: CentreKind) -> [String] {
        let mood = kind == .postgres ? ["CREATE TYPE mood AS ENUM ('glad', 'très triste')"] : []
        return mood
            + TypeCase.all(kind).map {
                "CREATE TABLE \($0.table) (id BIGINT NOT NULL PRIMARY KEY, v \($0.declared))"
            }
    }

    @Test(arguments: CentreKind.available, ways)
    func `makes the round trip between devices and centre`(
        kind: CentreKind, way: Way
    ) async throws {
        try await World.run(kind, way, schema: Self.schema(kind)) { world in
            let a = try await world.clone("A")
            let b = try await world.clone("B")
            // From one device through the hub to the other, and from the centre to devices.
            for type in TypeCase.all(kind) {
                for (index, value) in type.values.enumerated() {
                    try a.insert(
                        into: type.table, ["id", "v"], [.integer(Int64(index)), value])
                    try world.centre.insert(
                        into: type.table, ["id", "v"], [.integer(Int64(1_000 + index)), value])
                }
            }
            try await world.converge(a, b)
            try await Self.expectRefusedNothing(a, b)
            #expect(try await world.differences(a, b) == [])
            let schema = try await world.hub.schema().schema
            for type in TypeCase.all(kind) {
                try Self.expect(type, start: 0, a, b, world, schema)
                try Self.expect(type, start: 1_000, a, b, world, schema)
            }
            // Updates every value: each row takes the next one's value.
            for type in TypeCase.all(kind) {
                let count = type.values.count
                try b.execute(
                    """
                    CREATE TEMP TABLE old AS SELECT * FROM \(type.table);
                    UPDATE \(type.table)
                      SET v = (SELECT v FROM old WHERE old.id = (\(type.table).id + 1) % \(count))
                      WHERE id < \(count);
                    DROP TABLE old;
                    """)
            }
            try await world.converge(b, a)
            try await Self.expectRefusedNothing(a, b)
            #expect(try await world.differences(a, b) == [])
            for type in TypeCase.all(kind) {
                let rotated = TypeCase(
                    name: type.name, kind: kind, declared: type.declared,
                    values: type.values.indices.map {
                        type.values[($0 + 1) % type.values.count]
                    }, isExact: type.isExact)
                try Self.expect(rotated, start: 0, a, b, world, schema)
            }
        }
    }

    private static func expectRefusedNothing(_ devices: Device...) async throws {
        for device in devices {
            let refused = try await device.replica.refusedChanges.fetch()
            #expect(refused.map { "\($0.table) \($0.key.values): \($0.message)" } == [])
            let withheld = try await device.replica.withheldValues.fetch()
            #expect(withheld.map { "\($0.table) \($0.key.values): \($0.reason)" } == [])
        }
    }

    /// Expects the original values on both devices and at the centre.
    private static func expect(
        _ type: TypeCase, start: Int64, _ a: Device, _ b: Device, _ world: World,
        _ schema: SchemaDescription
    ) throws {
        let table = try #require(schema.table(named: type.table))
        let places = [
            ("A", try a.values(type.table, "id", "v")), ("B", try b.values(type.table, "id", "v")),
            ("the centre", try world.centre.rows(table)),
        ]
        for (place, rows) in places {
            for (index, value) in type.values.enumerated() {
                let key = Value.integer(start + Int64(index))
                let found = rows.first { $0[0] == key }?[1]
                guard let found else {
                    Issue.record("\(type.table) \(key) is not at \(place)")
                    continue
                }
                // SQLite itself stores −0.0 as 0.0, and the two are equal
                // (docs/reference/types.md).
                let isExact = type.isExact && value != .real(-0.0)
                let isRight =
                    isExact ? found == value : table.columns[1].type.equal(found, value)
                let seen = String(String(describing: found).prefix(80))
                let meant = String(String(describing: value).prefix(80))
                #expect(isRight, "\(type.table) at \(place): \(seen) for \(meant)")
            }
        }
    }

    @Test(arguments: CentreKind.available, ways)
    func `a blob that is larger than a page`(kind: CentreKind, way: Way) async throws {
        let type =
            switch kind {
            case .sqlite: "BLOB"
            case .postgres: "BYTEA"
            case .mariadb: "LONGBLOB"
            }
        let schema = ["CREATE TABLE photo (id INTEGER NOT NULL PRIMARY KEY, v \(type))"]
        try await World.run(kind, way, schema: schema) { world in
            let count = isNightly ? 5_000_000 : 1_500_000
            let a = try await world.clone("A", mostBytes: count * 2 / 5)
            let b = try await world.clone("B", mostBytes: count * 2 / 5)
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
            try a.insert(into: "photo", ["id", "v"], [.integer(1), .blob(bytes)])
            try a.insert(into: "photo", ["id", "v"], [.integer(2), .blob([1])])
            try world.centre.insert(into: "photo", ["id", "v"], [.integer(3), .blob(bytes)])
            try await world.converge(a, b)
            #expect(try await world.differences(a, b) == [])
            #expect(try b.values("photo", "v") == [[.blob(bytes)], [.blob([1])], [.blob(bytes)]])
        }
    }

    @Test(arguments: CentreKind.available)
    func `keys that differ only in their Unicode form are two`(kind: CentreKind) async throws {
        let schema = ["CREATE TABLE word (k VARCHAR(20) NOT NULL PRIMARY KEY, v TEXT)"]
        try await World.run(kind, .http, schema: schema) { world in
            let a = try await world.clone("A")
            let b = try await world.clone("B")
            let composed = Value.text("caf\u{e9}")
            let decomposed = Value.text("cafe\u{301}")
            try a.insert(into: "word", ["k", "v"], [composed, .text("one")])
            try world.centre.insert(into: "word", ["k", "v"], [decomposed, .text("two")])
            try await world.converge(a, b)
            #expect(try await world.differences(a, b) == [])
            #expect(try b.values("word", "k", "v").count == 2)
            // Each row changes, and is removed, alone.
            try b.execute("UPDATE word SET v = 'changed' WHERE k = 'caf\u{e9}'")
            try a.execute("DELETE FROM word WHERE k = 'cafe\u{301}'")
            try await world.converge(a, b)
            #expect(try await world.differences(a, b) == [])
            #expect(try b.values("word", "k", "v") == [[composed, .text("changed")]])
        }
    }

    @Test(arguments: CentreKind.available)
    func `text with NUL goes where it can be held and is refused by name elsewhere`(
        kind: CentreKind
    ) async throws {
        let schema = [
            "CREATE TABLE word (id INTEGER NOT NULL PRIMARY KEY, spelling TEXT)",
            "CREATE TABLE other (id INTEGER NOT NULL PRIMARY KEY, v TEXT)",
        ]
        try await World.run(kind, .http, schema: schema) { world in
            let a = try await world.clone("A")
            let b = try await world.clone("B")
            let value = Value.text("a\u{0}b")
            try a.insert(into: "word", ["id", "spelling"], [.integer(1), .text("before")])
            try a.insert(into: "word", ["id", "spelling"], [.integer(2), value])
            try a.insert(into: "word", ["id", "spelling"], [.integer(3), .text("after")])
            try a.insert(into: "other", ["id", "v"], [.integer(1), .text("elsewhere")])
            try await world.converge(a, b)
            #expect(try b.values("other", "id", "v") == [[.integer(1), .text("elsewhere")]])
            if kind != .postgres {
                #expect(
                    try b.values("word", "spelling") == [
                        [.text("before")], [value], [.text("after")],
                    ])
                #expect(try await world.differences(a, b) == [])
                return
            }
            let refused = try await a.replica.refusedChanges.fetch()
            #expect(refused.map(\.code) == [.notRepresentable])
            #expect(refused.first?.message.contains("spelling") == true)
            #expect(refused.first?.after["spelling"] == value)
            #expect(try b.values("word", "id") == [[.integer(1)], [.integer(3)]])
            // Once the device fixes the text, it goes in.
            try a.execute("UPDATE word SET spelling = 'ab' WHERE id = 2")
            try await world.converge(a, b)
            #expect(try await world.differences(a, b) == [])
        }
    }

    @Test(arguments: CentreKind.available)
    func `what no device can hold is withheld by name and arrives once it is mended`(
        kind: CentreKind
    ) async throws {
        let real = kind == .sqlite ? "DOUBLE" : "DOUBLE PRECISION"
        let time = kind == .mariadb ? "DATETIME" : "TIMESTAMP"
        let schema = [
            """
            CREATE TABLE reading (
              id INTEGER NOT NULL PRIMARY KEY, v \(real), n NUMERIC, d DATE, t \(time))
            """
        ]
        try await World.run(kind, .http, schema: schema) { world in
            try world.centre.execute("INSERT INTO reading (id, v) VALUES (1, 1.5), (2, 2.5)")
            let a = try await world.clone("A")
            let columns: [Int64: String]
            switch kind {
            case .sqlite:
                columns = [2: "v", 3: "v", 4: "d"]
                try world.centre.execute(
                    """
                    UPDATE reading SET v = 9e999 WHERE id = 2;
                    INSERT INTO reading (id, v) VALUES (3, -9e999);
                    INSERT INTO reading (id, d) VALUES (4, '10000-01-01');
                    INSERT INTO reading (id, v) VALUES (5, 5.5);
                    """)
            case .mariadb:
                columns = [4: "d", 7: "t"]
                try world.centre.execute(
                    """
                    INSERT INTO reading (id, d) VALUES (4, '0000-00-00');
                    INSERT INTO reading (id, v) VALUES (5, 5.5);
                    INSERT INTO reading (id, t) VALUES (7, '2026-00-00 00:00:00');
                    """)
            case .postgres:
                columns = [2: "v", 3: "v", 4: "d", 6: "n", 7: "t", 8: "d", 9: "v"]
                try world.centre.execute(
                    """
                    UPDATE reading SET v = 'NaN' WHERE id = 2;
                    INSERT INTO reading (id, v) VALUES (3, '-Infinity'), (9, 'NaN');
                    INSERT INTO reading (id, d) VALUES (4, 'infinity'), (8, '0044-03-15 BC');
                    INSERT INTO reading (id, v) VALUES (5, 5.5);
                    INSERT INTO reading (id, n) VALUES (6, 'NaN');
                    INSERT INTO reading (id, t) VALUES (7, '10000-01-01 00:00');
                    """)
            }
            let summary = try await a.replica.sync()
            #expect(summary.isCaughtUp)
            let withheld = try await a.replica.withheldValues.fetch()
            let found = Dictionary(
                withheld.map { ($0.key.values.first, $0.column) }, uniquingKeysWith: { $1 })
            for (key, column) in columns { #expect(found[.integer(key)] == column) }
            #expect(withheld.count == columns.count)
            #expect(withheld.allSatisfy { $0.table == "reading" && !$0.reason.isEmpty })
            #expect(a.replica.status.withheldCount == columns.count)
            // The device keeps its old values, and verify reports no difference.
            #expect(
                try a.values("reading", "id", "v") == [
                    [.integer(1), .real(1.5)], [.integer(2), .real(2.5)],
                    [.integer(5), .real(5.5)],
                ])
            #expect(try await a.replica.verify() == [])
            let b = try await world.clone("B")
            #expect(try await b.replica.withheldValues.fetch().count == columns.count)

            try world.centre.execute(
                "UPDATE reading SET v = 0.5, n = 1, d = NULL, t = NULL WHERE id <> 9")
            try world.centre.execute("DELETE FROM reading WHERE id = 9")
            try await world.converge(a, b)
            #expect(try await world.differences(a, b) == [])
            #expect(try await a.replica.withheldValues.fetch().isEmpty)
            #expect(try await b.replica.withheldValues.fetch().isEmpty)
            #expect(a.replica.status.withheldCount == 0)
        }
    }

    @Test(arguments: CentreKind.available)
    func `a device declares its columns in its own way`(kind: CentreKind) async throws {
        let decimal = kind == .mariadb ? "DECIMAL(30,5)" : "NUMERIC"
        let instant = kind == .mariadb ? "TIMESTAMP(6) NULL" : "TIMESTAMPTZ"
        let schema = [
            """
            CREATE TABLE thing (
              id UUID NOT NULL PRIMARY KEY, price \(decimal), flag BOOLEAN, at \(instant), day DATE,
              owner UUID)
            """
        ]
        try await World.run(kind, .http, schema: schema) { world in
            let a = try await world.clone("A")
            let c = try await world.open(
                "C",
                schema: """
                    CREATE TABLE thing (
                      id BLOB(16) NOT NULL PRIMARY KEY, price NUMERIC, flag INTEGER,
                      at DATETIME, day TEXT, owner BLOB(16), draft TEXT DEFAULT 'mine')
                    """, tables: [.table("thing")])
            let first = "01890a5d-ac96-774b-bcce-b302099a8057"
            let second = "01890a5d-ac96-774b-bcce-b302099a8058"
            let columns = ["id", "price", "flag", "at", "day"]
            // A device may write a time with a zone. It still is an instant.
            try a.insert(
                into: "thing", columns,
                [
                    .text(first), .text("9.80"), .integer(1), .text("2026-07-01T12:00:00+02:00"),
                    .text("1899-12-31"),
                ])
            try await c.file.write {
                try $0.insert(
                    into: "thing", columns + ["owner"],
                    [
                        .blob(UUIDText.bytes(second) ?? []), .real(9.8), .integer(0),
                        .text("2026-07-01 10:00:00.000001"), .text("0001-01-01"),
                        .blob(UUIDText.bytes(first) ?? []),
                    ])
            }
            try await world.converge(a, c)
            #expect(try await world.differences(a, c) == [])
            #expect(try await c.replica.refusedChanges.fetch().map(\.message) == [])
            let rows = try c.values("thing", "id", "price", "draft")
            #expect(rows.contains([.blob(UUIDText.bytes(first) ?? []), .real(9.8), .text("mine")]))
            #expect(try a.values("thing", "id", "owner").contains([.text(second), .text(first)]))
            if kind == .postgres {
                let instant = try world.centre.text(
                    "SELECT (at AT TIME ZONE 'UTC')::text FROM thing WHERE id = '\(first)'")
                #expect(instant == "2026-07-01 10:00:00")
            }
            // The centre writes the same instant in other zones and forms. All copies have the same
            // instant.
            if kind == .postgres {
                try world.centre.execute(
                    """
                    SET TIME ZONE 'Asia/Kathmandu';
                    UPDATE thing SET at = '2026-03-29 02:30:00.5+05:45', price = 12345678901234567890.12345
                      WHERE id = '\(first)';
                    """)
                try await world.converge(a, c)
                #expect(
                    try a.text("SELECT at FROM thing WHERE id = '\(first)'")?
                        .hasPrefix("2026-03-28 20:45:00.5") == true)
                #expect(
                    try a.text("SELECT price FROM thing WHERE id = '\(first)'")
                        == "12345678901234567890.12345")
                // NUMERIC on the device keeps only 15 digits, so the device withholds the row and
                // names the column.
                let withheld = try await c.replica.withheldValues.fetch()
                #expect(withheld.map(\.column) == ["price"])
                try world.centre.execute("UPDATE thing SET price = 1.25 WHERE id = '\(first)'")
            }
            try c.execute("UPDATE thing SET flag = 1, day = NULL WHERE price = 9.8")
            try await world.converge(c, a)
            #expect(try await world.differences(a, c) == [])
        }
    }

    @Test func `a decimal that the central column would round is refused by name`() async throws {
        let schema = ["CREATE TABLE price (id INTEGER NOT NULL PRIMARY KEY, amount DECIMAL(10,2))"]
        try await World.run(.sqlite, .direct, schema: schema) { world in
            let a = try await world.clone("A")
            try a.execute("INSERT INTO price VALUES (1, '1234567890.12345678'), (2, '1.5')")
            try await a.replica.sync()
            let refused = try await a.replica.refusedChanges.fetch()
            #expect(refused.map(\.code) == [.notRepresentable])
            #expect(refused.first?.message.contains("price.amount") == true)
            #expect(try world.centre.count("SELECT count(*) FROM price") == 1)
        }
    }

    @Test(.enabled(if: PostgresFixture.isThere))
    func `a value that the centre rounds comes back as it stands there`() async throws {
        let schema = [
            "CREATE TABLE price (id INTEGER NOT NULL PRIMARY KEY, amount NUMERIC(10,2), at TIMESTAMP(0))"
        ]
        try await World.run(.postgres, .http, schema: schema) { world in
            let a = try await world.clone("A")
            try a.execute("INSERT INTO price VALUES (1, '1.005', '2026-01-01 00:00:00.7')")
            try await a.replica.sync()
            #expect(try await world.differences(a) == [])
            // Afterwards the replica has no conflict with itself.
            try a.execute("UPDATE price SET amount = '2.5', at = '2026-01-02 00:00:00'")
            try await a.replica.sync()
            #expect(try await world.differences(a) == [])
            #expect(try await world.conflicts() == [])
        }
    }
}
