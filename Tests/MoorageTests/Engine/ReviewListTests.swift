import Foundation
import GRDB
import MoorageCore
import MoorageSupport
import MoorageTesting
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

@Suite(.ownThreads) struct `A list for review` {
    private struct Customer: Codable, Equatable, FetchableRecord {
        let id: String
        let email: String
        let name: String
        let boss: String?
    }

    private func replica(of hub: FakeHub) async throws -> (Replica, DatabaseQueue) {
        let queue = try DatabaseQueue()
        try await queue.write { try $0.execute(sql: Shop.sql) }
        let replica = try await Replica(
            database: queue, hub: .direct(hub), tables: Shop.tables(), clock: ManualClock())
        try await replica.sync()
        return (replica, queue)
    }

    @Test func `tells of values that are withheld, and that come after all`() async throws {
        let hub = Shop.hub()
        let (replica, _) = try await replica(of: hub)
        var told = replica.withheldValues.values().makeAsyncIterator()
        #expect(try await told.next() == [])
        let row = RowName(table: "line", key: RowKey([.integer(1), .integer(1)]))
        hub.withheld = [WithheldRow(row: row, column: "quantity", reason: "too large")]
        try await replica.sync()
        let withheld = try #require(try await told.another(than: []))
        #expect(
            withheld == [
                WithheldValue(
                    table: "line", key: row.key, column: "quantity", reason: "too large")
            ])
        hub.withheld = []
        hub.put("line", [.integer(1), .integer(1), .integer(11)])
        try await replica.sync()
        #expect(try await told.another(than: withheld) == [])
    }

    @Test func `tells of rows that dangle, and that are put right`() async throws {
        let hub = Shop.hub()
        let (replica, _) = try await replica(of: hub)
        var told = replica.danglingRows.values().makeAsyncIterator()
        #expect(try await told.next() == [])
        hub.put("orders", [.integer(2), .text("z"), .text("1"), .null])
        try await replica.sync()
        let dangling = try #require(try await told.another(than: []))
        #expect(
            dangling == [
                DanglingRow(
                    table: "orders", key: RowKey([.integer(2)]), columns: ["customer"],
                    referencedTable: "customer")
            ])
        hub.put("customer", [.text("z"), .text("z@x"), .text("Zoe"), .null])
        try await replica.sync()
        #expect(try await told.another(than: dangling) == [])
    }

    @Test func `tells that the file was emptied for another user`() async throws {
        let hub = Shop.hub()
        let (replica, _) = try await replica(of: hub)
        let row = RowName(table: "line", key: RowKey([.integer(1), .integer(1)]))
        hub.withheld = [WithheldRow(row: row, column: "quantity", reason: "too large")]
        hub.put("orders", [.integer(2), .text("z"), .text("1"), .null])
        try await replica.sync()
        var withheld = replica.withheldValues.values().makeAsyncIterator()
        var dangling = replica.danglingRows.values().makeAsyncIterator()
        #expect(try await withheld.next()?.count == 1)
        #expect(try await dangling.next()?.count == 1)
        try await replica.startOver()
        while let next = try await withheld.next(), !next.isEmpty {}
        while let next = try await dangling.next(), !next.isEmpty {}
        #expect(try await replica.danglingRows.fetch().isEmpty)
    }

    @Test func `is a part of an observation of the app`() async throws {
        let (replica, queue) = try await replica(of: Shop.hub())
        let counts = ValueObservation.tracking { db in
            try replica.pendingChanges.fetch(db).count
        }
        var told = counts.values(in: queue).makeAsyncIterator()
        #expect(try await told.next() == 0)
        try await queue.write { try $0.execute(sql: "UPDATE line SET quantity = 12") }
        #expect(try await told.another(than: 0) == 1)
        try await replica.sync()
        #expect(try await told.another(than: 1) == 0)
    }

    @Test func `has values that the app's records and rows are made of`() async throws {
        let (replica, queue) = try await replica(of: Shop.hub())
        let insert = "INSERT INTO customer VALUES('c', 'c@x', 'Cleo', NULL)"
        try await queue.write { try $0.execute(sql: insert) }
        let change = try #require(try await replica.pendingChanges.fetch().first)
        let customer = try Customer(row: Row(change.after))
        #expect(customer == Customer(id: "c", email: "c@x", name: "Cleo", boss: nil))
        let key = change.key.values
        #expect(
            try await queue.read {
                try Customer.fetchOne(
                    $0, sql: "SELECT * FROM customer WHERE id = ?",
                    arguments: StatementArguments(key))
            }
                == customer)
        for value: Value in [.null, .integer(.min), .real(-0.5), .text("é"), .blob([0, 255])] {
            #expect(Value.fromDatabaseValue(value.databaseValue) == value)
        }
    }

    @Test func `gives at most as many entries as were asked for`() async throws {
        let (replica, queue) = try await replica(of: Shop.hub())
        try await queue.write { db in
            for id in 10..<20 {
                try db.execute(sql: "INSERT INTO orders(id) VALUES(?)", arguments: [id])
            }
        }
        #expect(try await replica.pendingChanges.fetch(limit: 3).count == 3)
        #expect(try await queue.read { try replica.pendingChanges.fetch($0, limit: 4).count } == 4)
        var told = replica.pendingChanges.values(limit: 5).makeAsyncIterator()
        #expect(try await told.next()?.count == 5)
    }
}
