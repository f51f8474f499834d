import GRDB
import MoorageCore
import MoorageHub
import MoorageSQLite
import TestSupport
import Testing

@testable import Moorage

/// The hub would refuse a change that needs a row which cannot be sent yet, so the change waits.
@Suite(.ownThreads) struct `A change whose parent cannot be sent` {
    private static let children = """
        INSERT INTO site VALUES('s2', 'Cabin', 20);
        INSERT INTO note VALUES('n1', 's1', 'free'), ('n2', 's2', 'at the cabin');
        INSERT INTO tag VALUES('t1', 'n1'), ('t2', 'n2')
        """

    @Test func `waits while its table is suspended here, and so do its own children`() async throws
    {
        let camp = try await Camp()
        let (file, replica) = try await camp.device()
        try await camp.moveOn(replica)
        try await file.run(Self.children)
        try await replica.sync()
        #expect(try await replica.refusedChanges.fetch().isEmpty)
        #expect(try await file.texts("SELECT id FROM note ORDER BY id") == ["n1", "n2"])
        #expect(try camp.rows("SELECT id FROM note") == [["n1"]])
        #expect(try camp.rows("SELECT id FROM tag") == [["t1"]])
        #expect(
            try await replica.pendingChanges.fetch().map { "\($0.table) \($0.kind.rawValue)" }
                == ["note insert", "tag insert", "site insert"])
        // The next version of the app.
        try await file.run("ALTER TABLE site ADD COLUMN title TEXT")
        try await file.run("UPDATE site SET title = name WHERE id = 's2'")
        let next = try await camp.open(file)
        try await next.sync()
        #expect(try camp.rows("SELECT id FROM site ORDER BY id") == [["s1"], ["s2"]])
        #expect(try camp.rows("SELECT id FROM note ORDER BY id") == [["n1"], ["n2"]])
        #expect(try camp.rows("SELECT id FROM tag ORDER BY id") == [["t1"], ["t2"]])
        #expect(try await next.pendingChanges.fetch().isEmpty)
        #expect(try await next.refusedChanges.fetch().isEmpty)
    }

    @Test func `waits while its table is suspended at the hub`() async throws {
        let camp = try await Camp()
        let (file, replica) = try await camp.device()
        try camp.central.execute("ALTER TABLE site RENAME COLUMN height TO tall")
        try await replica.sync()
        try await file.run(Self.children)
        try await replica.sync()
        #expect(try await replica.refusedChanges.fetch().isEmpty)
        #expect(try camp.rows("SELECT id FROM note") == [["n1"]])
        _ = try await camp.hub.attach()
        try await replica.sync()
        #expect(try camp.rows("SELECT id FROM tag ORDER BY id") == [["t1"], ["t2"]])
        #expect(try await replica.pendingChanges.fetch().isEmpty)
    }

    @Test func `goes where only an update of the parent is kept back`() async throws {
        let camp = try await Camp()
        let (file, replica) = try await camp.device()
        try await camp.moveOn(replica)
        try await file.run(
            "UPDATE site SET height = 12; INSERT INTO note VALUES('n1', 's1', 'free')")
        try await replica.sync()
        #expect(try camp.rows("SELECT id FROM note") == [["n1"]])
    }

    @Test func `waits for a row that the device holds back`() async throws {
        let camp = try await Camp()
        let (file, replica) = try await camp.device()
        try await file.run(
            Self.children.replacing("'Cabin'", with: "CAST(x'61ff' AS TEXT)"))
        try await replica.sync()
        #expect(try await replica.refusedChanges.fetch().map(\.isBlocked) == [true])
        #expect(try await file.texts("SELECT id FROM note ORDER BY id") == ["n1", "n2"])
        #expect(try camp.rows("SELECT id FROM note") == [["n1"]])
        try await file.run("UPDATE site SET name = 'Cabin' WHERE id = 's2'")
        try await replica.sync()
        #expect(try camp.rows("SELECT id FROM tag ORDER BY id") == [["t1"], ["t2"]])
        #expect(try await replica.refusedChanges.fetch().isEmpty)
        #expect(try await replica.pendingChanges.fetch().isEmpty)
    }

    @Test func `waits for a row of its own table that is blocked`() throws {
        let device = try Shop.device()
        try device.run(
            """
            INSERT INTO customer VALUES('a', 'a@x', 'Anna', NULL), ('c', 'c@x', 'Carl', NULL)
            """)
        try device.run(
            """
            INSERT INTO customer VALUES('z', 'z@x', CAST(x'ff' AS TEXT), NULL);
            INSERT INTO customer VALUES('b', 'b@x', 'Bert', 'z'), ('d', 'd@x', 'Dora', 'b');
            INSERT INTO orders(id, customer) VALUES(1, 'd'), (2, 'a')
            """)
        #expect(
            try device.localChanges().map { $0.prefix(while: { $0 != "@" }) } == [
                "customer a insert a,a", "customer c insert c,c", "orders 2 insert 2,a,∅,∅",
            ])
        #expect(try device.texts("SELECT key FROM _moorage_refused") == [#"["z"]"#])
    }
}
