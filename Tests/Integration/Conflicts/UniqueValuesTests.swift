import Foundation
import Moorage
import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

@Suite(.ownThreads) struct `Unique values` {
    private static let schema = [
        """
        CREATE TABLE item (
          id INTEGER NOT NULL PRIMARY KEY, code VARCHAR(20) UNIQUE, note TEXT)
        """,
        """
        INSERT INTO item VALUES (1, 'one', 'first'), (2, 'two', 'second'), (3, 'three', 'third'),
          (4, 'four', 'fourth'), (5, NULL, NULL), (6, NULL, NULL)
        """,
    ]

    private static func run(
        _ kind: CentreKind, _ test: @escaping @Sendable (World, Device, Device) async throws -> Void
    ) async throws {
        try await World.run(kind, .http, schema: schema) { world in
            try await test(world, try await world.clone("A"), try await world.clone("B"))
        }
    }

    private static let swap = """
        UPDATE item SET code = 'between' WHERE id = 1;
        UPDATE item SET code = 'one' WHERE id = 2;
        UPDATE item SET code = 'two' WHERE id = 1;
        """

    private static func code(_ id: Int, _ world: World) throws -> String? {
        try world.centre.text("SELECT code FROM item WHERE id = \(id)")
    }

    @Test(arguments: CentreKind.available)
    func `are swapped at the centre`(kind: CentreKind) async throws {
        try await Self.run(kind) { world, a, b in
            try world.centre.execute("BEGIN; \(Self.swap) COMMIT")
            try await world.converge(a, b)
            #expect(try await world.differences(a, b) == [])
            #expect(try a.text("SELECT code FROM item WHERE id = 1") == "two")
        }
    }

    @Test(arguments: CentreKind.available)
    func `are swapped on a device`(kind: CentreKind) async throws {
        try await Self.run(kind) { world, a, b in
            try a.execute(Self.swap)
            try await world.converge(a, b)
            #expect(try await world.differences(a, b) == [])
            #expect(try await a.replica.refusedChanges.fetch().isEmpty)
            #expect(try Self.code(1, world) == "two")
            #expect(try Self.code(2, world) == "one")
        }
    }

    @Test(arguments: CentreKind.available)
    func `go round in a ring of four on a device, and back on the other`(
        kind: CentreKind
    ) async throws {
        try await Self.run(kind) { world, a, b in
            try a.execute(
                """
                UPDATE item SET code = code || '!' WHERE id <= 4;
                UPDATE item SET code = CASE id WHEN 1 THEN 'two' WHEN 2 THEN 'three'
                  WHEN 3 THEN 'four' ELSE 'one' END WHERE id <= 4;
                """)
            try await world.converge(a, b)
            #expect(try await world.differences(a, b) == [])
            #expect(try Self.code(4, world) == "one")
            try b.execute(
                """
                UPDATE item SET code = code || '!' WHERE id <= 4;
                UPDATE item SET code = CASE id WHEN 1 THEN 'one' WHEN 2 THEN 'two'
                  WHEN 3 THEN 'three' ELSE 'four' END WHERE id <= 4;
                """)
            try await world.converge(b, a)
            #expect(try await world.differences(a, b) == [])
            #expect(try Self.code(4, world) == "four")
            #expect(try await a.replica.refusedChanges.fetch().isEmpty)
            #expect(try await b.replica.refusedChanges.fetch().isEmpty)
        }
    }

    @Test(arguments: CentreKind.available)
    func `are swapped half on each device`(kind: CentreKind) async throws {
        try await Self.run(kind) { world, a, b in
            // Each device gives one row the other row's value, and the other row an unused value.
            try a.execute(
                """
                UPDATE item SET code = 'A was here' WHERE id = 2;
                UPDATE item SET code = 'two' WHERE id = 1;
                """)
            try a.makeEditsOlder()
            try b.execute(
                """
                UPDATE item SET code = 'B was here' WHERE id = 1;
                UPDATE item SET code = 'one' WHERE id = 2;
                """)
            try await world.converge(a, b, a)
            try await Self.expectConvergedOrRefused(world, a, b)
        }
    }

