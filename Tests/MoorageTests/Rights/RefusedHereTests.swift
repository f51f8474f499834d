import GRDB
import MoorageCore
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

@Suite(.ownThreads) struct `Writes that the user may not make` {
    private let hub = Shop.hub()
    private let clock = ManualClock()
    private let queue: DatabaseQueue

    private struct Order: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "orders"
        var id: Int
        var customer: String
        var freight: String
        var note: String
        var draft: String?
    }

    private static let limited = RightsAnswer(
        version: "v1",
        tables: [
            TableRightsAnswer(
                table: "orders", insert: .only(["customer", "note"]), update: .only(["note"]),
                mayDelete: false, mayMove: true),
            TableRightsAnswer(
                table: "line", insert: nil, update: nil, mayDelete: false, mayMove: false),
        ])

    init() async throws {
        queue = try DatabaseQueue()
        try await queue.write { try $0.execute(sql: Shop.sql) }
    }

    private func replica(
        refusing: Bool? = true, tables: [String] = ["line", "customer", "orders"]
    ) async throws -> Replica {
        try await Replica(
            database: queue, hub: .direct(hub),
            tables: tables.map { .table($0, refusesForbidden: refusing) }, clock: clock)
    }

    /// What the app's write is refused with; `nil` if it is done.
    private func refusal(_ sql: String) async throws -> ReplicaError? {
        do {
            try await queue.write { try $0.execute(sql: sql) }
            return nil
        } catch {
            guard let refusal = ReplicaError(localWrite: error) else { throw error }
            return refusal
        }
    }

    @Test func `fail at once, and say what the user may not do`() async throws {
        let replica = try await replica()
        hub.rights = Self.limited
        #expect(try await refusal("UPDATE line SET quantity = 1") == nil, "no hub has said so yet")
        try await replica.sync()
        let error = try #require(try await refusal("UPDATE line SET quantity = 2"))
        #expect(error.code == .permission && error.recovery == .askOperator)
        #expect(error.message.contains("change the column quantity of line"))
        for sql in [
            "INSERT INTO line VALUES (1, 2, 3)", "DELETE FROM line", "DELETE FROM orders",
            "UPDATE orders SET freight = '1.00'", "UPDATE orders SET id = 9",
            "INSERT INTO line VALUES (1, 1, 3) ON CONFLICT DO UPDATE SET quantity = 4",
        ] {
            #expect(try await refusal(sql)?.code == .permission, "\(sql)")
        }
        for sql in [
            "UPDATE orders SET note = 'new', draft = 'mine'", "UPDATE customer SET name = 'X'",
            "INSERT INTO orders(id, customer, note) VALUES (2, 'a', 'n')",
            "UPDATE orders SET freight = freight, customer = customer",
            "INSERT INTO orders(id, note) VALUES (1, 'n') ON CONFLICT DO UPDATE SET note = 'm'",
        ] {
            #expect(try await refusal(sql) == nil, "\(sql)")
        }
        #expect(try await replica.may(.insert, .table(Order.self)))
        #expect(try await !replica.may(.delete, .table(Order.self)))
        #expect(try await !replica.may(.updateColumn("freight"), .table(Order.self)))
        #expect(try await replica.may(.updateColumn("note"), .table(Order.self)))
        let mayMove = try await queue.read { try replica.may($0, .move, .table(Order.self)) }
        #expect(mayMove)
    }

    @Test func `are not those of a record that is saved as a whole`() async throws {
        let replica = try await replica()
        hub.rights = Self.limited
        try await replica.sync()
        try await queue.write { db in
            var order = try #require(try Order.fetchOne(db))
            order.note = "changed"
            try order.update(db)
        }
        await #expect(throws: DatabaseError.self) {
            try await queue.write { db in
                var order = try #require(try Order.fetchOne(db))
                order.freight = "1.00"
                try order.update(db)
            }
        }
    }

    @Test func `do not stop what the hub sends`() async throws {
        let replica = try await replica()
        hub.rights = Self.limited
        try await replica.sync()
        hub.put("line", [.integer(1), .integer(1), .integer(77)])
        hub.put("line", [.integer(1), .integer(2), .integer(5)])
        try await replica.sync()
        let quantities = try await queue.read {
            try Int.fetchAll($0, sql: "SELECT quantity FROM line ORDER BY number")
        }
        #expect(quantities == [77, 5])
        hub.remove("line", .integer(1), .integer(1))
        hub.remove("line", .integer(1), .integer(2))
        hub.remove("orders", .integer(1))
        try await replica.sync()
        let count = try await queue.read {
            try Int.fetchOne($0, sql: "SELECT (SELECT count(*) FROM line) + count(*) FROM orders")
        }
        #expect(count == 0)
    }

    @Test func `are not those of a row that the hub has not seen`() async throws {
        let replica = try await Replica(
            database: queue, hub: .direct(hub),
            tables: [
                .table("customer"), .table("line"),
                .table("orders", createdAt: "freight", refusesForbidden: true),
            ], clock: clock)
        hub.rights = Self.limited
        try await replica.sync()
        for sql in [
            "INSERT INTO orders(id, customer, note) VALUES (2, 'a', 'n')",
            "UPDATE orders SET customer = 'b', freight = 3 WHERE id = 2",
            "INSERT INTO orders(id, note) VALUES (3, 'x')", "DELETE FROM orders WHERE id = 3",
        ] {
            #expect(try await refusal(sql) == nil, "\(sql)")
        }
        #expect(
            try await refusal("UPDATE orders SET customer = 'b' WHERE id = 1")?.code == .permission)
        #expect(try await refusal("DELETE FROM orders WHERE id = 1")?.code == .permission)
        try await replica.sync()
        #expect(hub.row("orders", .integer(2)) != nil && hub.row("orders", .integer(3)) == nil)
        #expect(try await refusal("DELETE FROM orders WHERE id = 2")?.code == .permission)
    }

    @Test func `are those that change the meaning of a value`() async throws {
        let replica = try await replica()
        hub.rights = Self.limited
        try await replica.sync()
        // The hub has 9.80.
        #expect(try await refusal("UPDATE orders SET freight = 9.8") == nil)
        #expect(try await refusal("UPDATE orders SET freight = '9.800', note = 'm'") == nil)
        #expect(try await refusal("UPDATE orders SET freight = 9.81")?.code == .permission)
        #expect(try await refusal("UPDATE orders SET freight = NULL")?.code == .permission)
    }

    @Test func `are not those of the app's migrations`() async throws {
        let replica = try await replica()
        hub.rights = Self.limited
        try await replica.sync()
        var migrator = DatabaseMigrator()
        migrator.registerMigration("two") {
            try $0.execute(sql: "UPDATE line SET quantity = quantity * 2")
        }
        try Replica.migrate(queue, with: migrator)
        _ = try await self.replica()
        #expect(try await refusal("UPDATE line SET quantity = 1")?.code == .permission)
        try Replica.migrate(queue, with: migrator)
        #expect(try await refusal("UPDATE line SET quantity = 1")?.code == .permission)
    }

    @Test func `are allowed again with other rights, for another user, or if nobody asks`()
        async throws
    {
        let first = try await replica()
        hub.rights = Self.limited
        try await first.sync()
        #expect(try await refusal("UPDATE line SET quantity = 1")?.code == .permission)
        hub.rights = RightsAnswer(version: "v2", tables: [])
        try await first.sync()
        #expect(try await refusal("UPDATE line SET quantity = 2") == nil)
        try await first.sync()
        hub.rights = RightsAnswer(version: "v3", tables: Self.limited.tables)
        try await first.sync()
        #expect(try await refusal("UPDATE line SET quantity = 3")?.code == .permission)
        // Another process says nothing of it.
        let second = try await replica(refusing: nil)
        #expect(try await refusal("UPDATE line SET quantity = 4")?.code == .permission)
        try await second.startOver()
        #expect(try await refusal("DELETE FROM line") == nil)
        try await second.sync()
        #expect(try await refusal("DELETE FROM line")?.code == .permission)
        _ = try await replica(refusing: nil, tables: ["customer", "orders"])
        #expect(try await refusal("DELETE FROM line") == nil, "the table is the app's own")
        #expect(try await refusal("DELETE FROM orders")?.code == .permission)
        _ = try await replica(refusing: false)
        #expect(try await refusal("DELETE FROM orders") == nil)
    }

    @Test func `that were made before can be undone`() async throws {
        let replica = try await replica()
        try await replica.sync()
        #expect(try await refusal("UPDATE line SET quantity = 1") == nil)
        hub.rights = Self.limited
        hub.refusing = { change in
            Refusal(code: .permission, message: "The user may not update \(change.table).")
        }
        try await replica.sync()
        let quantity = try await queue.read {
            try Int.fetchOne($0, sql: "SELECT quantity FROM line")
        }
        #expect(quantity == 10, "the hub's row is back")
        let refused = try #require(try await replica.refusedChanges.fetch().first)
        let error = await #expect(throws: ReplicaError.self) { try await replica.retry(refused) }
        #expect(error?.code == .permission)
    }

    @Test func `leave the columns to the app's migrations`() async throws {
        let replica = try await replica()
        hub.rights = Self.limited
        try await replica.sync()
        try await queue.write {
            try $0.execute(
                sql: "ALTER TABLE orders DROP COLUMN draft; UPDATE orders SET note = 'm'")
        }
        _ = try await self.replica()
        #expect(try await refusal("UPDATE orders SET note = 'n'") == nil)
        #expect(try await refusal("UPDATE orders SET customer = 'b'")?.code == .permission)
    }
}
