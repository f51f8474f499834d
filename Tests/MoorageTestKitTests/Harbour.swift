import GRDB
import Moorage
import MoorageTestKit

/// An app with two tables: berths, each with a unique name, and the boats that lie there.
enum Harbour {
    static let tables: [ReplicaTable] = [
        .table("berth"), .table("boat", updatedAt: "changed"),
    ]

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { db in
            try db.execute(
                sql: """
                    CREATE TABLE berth (
                      id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL UNIQUE,
                      depth REAL, isFree BOOLEAN NOT NULL DEFAULT 1);
                    CREATE TABLE boat (
                      id INTEGER NOT NULL PRIMARY KEY, berth TEXT NOT NULL REFERENCES berth(id),
                      name TEXT NOT NULL, arrived DATETIME, changed DATETIME, length INTEGER CHECK (length > 2),
                      title TEXT GENERATED ALWAYS AS (name || ' m') VIRTUAL);
                    """)
        }
        return migrator
    }

    static func sandbox(seed: UInt64 = 1) async throws -> Sandbox {
        try await Sandbox(tables: tables, migrator: migrator, seed: seed)
    }
}

extension SandboxDevice {
    func execute(_ sql: String) async throws { try await write { try $0.execute(sql: sql) } }

    func text(_ sql: String) async throws -> String? {
        try await read { try String.fetchOne($0, sql: sql) }
    }
}

extension Sandbox {
    func execute(_ sql: String) async throws { try await write { try $0.execute(sql: sql) } }

    func text(_ sql: String) async throws -> String? {
        try await read { try String.fetchOne($0, sql: sql) }
    }
}
