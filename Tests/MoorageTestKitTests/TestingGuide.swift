import GRDB
import Moorage
import MoorageHub
import MoorageTestKit
import TestSupport
import Testing

// What docs/guides/testing.md shows, as the tests of an app would have it.

struct Order: Codable, FetchableRecord, PersistableRecord, Hashable {
    static let databaseTableName = "orders"

    var id: Int64
    var city: String
    var note: String?
}

enum AppDatabase {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { db in
            try db.create(table: "orders") { table in
                table.primaryKey("id", .integer)
                table.column("city", .text).notNull()
                table.column("note", .text)
            }
        }
        return migrator
    }
}

@Suite(.ownThreads) struct `The guide to testing` {
    @Suite(.sandbox(tables: [.table(Order.self)], migrator: AppDatabase.migrator))
    struct OrderSyncTests {
        @Test func anOrderArrives() async throws {
            let sandbox = try Sandbox.current
            let anna = try await sandbox.device("anna"), ben = try await sandbox.device("ben")
            try await anna.write { try Order(id: 1, city: "Bonn").insert($0) }
            try await sandbox.syncAll()
            #expect(try await ben.read { try Order.fetchOne($0, key: 1)?.city } == "Bonn")
        }
    }

    @Suite(.sandbox(tables: [.table(Order.self)], migrator: AppDatabase.migrator))
    struct OrderConflictTests {
        @Test func theLaterEditOfAColumnWins() async throws {
            let sandbox = try Sandbox.current
            try await sandbox.write { try Order(id: 1, city: "Bonn").insert($0) }
            let anna = try await sandbox.device("anna"), ben = try await sandbox.device("ben")
            try await sandbox.syncAll()

            ben.network = .offline
            try await ben.write {
                try $0.execute(sql: "UPDATE orders SET city = 'Kiel', note = 'urgent'")
            }
            try await anna.write { try $0.execute(sql: "UPDATE orders SET city = 'Lund'") }
            try await sandbox.syncAll()
            ben.network = .online
            try await sandbox.syncAll()

            let row = Order(id: 1, city: "Lund", note: "urgent")
            #expect(try await sandbox.read(Order.fetchAll) == [row])
            #expect(try await ben.read(Order.fetchAll) == [row])
            #expect(try await sandbox.conflicts().map(\.table) == ["orders"])
        }
    }

    @Test func `runs the app's tables through random histories`() async throws {
        var histories = SandboxHistories(
            tables: [.table(Order.self)], migrator: AppDatabase.migrator)
        histories.edits = [
            { db, random in
                try Order(id: .random(in: 1...9, using: &random), city: "Bonn").insert(db)
            },
            { db, random in
                let id = Int64.random(in: 1...9, using: &random)
                try db.execute(sql: "UPDATE orders SET note = 'seen' WHERE id = ?", arguments: [id])
            },
        ]
        histories.check = { db in
            let other = try Order.filter(Column("city") != "Bonn").fetchOne(db)
            try #require(other == nil)
        }
        try await histories.run(seeds: 0..<20)
    }
}
