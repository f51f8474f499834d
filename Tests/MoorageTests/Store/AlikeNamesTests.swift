import Foundation
import GRDB
import MoorageCore
import MoorageHub
import MoorageSQLite
import MoorageTesting
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

/// In Swift, `é` composed and decomposed are equal texts. In SQLite they are two names.
@Suite(.ownThreads) struct `Names that look alike` {
    private static let composed = "\u{E9}"
    private static let decomposed = "e\u{301}"

    private static let schema = [composed, decomposed].map {
        """
        CREATE TABLE "\($0)" (
          id TEXT NOT NULL PRIMARY KEY, "\(composed)" TEXT, "\(decomposed)" TEXT);
        """
    }.joined()

    private static func rows(_ table: String) -> String {
        "SELECT id, \"\(composed)\", \"\(decomposed)\" FROM \"\(table)\" ORDER BY id"
    }

    @Test func `are two tables and two columns, at the hub and on a device`() throws {
        let central = try SQLiteDatabase()
        try central.execute(Self.schema)
        try central.perform { connection in
            _ = try Attachment(on: connection, makeID: Hub.randomID).attach(tables: nil)
        }
        try central.execute(
            """
            INSERT INTO "\(Self.composed)" VALUES ('1', 'a', 'b'), ('2', 'c', 'd');
            INSERT INTO "\(Self.decomposed)" VALUES ('1', 'e', 'f'), ('3', 'g', 'h');
            """)
        let hub = Hub(database: central)
        let device = try Device(
            Self.schema, tables: [.table(Self.composed), .table(Self.decomposed)])
        for _ in 0..<2 { try device.exchange(hub) }
        try device.run(
            """
            UPDATE "\(Self.composed)" SET "\(Self.composed)" = 'A' WHERE id = '1';
            UPDATE "\(Self.decomposed)" SET "\(Self.decomposed)" = 'F' WHERE id = '1';
            DELETE FROM "\(Self.decomposed)" WHERE id = '3';
            """)
        try central.execute("UPDATE \"\(Self.composed)\" SET \"\(Self.decomposed)\" = 'D'")
        for _ in 0..<2 { try device.exchange(hub) }
        let first = try device.values(Self.rows(Self.composed))
        let second = try device.values(Self.rows(Self.decomposed))
        #expect(
            first == [
                [.text("1"), .text("A"), .text("D")], [.text("2"), .text("c"), .text("D")],
            ])
        #expect(second == [[.text("1"), .text("e"), .text("F")]])
        #expect(try central.perform { try $0.run(Self.rows(Self.composed), []) } == first)
        #expect(try central.perform { try $0.run(Self.rows(Self.decomposed), []) } == second)
    }

    // MARK: What a device makes of them

    private static func description(
        _ name: String, uniqueKeys: [[Int]] = []
    ) -> SchemaDescription {
        SchemaDescription(tables: [
            TableDescription(
                name: name,
                columns: [
                    .column("id", .text), .column(composed, .text), .column(decomposed, .text),
                ], primaryKey: [0], uniqueKeys: uniqueKeys)
        ])
    }

    /// The hub declares one of the columns unique, and the device the other one.
    @Test func `do not stand for each other in a unique index`() throws {
        let device = try Device(
            """
            CREATE TABLE t(
              id TEXT PRIMARY KEY, "\(Self.composed)" TEXT UNIQUE, "\(Self.decomposed)" TEXT);
            """, tables: [.table("t")])
        try device.adopt(Self.description("t", uniqueKeys: [[1]]))
        let other = try Device(
            """
            CREATE TABLE t(
              id TEXT PRIMARY KEY, "\(Self.composed)" TEXT UNIQUE, "\(Self.decomposed)" TEXT);
            """, tables: [.table("t")])
        let error = #expect(throws: ReplicaError.self) {
            try other.adopt(Self.description("t", uniqueKeys: [[2]]))
        }
        #expect(error?.code == .uniqueIndexUnknown)
    }

    /// The trigger writes the app's own table, not the synced one.
    @Test func `do not stand for each other in a trigger`() throws {
        let device = try Device(
            Self.schema + """
                CREATE TRIGGER note AFTER INSERT ON "\(Self.composed)" BEGIN
                  INSERT INTO "\(Self.decomposed)" VALUES(NEW.id, NULL, NULL);
                END
                """, tables: [.table(Self.composed)])
        try device.adopt(Self.description(Self.composed))
        #expect(try device.texts("SELECT suspended FROM _moorage_table") == ["∅"])
    }

    @Test func `are not suspended with each other`() throws {
        let device = try Device(
            Self.schema, tables: [.table(Self.composed), .table(Self.decomposed)])
        let tables = [Self.composed, Self.decomposed].flatMap { Self.description($0).tables }
        try device.queue.writeWithoutTransaction {
            try device.store.welcome(
                $0, schema: SchemaDescription(tables: tables),
                suspended: [SuspendedTable(name: Self.composed, reason: "its key is another")])
        }
        try device.run(
            """
            INSERT INTO "\(Self.composed)" VALUES('1', 'a', 'b');
            INSERT INTO "\(Self.decomposed)" VALUES('2', 'c', 'd');
            """)
        #expect(try device.changes().map { Array($0.table.utf8) } == [Array(Self.decomposed.utf8)])
    }

    @Test func `are not suspended with each other at the hub`() async throws {
        let central = try SQLiteDatabase()
        try central.execute(Self.schema)
        let hub = Hub(database: central)
        _ = try await hub.attach()
        try central.execute("ALTER TABLE \"\(Self.composed)\" RENAME COLUMN id TO number")
        let suspended = try await hub.schema().suspended
        #expect(suspended.map { Array($0.name.utf8) } == [Array(Self.composed.utf8)])
        let device = try Device(Self.schema, tables: [.table(Self.decomposed)])
        try central.execute("INSERT INTO \"\(Self.decomposed)\" VALUES('1', 'a', 'b')")
        for _ in 0..<2 { try device.exchange(hub) }
        #expect(
            try device.values(Self.rows(Self.decomposed)) == [[.text("1"), .text("a"), .text("b")]])
    }
}
