import Foundation
import GRDB
import MoorageCore
import MoorageHub
import MoorageSQLite
import MoorageTesting
import MoorageWire
import Testing

@testable import Moorage

/// To Swift `é` composed and decomposed are one text; to SQLite they are two names.
@Suite struct `Names that look alike` {
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
}