    @Test(arguments: CentreKind.available)
    func `are swapped half on a device and half at the centre`(kind: CentreKind) async throws {
        try await Self.run(kind) { world, a, b in
            try a.execute(
                """
                UPDATE item SET code = 'A was here' WHERE id = 2;
                UPDATE item SET code = 'two' WHERE id = 1;
                """)
            try a.makeEditsOlder()
            try world.centre.execute(
                """
                UPDATE item SET code = 'the office was here' WHERE id = 1;
                UPDATE item SET code = 'one' WHERE id = 2;
                """)
            try await world.converge(a, b)
            try await Self.expectConvergedOrRefused(world, a, b)
        }
    }

    @Test(arguments: CentreKind.available)
    func `of a deleted row are used again, on one device and at the centre`(
        kind: CentreKind
    ) async throws {
        try await Self.run(kind) { world, a, b in
            try a.execute(
                "DELETE FROM item WHERE id = 1; INSERT INTO item VALUES (11, 'one', 'again')")
            try world.centre.execute(
                "DELETE FROM item WHERE id = 2; INSERT INTO item VALUES (12, 'two', 'again')")
            try b.execute(
                """
                UPDATE item SET code = NULL WHERE id = 3;
                INSERT INTO item VALUES (13, 'three', 'freed');
                DELETE FROM item WHERE id = 4;
                INSERT INTO item VALUES (4, 'four', 'same key, same value');
                """)
            try await world.converge(a, b)
            #expect(try await world.differences(a, b) == [])
            #expect(try await a.replica.refusedChanges.fetch().isEmpty)
            #expect(try await b.replica.refusedChanges.fetch().isEmpty)
            #expect(try world.centre.text("SELECT id FROM item WHERE code = 'one'") == "11")
            #expect(try world.centre.text("SELECT id FROM item WHERE code = 'two'") == "12")
            #expect(try world.centre.text("SELECT id FROM item WHERE code = 'three'") == "13")
            #expect(
                try world.centre.text("SELECT note FROM item WHERE id = 4")
                    == "same key, same value")
        }
    }

    @Test(arguments: CentreKind.available)
    func `move on over several rows that the centre renumbers`(kind: CentreKind) async throws {
        try await Self.run(kind) { world, a, b in
            // Each row takes the value that the previous row had.
            try world.centre.execute(
                """
                UPDATE item SET code = NULL WHERE id = 1;
                UPDATE item SET code = 'one' WHERE id = 2;
                UPDATE item SET code = 'two' WHERE id = 3;
                UPDATE item SET code = 'three' WHERE id = 4;
                """)
            // With one row a page, the row that has a value may come pages later.
            let c = try await world.clone("C", pageRows: 1)
            try await world.converge(a, b, c)
            #expect(try await world.differences(a, b, c) == [])
            try world.centre.execute(
                """
                UPDATE item SET code = code || '?' WHERE code IS NOT NULL;
                UPDATE item SET code = 'one' WHERE id = 1;
                UPDATE item SET code = 'two' WHERE id = 2;
                UPDATE item SET code = 'three' WHERE id = 3;
                UPDATE item SET code = 'four' WHERE id = 4;
                """)
            try await world.converge(c, a, b)
            #expect(try await world.differences(a, b, c) == [])
            #expect(c.replica.status.deferredCount == 0)
        }
    }

    @Test(arguments: CentreKind.available)
    func `are taken by REPLACE over a key`(kind: CentreKind) async throws {
        try await Self.run(kind) { world, a, b in
            try a.execute("INSERT OR REPLACE INTO item VALUES (1, 'uno', 'replaced')")
            try await world.converge(a, b)
            #expect(try await world.differences(a, b) == [])
            #expect(try Self.code(1, world) == "uno")
            // The same while another device edits the row.
            try a.execute("REPLACE INTO item VALUES (2, 'dos', 'replaced')")
            try b.execute("UPDATE item SET note = 'edited by B' WHERE id = 2")
            try await world.converge(a, b)
            try await Self.expectConvergedOrRefused(world, a, b)
        }
    }

    @Test(arguments: CentreKind.available)
    func `are taken by REPLACE over a unique index`(kind: CentreKind) async throws {
        try await Self.run(kind) { world, a, b in
            try a.execute("REPLACE INTO item VALUES (11, 'one', 'in place of 1')")
            try b.execute("UPDATE OR REPLACE item SET code = 'two' WHERE id = 3")
            try a.execute("REPLACE INTO item VALUES (5, 'four', 'in place of 4 and 5')")
            try await world.converge(a, b)
            #expect(try await world.differences(a, b) == [])
            #expect(try await a.replica.refusedChanges.fetch().isEmpty)
            #expect(try await b.replica.refusedChanges.fetch().isEmpty)
            let ids = try a.values("item", "id").map { $0[0] }
            #expect(Set(ids) == Set([.integer(3), .integer(5), .integer(6), .integer(11)]))
            #expect(try Self.code(3, world) == "two")
        }
    }

    @Test(arguments: CentreKind.available)
    func `taken by two new rows: the second is refused by name, and goes in when it is mended`(
        kind: CentreKind
    ) async throws {
        try await Self.run(kind) { world, a, b in
            try a.execute("INSERT INTO item VALUES (21, 'new', 'from A')")
            try b.execute("INSERT INTO item VALUES (22, 'new', 'from B'), (23, 'other', 'from B')")
            try await world.converge(a, b)
            let refused = try await b.replica.refusedChanges.fetch()
            #expect(refused.map(\.code) == [.unique])
            #expect(refused.first?.key.values == [.integer(22)])
            #expect(refused.first?.after["note"] == .text("from B"))
            #expect(refused.first?.message.isEmpty == false)
            #expect(try world.centre.count("SELECT count(*) FROM item WHERE id IN (21, 23)") == 2)
            #expect(try world.centre.count("SELECT count(*) FROM item WHERE id = 22") == 0)
            // The refused row is gone from the table. The list has all its values.
            #expect(try b.text("SELECT note FROM item WHERE code = 'new'") == "from A")
            #expect(try await world.differences(a, b) == [])
            try b.execute("INSERT INTO item VALUES (22, 'newer', 'from B')")
            try await world.converge(b, a)
            #expect(try await world.differences(a, b) == [])
            #expect(try world.centre.text("SELECT note FROM item WHERE id = 22") == "from B")
            #expect(b.replica.status.deferredCount == 0)
        }
    }

    @Test(arguments: CentreKind.available)
    func `taken by updates on both devices: refused by name, the row goes back`(
        kind: CentreKind
    ) async throws {
        try await Self.run(kind) { world, a, b in
            try a.execute("UPDATE item SET code = 'wanted' WHERE id = 1")
            try b.execute("UPDATE item SET code = 'wanted', note = 'also B' WHERE id = 2")
            try await world.converge(a, b)
            let refused = try await b.replica.refusedChanges.fetch()
            #expect(refused.map(\.code) == [.unique])
            #expect(refused.first?.after["code"] == .text("wanted"))
            #expect(try await world.differences(a, b) == [])
            #expect(try Self.code(1, world) == "wanted")
        }
    }

    /// Expects that all copies are equal, and that the conflict log or a refused list has what was
    /// lost.
    private static func expectConvergedOrRefused(
        _ world: World, _ a: Device, _ b: Device
    ) async throws {
        #expect(try await world.differences(a, b) == [])
        let conflicts = try await world.conflicts()
        var refused: [RefusedChange] = []
        for device in [a, b] { refused += try await device.replica.refusedChanges.fetch() }
        #expect(conflicts.count + refused.count > 0)
        #expect(refused.allSatisfy { !$0.message.isEmpty && !$0.after.isEmpty })
    }
}
