import Foundation
import GRDB
import MoorageCore
import MoorageSupport
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

@Suite(.ownThreads) struct `A replica's diagnostics` {
    @Test func `say what a new file is before and after it meets its hub`() async throws {
        let shop = try await DiagnosedShop()
        let new = try await shop.replica.diagnostics()
        #expect(new.hub == nil && new.schemaVersion == nil && new.lastCaughtUp == nil)
        #expect(new.tables.map(\.state) == [.unknownToHub, .unknownToHub, .unknownToHub])
        #expect(new.cursor.epoch == nil && new.cursor.completeScopes == 0)
        #expect(new.phase == "stopped" && new.isLive == false && new.exchanges.isEmpty)
        #expect(new.appVersion == "2.1" && new.fileFormat == Int(Metadata.version))
        try await shop.replica.sync()
        let synced = try await shop.replica.diagnostics()
        #expect(synced.hub == "hub-1" && synced.schemaVersion == Shop.schema.version)
        #expect(synced.tables.map(\.name) == ["line", "customer", "orders"])
        #expect(synced.tables.map(\.state) == [.synced, .synced, .synced])
        #expect(synced.tables.map(\.columns) == [3, 4, 4])
        #expect(synced.tables.map(\.direction) == ["both", "both", "both"])
        #expect(synced.cursor.epoch == "epoch-1" && synced.cursor.completeScopes == 1)
        #expect(synced.lastCaughtUp == shop.clock.now() && synced.lastContact == shop.clock.now())
        #expect(synced.lastErrorCode == nil && synced.inFlight == nil)
        #expect(synced.log == ReplicaDiagnostics.Log(pending: 0, entries: 0))
        #expect(synced.clockOffsetMilliseconds == 0)
    }

    @Test func `count what waits, what was sent and what was not taken`() async throws {
        let shop = try await DiagnosedShop()
        try await shop.replica.sync()
        shop.hub.refusing = {
            $0.table == "line" ? Refusal(code: .rule, message: "No.") : nil
        }
        try await shop.run("UPDATE orders SET note = 'sent'; UPDATE line SET quantity = 7")
        try await shop.fail(.unreachable)
        try await shop.run("UPDATE orders SET note = 'later'; UPDATE orders SET note = 'last'")
        shop.clock.advance(.seconds(3))
        var found = try await shop.replica.diagnostics()
        #expect(found.inFlight?.number == 1 && found.inFlight?.changes == 2)
        #expect(found.inFlight.map { $0.bytes > 0 } == true)
        #expect(found.log.pending == 1 && found.log.entries == 2)
        #expect(found.log.first != nil && found.log.last != nil)
        #expect(found.lastErrorCode == "unreachable")
        let orders = try #require(found.tables.first { $0.name == "orders" })
        #expect(orders.pending == 1 && orders.logEntries == 2 && orders.inFlight == 1)
        #expect(found.tables.first { $0.name == "line" }?.inFlight == 1)
        try await shop.replica.sync()
        found = try await shop.replica.diagnostics()
        #expect(found.tables.map(\.refused) == [1, 0, 0])
        #expect(found.inFlight == nil && found.log.entries == 0 && found.lastErrorCode == nil)
        #expect(found.acknowledgedCount > 0)
    }

    @Test func `count each list by table`() async throws {
        let shop = try await DiagnosedShop()
        try await shop.replica.sync()
        try await shop.run(
            """
            INSERT INTO customer VALUES('z', 'z@x', CAST(x'ff' AS TEXT), NULL)
            """)
        try await shop.replica.sync()
        try await shop.run(
            """
            INSERT INTO _moorage_overruled(tbl, key, operation, at) VALUES('orders', '[1]', 'update', 5);
            INSERT INTO _moorage_withheld VALUES('orders', '[1]', 'note', 'too long', 1);
            INSERT INTO _moorage_withheld VALUES('orders', '[2]', 'note', 'too long', 1);
            INSERT INTO _moorage_dangling VALUES('line', '[9,9]', '["orders"]', 'orders');
            INSERT INTO _moorage_keys(tbl, next, last) VALUES('orders', 11, 20);
            INSERT INTO _moorage_deferred VALUES('customer', '["y"]', '[]', '[]')
            """)
        let line = try #require(await shop.table("line"))
        let customer = try #require(await shop.table("customer"))
        let orders = try #require(await shop.table("orders"))
        #expect(customer.refused == 1 && customer.blocked == 1 && customer.pending == 1)
        #expect(customer.deferred == 1 && line.deferred == 0)
        #expect(orders.overruled == 1 && orders.withheld == 2 && orders.keysLeft == 10)
        #expect(customer.keysLeft == nil && line.overruled == 0 && line.dangling == 1)
    }

