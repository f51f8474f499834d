import Foundation
import GRDB
import Moorage
import MoorageCore
import TestSupport
import Testing

/// SQLite stores any value in any column, so a device may have keys that are no values of their
/// type.
@Suite(.ownThreads) struct `Malformed keys` {
    /// A key column's type.
    private struct KeyType {
        let name: String
        let declared: String
    }

    private static func types(_ kind: CentreKind) -> [KeyType] {
        let isMariaDB = kind == .mariadb
        let blob =
            switch kind {
            case .sqlite: "BLOB"
            case .postgres: "BYTEA"
            case .mariadb: "VARBINARY(16)"
            }
        return [
            KeyType(name: "uuid", declared: "UUID"), KeyType(name: "date", declared: "DATE"),
            KeyType(name: "time", declared: isMariaDB ? "TIME(6)" : "TIME"),
            KeyType(name: "timestamp", declared: isMariaDB ? "DATETIME(6)" : "TIMESTAMP"),
            KeyType(name: "instant", declared: isMariaDB ? "TIMESTAMP(6)" : "TIMESTAMPTZ"),
            KeyType(
                name: "decimal", declared: kind == .postgres ? "NUMERIC" : "DECIMAL(10,3)"),
            KeyType(name: "real", declared: isMariaDB ? "DOUBLE" : "DOUBLE PRECISION"),
            KeyType(name: "boolean", declared: "BOOLEAN"),
            KeyType(name: "text", declared: "VARCHAR(20)"),
            KeyType(name: "blob", declared: blob),
            KeyType(name: "integer", declared: "INTEGER"),
        ]
    }

    /// Each value is malformed for most types and valid for some.
    private static let values = [
        "'not it'", "''", "x'00ff'", "1.5", "7", "9223372036854775807", "1e300", "'2024-02-30'",
        "'infinity'", "'-infinity'", "'12345-01-01'", "'12345-13-01'", "'99999999-01-01'",
        "'2024-01-01 BC'", "'2024-02-30 10:00:00'", "'2024-01-01 25:00:00'",
        "'0001-01-01 00:00:00+23:00'", "'24:00:01'", "'NaN'", "'1e400'", "'1e999999'",
        "'1e-999999'", "'a' || char(0) || 'b'",
        "'11111111-1111-1111-1111-11111111111g'", "printf('%.50c', 'x')",
    ]

    private static func schema(_ kind: CentreKind) -> [String] {
        types(kind).flatMap { type in
            // Keys have two columns, because a single integer key accepts no text on a device.
            [
                """
                CREATE TABLE k_\(type.name) (
                  n INTEGER NOT NULL, k \(type.declared) NOT NULL, v VARCHAR(20), PRIMARY KEY (n, k))
                """,
                """
                CREATE TABLE r_\(type.name) (
                  id INTEGER NOT NULL PRIMARY KEY, n INTEGER, k \(type.declared) NULL,
                  v \(type.declared) NULL, FOREIGN KEY (n, k) REFERENCES k_\(type.name) (n, k))
                """,
            ]
        } + ["CREATE TABLE good (id INTEGER NOT NULL PRIMARY KEY, v VARCHAR(20))"]
    }

    @Test(arguments: CentreKind.available)
    func `stop no device, whatever the type of the key`(kind: CentreKind) async throws {
        try await World.run(kind, schema: Self.schema(kind)) { world in
            let device = try await world.clone("A")
            var good = 0
            for type in Self.types(kind) {
                var accepted = 0
                for (number, value) in Self.values.enumerated() {
                    let n = number + 1
                    // A row that was inserted and deleted before the first sync is still refetched.
                    try device.execute(
                        """
                        INSERT OR IGNORE INTO k_\(type.name) VALUES (-\(n), \(value), 'gone');
                        DELETE FROM k_\(type.name) WHERE n = -\(n);
                        INSERT OR IGNORE INTO k_\(type.name) VALUES (\(n), \(value), 'bad');
                        INSERT OR IGNORE INTO r_\(type.name)
                          SELECT \(n), n, k, NULL FROM k_\(type.name) WHERE n = \(n);
                        INSERT OR IGNORE INTO r_\(type.name) VALUES (\(n + 100), NULL, NULL, \(value));
                        """)
                    accepted += try device.values("k_\(type.name)", "n").count
                }
                #expect(accepted > 0)
                good += 1
                try device.execute("INSERT INTO good VALUES (\(good), '\(type.name)')")
                try await Self.goesOn(device, world, "after inserts of \(type.name)")
                #expect(
                    try world.centre.count("SELECT count(*) FROM good WHERE id = \(good)") == 1,
                    "\(type.name)")
                try device.execute(
                    "DELETE FROM r_\(type.name); DELETE FROM k_\(type.name)")
                try world.centre.execute("UPDATE good SET v = 'centre' WHERE id = \(good)")
                try await Self.goesOn(device, world, "after deletes of \(type.name)")
                #expect(
                    try device.text("SELECT v FROM good WHERE id = \(good)") == "centre",
                    "\(type.name)")
            }
        }
    }

    /// Syncs, and expects that no change is still in flight. A row whose key the device cannot send
    /// stays pending.
    private static func goesOn(_ device: Device, _ world: World, _ place: String) async throws {
        for _ in 0..<2 {
            do {
                try await device.replica.sync()
            } catch {
                Issue.record("\(place): \(error)")
            }
        }
        let sent = try await device.replica.pendingChanges.fetch().filter(\.isInFlight)
        #expect(sent.map { "\($0.table) \($0.kind)" } == [], "\(place)")
    }
}
