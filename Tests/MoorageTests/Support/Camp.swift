import GRDB
import Moorage
import MoorageCore
import MoorageHub
import MoorageSQLite

/// Sites, their notes and the notes' tags at a real hub, with devices in memory.
struct Camp {
    static let tables = ["site", "note", "tag"]

    static let local = """
        CREATE TABLE site(id TEXT PRIMARY KEY NOT NULL, name TEXT, height INTEGER);
        CREATE TABLE note(id TEXT PRIMARY KEY NOT NULL, site TEXT REFERENCES site(id), body TEXT);
        CREATE TABLE tag(id TEXT PRIMARY KEY NOT NULL, note TEXT REFERENCES note(id));
        """

    let central: SQLiteDatabase
    let hub: Hub

    init(_ configuration: HubConfiguration = HubConfiguration()) async throws {
        central = try SQLiteDatabase()
        try central.execute(
            Self.local.replacing("name TEXT", with: "name TEXT NOT NULL")
                + "INSERT INTO site VALUES('s1', 'Hut', 10)")
        hub = Hub(database: central, configuration: configuration)
        _ = try await hub.attach()
    }

    /// A device that has synced once.
    func device() async throws -> (file: DatabaseQueue, replica: Replica) {
        let file = try DatabaseQueue()
        try await file.write { try $0.execute(sql: Self.local) }
        let replica = try await open(file)
        try await replica.sync()
        return (file, replica)
    }

    func open(_ file: DatabaseQueue) async throws -> Replica {
        try await Replica(
            database: file, hub: .direct(hub), tables: Self.tables.map { .table($0) })
    }

    /// Renames a required column of `site`, so that the table is suspended on devices.
    func moveOn(_ replica: Replica) async throws {
        try central.execute("ALTER TABLE site RENAME COLUMN name TO title")
        _ = try await hub.attach()
        try await replica.sync()
    }

    func rows(_ sql: String) throws -> [[String]] {
        try central.perform { try $0.run(sql, []) }.map { row in
            row.map { value in
                switch value {
                case .text(let text): text
                case .integer(let number): "\(number)"
                case .null: "∅"
                default: "?"
                }
            }
        }
    }
}

extension DatabaseQueue {
    func run(_ sql: String) async throws { try await write { try $0.execute(sql: sql) } }

    func texts(_ sql: String) async throws -> [String] {
        try await read { db in
            try Row.fetchAll(db, sql: sql).map { row in
                row.databaseValues.map { $0.isNull ? "∅" : "\($0.storage.value ?? "")" }
                    .joined(separator: "|")
            }
        }
    }
}
