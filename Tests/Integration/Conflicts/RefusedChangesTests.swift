import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

@Suite(.ownThreads) struct `Refused changes` {
    private static func schema(_ kind: CentreKind) -> [String] {
        let trigger =
            switch kind {
            case .sqlite:
                """
                CREATE TRIGGER picky BEFORE INSERT ON item WHEN NEW.note = 'bad'
                BEGIN SELECT RAISE(ABORT, 'picky'); END
                """
            case .mariadb:
                """
                CREATE TRIGGER picky BEFORE INSERT ON item FOR EACH ROW
                IF NEW.note = 'bad' THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'picky'; END IF
                """
            case .postgres:
                """
                CREATE FUNCTION picky() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN
                  IF NEW.note = 'bad' THEN RAISE EXCEPTION 'picky'; END IF;
                  IF NEW.note = 'mine' THEN
                    RAISE EXCEPTION 'not yours' USING ERRCODE = 'insufficient_privilege';
                  END IF;
                  RETURN NEW; END$$;
                CREATE TRIGGER picky BEFORE INSERT ON item FOR EACH ROW EXECUTE FUNCTION picky()
                """
            }
        return [
            "CREATE TABLE box (id INTEGER NOT NULL PRIMARY KEY, name VARCHAR(20) NOT NULL)",
            """
            CREATE TABLE item (
              id INTEGER NOT NULL PRIMARY KEY, box INTEGER REFERENCES box(id),
              code INTEGER UNIQUE, amount INTEGER CHECK (amount >= 0), note TEXT)
            """,
            "INSERT INTO box VALUES (1, 'one')",
            "INSERT INTO item VALUES (1, 1, 1, 1, 'first')",
            trigger,
        ]
    }

    /// The device's schema is laxer than the central one, so the device sends changes that the
    /// centre forbids.
    private static let local = """
        CREATE TABLE box (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE item (
          id INTEGER PRIMARY KEY, box INTEGER REFERENCES box(id), code INTEGER, amount INTEGER,
          note TEXT);
        """

    private struct Case {
        let sql: String
        let code: Refusal.Code
    }

    private static func cases(_ kind: CentreKind) -> [Case] {
        var cases = [
            Case(sql: "INSERT INTO item VALUES (10, 1, 10, -5, 'n')", code: .check),
            Case(sql: "INSERT INTO item VALUES (11, 1, 1, 5, 'n')", code: .unique),
            Case(sql: "INSERT INTO item VALUES (12, 9, 12, 5, 'n')", code: .foreignKey),
            Case(sql: "INSERT INTO box VALUES (13, NULL)", code: .notNull),
            Case(sql: "INSERT INTO item VALUES (14, 1, 14, 'many', 'n')", code: .type),
            Case(sql: "INSERT INTO item VALUES (15, 1, 15, 5, 'bad')", code: .trigger),
        ]
        if kind == .postgres {
            cases.append(
                Case(sql: "INSERT INTO item VALUES (16, 1, 16, 5, 'mine')", code: .permission))
        }
        return cases
    }

    private static func run(
        _ kind: CentreKind, limits: HubLimits = HubLimits(),
        _ test: @escaping @Sendable (World, Device) async throws -> Void
    ) async throws {
        try await World.run(
            kind, schema: schema(kind), configuration: HubConfiguration(limits: limits)
        ) { world in
            let device = try await world.open(
                "A", schema: local, tables: [.table("box"), .table("item")])
            try await device.replica.sync()
            try await device.file.writeWithoutTransaction {
                try $0.execute(sql: "PRAGMA foreign_keys = OFF")
            }
            try await test(world, device)
        }
    }

    @Test(arguments: CentreKind.available)
    func `hold up no other, and are kept with their reason`(kind: CentreKind) async throws {
        try await Self.run(kind) { world, device in
            let cases = Self.cases(kind)
            for (index, item) in cases.enumerated() {
                try device.execute(item.sql)
                try device.execute(
                    "INSERT INTO item VALUES (\(100 + index), 1, \(100 + index), 1, 'good')")
            }
            try device.execute("UPDATE item SET note = 'edited' WHERE id = 1")
            let summary = try await device.replica.sync()
            #expect(summary.changesRefused == cases.count)
            let refused = try await device.replica.refusedChanges.fetch()
            for (index, item) in cases.enumerated() {
                let found = refused.first { $0.key.values == [.integer(Int64(10 + index))] }
                #expect(found?.code == item.code, "\(item.sql): \(found?.message ?? "not refused")")
                #expect(found?.after.isEmpty == false)
            }
            // The device has the central rows again.
            try await device.replica.sync()
            #expect(try await world.differences(device) == [])
            #expect(
                try world.centre.count("SELECT count(*) FROM item WHERE note IN ('good', 'edited')")
                    == cases.count + 1)
        }
    }

    @Test(arguments: CentreKind.available)
    func `a value that is too large waits on the device`(kind: CentreKind) async throws {
        var limits = HubLimits()
        limits.maximumValueBytes = 1_000
        try await Self.run(kind, limits: limits) { world, device in
            try device.execute(
                """
                UPDATE item SET note = printf('%2000s', 'x') WHERE id = 1;
                INSERT INTO item VALUES (20, 1, 20, 1, 'good')
                """)
            try await device.replica.sync()
            let refused = try await device.replica.refusedChanges.fetch()
            #expect(refused.map(\.code) == [.tooLarge] && refused.map(\.isBlocked) == [true])
            #expect(try world.centre.count("SELECT count(*) FROM item WHERE id = 20") == 1)
            try device.execute("UPDATE item SET note = 'short' WHERE id = 1")
            try await device.replica.sync()
            #expect(try await device.replica.refusedChanges.fetch() == [])
            #expect(try await world.differences(device) == [])
        }
    }

    @Test(arguments: CentreKind.available)
    func `a group is taken whole or not at all`(kind: CentreKind) async throws {
        try await Self.run(kind) { world, device in
            let replica = device.replica
            try await device.file.write { db in
                try replica.group(db) {
                    try db.execute(
                        sql: """
                            INSERT INTO box VALUES (2, 'two');
                            INSERT INTO item VALUES (30, 2, 30, 1, 'in');
                            INSERT INTO item VALUES (31, 2, 31, -1, 'in')
                            """)
                }
                try replica.group(db) {
                    try db.execute(
                        sql: """
                            INSERT INTO box VALUES (3, 'three');
                            INSERT INTO item VALUES (40, 3, 40, 1, 'in')
                            """)
                }
            }
            try await replica.sync()
            let refused = try await replica.refusedChanges.fetch().map(\.code.rawValue).sorted()
            #expect(refused == ["check", "group", "group"])
            #expect(try world.centre.text("SELECT max(id) FROM box") == "3")
            #expect(try world.centre.count("SELECT count(*) FROM box WHERE id = 2") == 0)
            #expect(try await world.differences(device) == [])
        }
    }
}