    @Test func `say why a table is not synced`() async throws {
        let shop = try await DiagnosedShop()
        shop.hub.suspended = [SuspendedTable(name: "line", reason: "It is being changed.")]
        try await shop.replica.sync()
        var line = try #require(await shop.table("line"))
        #expect(line.state == .suspendedAtHub && line.code == "tableSuspended")
        #expect(line.reason == "It is being changed.")
        shop.hub.suspended = []
        try await shop.replica.sync()
        line = try #require(await shop.table("line"))
        #expect(line.state == .synced && line.code == nil)

        let camp = try await Camp()
        let (_, replica) = try await camp.device()
        try await camp.moveOn(replica)
        let site = try #require(
            try await replica.diagnostics().tables.first { $0.name == "site" })
        #expect(site.state == .suspended)
        let suspended = try #require(replica.status.suspendedTables.first)
        #expect(site.code == suspended.code && site.reason == suspended.reason)
    }

    @Test func `name a table whose copy is not complete, or that is to be compared`() async throws {
        let shop = try await DiagnosedShop()
        // The hub's schema arrives, and its first page does not.
        try await shop.fail(.unreachable)
        #expect(try await shop.table("orders")?.state == .copying)
        try await shop.replica.sync()
        #expect(try await shop.table("orders")?.state == .synced)
        try await shop.run("UPDATE _moorage_table SET repair = 1 WHERE name = 'orders'")
        try await shop.reopen()
        #expect(try await shop.table("orders")?.state == .repairing)
    }

    @Test func `describe the file`() async throws {
        let shop = try await DiagnosedShop()
        try await shop.replica.sync()
        let file = try await shop.replica.diagnostics().file
        #expect(file.journalMode == "wal" && file.sqliteVersion.hasPrefix("3."))
        #expect(file.databaseBytes > 0 && file.walBytes.map { $0 > 0 } == true)
        let memory = try await ShopReplica()
        #expect(try await memory.replica.diagnostics().file.walBytes == nil)
        // SQLite has the journal of a file beside the file, and not beside a link to it.
        let link = shop.path + "-link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: shop.path)
        defer { try? FileManager.default.removeItem(atPath: link) }
        let linked = try await shop.pool.read {
            try ReplicaInspection($0, path: link).diagnostics(at: 0).file
        }
        #expect(linked.walBytes == file.walBytes)
    }

    @Test func `show a table that the app took out of its list, and no reasons for its rows`()
        async throws
    {
        let shop = try await DiagnosedShop()
        try await shop.replica.sync()
        try await shop.run(
            """
            INSERT INTO orders(id, note) VALUES(5, 'n'); INSERT INTO line VALUES(5, 1, 1)
            """)
        _ = try await Replica(
            database: shop.pool, hub: .direct(shop.hub),
            tables: Shop.tables().filter { $0.name != "line" })
        let path = shop.path
        try await shop.pool.read { db in
            let inspection = try ReplicaInspection(db, path: path)
            let tables = try inspection.diagnostics(at: 0).tables
            #expect(tables.map(\.name) == ["customer", "line", "orders"])
            #expect(tables.map(\.state) == [.synced, .notListed, .synced])
            let waiting = try inspection.waiting(in: nil, limit: 9)
            #expect(waiting.map(\.change.table).sorted() == ["line", "orders"])
            #expect(waiting.first { $0.change.table == "line" }?.reasons == [])
            #expect(waiting.first { $0.change.table == "orders" }?.reasons == [.nextExchange])
        }
    }

    @Test func `list the changes of one table, and no more than wanted`() async throws {
        let shop = try await DiagnosedShop()
        try await shop.replica.sync()
        try await shop.run(
            """
            UPDATE line SET quantity = 7; INSERT INTO orders(id) VALUES(5), (6), (7);
            INSERT INTO _moorage_overruled(tbl, key, operation, at)
            VALUES('line', '[1,1]', 'update', 5), ('orders', '[1]', 'update', 5),
              ('orders', '[2]', 'update', 5);
            """)
        let path = shop.path
        try await shop.pool.read { db in
            let inspection = try ReplicaInspection(db, path: path)
            func keys(_ table: String?, _ limit: Int) throws -> [RowKey] {
                try inspection.waiting(in: table, limit: limit).map(\.change.key)
            }
            #expect(try keys("orders", 2) == [RowKey([.integer(5)]), RowKey([.integer(6)])])
            #expect(try keys("line", 2) == [RowKey([.integer(1), .integer(1)])])
            #expect(try keys(nil, 9).count == 4)
            #expect(try inspection.overruled(in: "orders", limit: 1).map(\.table) == ["orders"])
            #expect(try inspection.overruled(in: nil, limit: 9).count == 3)
            #expect(try inspection.refused(in: "orders", limit: 9).isEmpty)
        }
    }

    @Test func `are read while the app writes`() async throws {
        let shop = try await DiagnosedShop()
        try await shop.replica.sync()
        let isWriting = Locked(false)
        let goesOn = DispatchSemaphore(value: 0)
        Thread.detachNewThread { [pool = shop.pool] in
            try? pool.write { _ in
                isWriting.withLock { $0 = true }
                goesOn.wait()
            }
        }
        try await eventually("the app writes") { isWriting.withLock { $0 } }
        let isRead = Locked(false)
        let reading = Task { [replica = shop.replica] in
            _ = try await replica.diagnostics()
            _ = try await replica.pendingReasons(of: RowKey([.integer(1)]), in: "orders")
            isRead.withLock { $0 = true }
        }
        defer { goesOn.signal() }
        try await eventually("the file is read") { isRead.withLock { $0 } }
        try await reading.value
    }

    @Test func `go through JSON unchanged`() async throws {
        let shop = try await DiagnosedShop()
        try await shop.replica.sync()
        try await shop.run("UPDATE orders SET note = 'sent'")
        try await shop.fail(.unreachable)
        var found = try await shop.replica.diagnostics()
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .millisecondsSince1970
        let text = try found.json()
        #expect(!text.contains("\n"))
        #expect(try decoder.decode(ReplicaDiagnostics.self, from: Data(text.utf8)) == found)
        // A damaged file may have any number as a time.
        found.readAt = Date(timeIntervalSince1970: 1e300)
        #expect(try found.json().contains("\(Int64.max)"))
        try await shop.run("UPDATE _moorage_exchange SET at = \(Int64.max), duration = 9")
        #expect(try await shop.replica.diagnostics().exchanges.isEmpty == false)
    }
}
