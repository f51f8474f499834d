import Foundation
import GRDB
import Logging
import MoorageCore
import MoorageSQLite
import MoorageSupport
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

@Suite(.ownThreads) struct `The last exchanges of a replica` {
    private func exchanges(_ shop: DiagnosedShop) async throws -> [ExchangeRecord] {
        try await shop.replica.diagnostics().exchanges
    }

    private func saved(_ shop: DiagnosedShop) async throws -> [String] {
        try await shop.pool.read { db in
            try Row.fetchAll(db, sql: "SELECT kind, code FROM _moorage_exchange ORDER BY id").map {
                row in "\(row[0] as String) \(row[1] as String? ?? "ok")"
            }
        }
    }

    @Test func `say what travelled, and how it ended`() async throws {
        let shop = try await DiagnosedShop()
        try await shop.replica.sync()
        try await shop.run("UPDATE orders SET note = 'n'; UPDATE line SET quantity = 7")
        shop.hub.put("customer", [.text("c"), .text("c@x"), .text("Carl"), .null])
        let clock = shop.clock
        shop.hub.onAnswer = { _ in clock.advance(.milliseconds(40)) }
        try await shop.replica.sync()
        try await shop.fail(.busy)
        let found = try await exchanges(shop)
        #expect(found.map(\.kind) == [.schema, .pull, .push, .pull])
        #expect(found.map(\.code) == [nil, nil, nil, "busy"])
        #expect(found.map(\.pages) == [0, 1, 1, 0])
        #expect(found[1].rowsReceived == 4 && found[1].changesSent == 0)
        #expect(found[2].changesSent == 2 && found[2].durationMilliseconds == 40)
        #expect(found[2].rowsReceived > 0)
        #expect(found.allSatisfy { !$0.isUnderWay && $0.bytesSent == nil })
    }

    @Test func `are the last fifty, also after the next start`() async throws {
        let shop = try await DiagnosedShop()
        for _ in 0..<60 {
            shop.clock.advance(.seconds(61))
            try await shop.replica.sync()
        }
        await shop.replica.saveExchanges(all: true)
        let found = try await exchanges(shop)
        #expect(found.count == 50)
        #expect(found.last?.startedAt == shop.clock.now())
        #expect(try await shop.count("SELECT count(*) FROM _moorage_exchange") == 50)
        try await shop.reopen()
        let after = try await exchanges(shop)
        #expect(after == found)
        try await shop.replica.sync()
        #expect(try await exchanges(shop).prefix(49) == found.dropFirst())
    }

    @Test func `cost an idle exchange no write`() async throws {
        let shop = try await DiagnosedShop()
        try await shop.replica.sync()
        #expect(try await saved(shop) == ["schema ok", "pull ok"])
        for _ in 0..<5 { try await shop.replica.sync() }
        #expect(try await saved(shop).count == 2)
        #expect(try await exchanges(shop).count == 7)
        // They wait no longer than a minute, for a page that is written anyway.
        shop.clock.advance(.seconds(60))
        try await shop.replica.sync()
        #expect(try await saved(shop).count == 7)
    }

    @Test func `that moved rows go into the file with the next page`() async throws {
        let shop = try await DiagnosedShop()
        try await shop.replica.sync()
        try await shop.run("UPDATE orders SET note = 'n'")
        try await shop.replica.sync()
        #expect(try await saved(shop) == ["schema ok", "pull ok"])
        try await shop.replica.sync()
        #expect(try await saved(shop) == ["schema ok", "pull ok", "push ok"])
    }

    @Test func `that fail go into the file at once, and again if the reason changes`() async throws
    {
        let shop = try await DiagnosedShop()
        try await shop.replica.sync()
        try await shop.fail(.unreachable)
        #expect(try await saved(shop).last == "pull unreachable")
        let count = try await saved(shop).count
        // Even after a long time: a transaction an hour would wake the disk for nothing.
        shop.clock.advance(.seconds(3_600))
        try await shop.fail(.unreachable)
        #expect(try await shop.count("SELECT sum(count) FROM _moorage_exchange") == count)
        try await shop.fail(.unauthorized)
        #expect(try await saved(shop).count == count + 1)
        #expect(try await saved(shop).last == "pull unauthorized")
    }

    @Test func `are saved by whoever stops the replica`() async throws {
        let shop = try await DiagnosedShop()
        await shop.replica.start()
        try await shop.replica.waitUntilCaughtUp()
        #expect(try await saved(shop) == [])
        await shop.replica.stop()
        #expect(try await saved(shop) == ["schema ok", "pull ok"])
    }

    @Test func `wait for the next page if their table fails, and this page goes in`() async throws {
        let shop = try await DiagnosedShop()
        try await shop.replica.sync()
        try await shop.run("UPDATE orders SET note = 'n'")
        try await shop.replica.sync()
        // The next page saves the push, and cannot.
        try await shop.run(
            """
            CREATE TRIGGER fails BEFORE INSERT ON _moorage_exchange
            BEGIN SELECT raise(ABORT, 'fails'); END
            """)
        shop.hub.put("customer", [.text("c"), .text("c@x"), .text("Carl"), .null])
        try await shop.replica.sync()
        #expect(try await shop.count("SELECT count(*) FROM customer WHERE id = 'c'") == 1)
        #expect(try await saved(shop) == ["schema ok", "pull ok"])
        try await shop.run("DROP TRIGGER fails")
        try await shop.replica.sync()
        #expect(try await saved(shop).contains("push ok"))
        // It may even be gone.
        try await shop.run("DROP TABLE _moorage_exchange; UPDATE orders SET note = 'm'")
        for _ in 0..<2 { try await shop.replica.sync() }
        #expect(shop.hub.row("orders", .integer(1))?[3] == .text("m"))
    }

    @Test func `belong to the user whose file it is`() async throws {
        let shop = try await DiagnosedShop()
        try await shop.replica.sync()
        try await shop.replica.startOver()
        #expect(try await exchanges(shop).isEmpty)
        #expect(try await saved(shop).isEmpty)
    }

    @Test func `are gone after an order to wipe the file`() async throws {
        let shop = try await DiagnosedShop()
        try await shop.replica.sync()
        try await shop.run("UPDATE orders SET note = 'n'")
        try await shop.replica.sync()
        try await shop.fail(.replicaWiped)
        await shop.replica.saveExchanges(all: true)
        #expect(try await exchanges(shop).isEmpty)
        #expect(try await saved(shop).isEmpty)
    }

    @Test func `that were under way when the list was emptied leave no record`() {
        let journal = ExchangeJournal(LogLines().logger)
        let measure = journal.begin(.pull, at: 0)
        journal.forget()
        #expect(journal.records(at: 1).onlyHere.isEmpty)
        measure.end(at: 2)
        #expect(journal.records(at: 3).onlyHere.isEmpty)
    }

    @Test func `are empty in a file that no opening has brought up to date`() async throws {
        let shop = try await DiagnosedShop()
        try await shop.replica.sync()
        try await shop.run("DROP TABLE _moorage_exchange")
        let path = shop.path
        let found = try await shop.pool.read {
            try ReplicaInspection($0, path: path).diagnostics(at: 1_000)
        }
        #expect(found.exchanges.isEmpty && found.tables.count == 3)
        try await shop.reopen()
        try await shop.replica.sync()
        #expect(try await saved(shop) == ["pull ok"])
    }

    // MARK: What lasts

    @Test func `show one that has not ended, and that the app breaks off`() async throws {
        let queue = try DatabaseQueue()
        try await queue.write { try $0.execute(sql: Shop.sql) }
        let log = LogLines()
        var options = ReplicaOptions()
        options.logger = log.logger
        let replica = try await Replica(
            database: queue, hub: .direct(HangingHub()), tables: Shop.tables(), options: options)
        let sync = Task { try await replica.sync() }
        try await eventually("the exchange is under way") {
            try await replica.diagnostics().exchanges.last?.isUnderWay == true
        }
        sync.cancel()
        await #expect(throws: CancellationError.self) { try await sync.value }
        let last = try #require(try await replica.diagnostics().exchanges.last)
        #expect(last.kind == .pull && last.code == "cancelled" && !last.isUnderWay)
        #expect(try await replica.diagnostics().lastErrorCode == nil)
        #expect(log.all.allSatisfy { $0.hasPrefix("info ") })
    }

    /// Knows its tables, and never answers an exchange.
    private struct HangingHub: HubConnection {
        private let hub = Shop.hub()

        func exchange(
            _ request: ExchangeRequest, receive: @Sendable (Frame) async throws -> Void
        ) async throws { try await Task.sleep(for: .seconds(3_600)) }

        func schema() async throws -> SchemaAnswer { try await hub.schema() }

        func compare(_ request: CompareRequest) async throws -> CompareAnswer {
            try await hub.compare(request)
        }
    }

    @Test func `have a live stream beside the exchange that opened it`() async throws {
        let device = try await LiveNotes()
        func records() async throws -> [ExchangeRecord] {
            try await device.replica.diagnostics().exchanges
        }
        #expect(try await records().last?.kind == .stream)
        #expect(try await records().last?.isUnderWay == true)
        try device.central.execute("INSERT INTO note VALUES (7, 'theirs')")
        try await eventually("the row is here") { try await records().last?.rowsReceived == 1 }
        try await device.commit(1)
        try await device.advanceToPush()
        try await eventually("the push is there") {
            device.replica.status.isCaughtUp && device.isLive
        }
        let push = try #require(try await records().last { $0.kind == .push })
        #expect(push.changesSent == 1 && push.code == nil && !push.isUnderWay)
        await device.stop()
        let streams = try await records().filter { $0.kind == .stream }
        #expect(streams.count == 2)
        #expect(streams.allSatisfy { !$0.isUnderWay && $0.code == nil })
    }

    @Test func `have a live stream that fell silent as a failure`() async throws {
        let device = try await LiveNotes()
        device.way.set(.silent)
        try device.central.execute("INSERT INTO note VALUES (1, 'one')")
        try await eventually("its page is delayed") { device.way.delayed == 1 }
        try await device.clock.sleeping(.seconds(20) ... .seconds(30))
        device.clock.advance(.seconds(26))
        try await eventually("it is given up") { !device.isLive }
        let stream = try await device.replica.diagnostics().exchanges.first { $0.kind == .stream }
        #expect(stream?.code == "unreachable" && stream?.isUnderWay == false)
        let line = try await device.log.first(containing: "warning exchange failed")
        #expect(line.contains("stream"))
        device.way.set(.none)
        await device.stop()
    }

    // MARK: The log

    @Test func `are one line each in the log`() async throws {
        let shop = try await DiagnosedShop()
        for _ in 0..<3 { try await shop.replica.sync() }
        let lines = shop.log.all
        #expect(lines.count == 4 && lines.allSatisfy { $0.hasPrefix("info exchange ") })
        #expect(lines.last?.contains("outcome") == true)
        try await shop.fail(.busy)
        #expect(shop.log.all.count == 5)
        let failed = try #require(shop.log.all.last)
        #expect(failed.hasPrefix("warning exchange failed ") && failed.contains("busy"))
    }

    @Test func `are not logged where only warnings are wanted`() {
        #expect(ReplicaOptions().logger.logLevel >= .notice)
    }

    @Test func `a failure between exchanges is logged as well`() async throws {
        let shop = try await DiagnosedShop()
        try await shop.replica.sync()
        try await shop.run("UPDATE _moorage_meta SET value = 'damaged' WHERE name = 'cursor'")
        await #expect(throws: ReplicaError.self) { try await shop.replica.sync() }
        #expect(shop.log.all.last?.hasPrefix("warning sync failed ") == true)
        #expect(shop.log.all.last?.contains("metadataDamaged") == true)
    }

    @Test func `a failure before a live stream opens is logged as well`() async throws {
        let device = try await LiveNotes()
        try await device.file.write {
            try $0.execute(sql: "UPDATE _moorage_meta SET value = 'damaged' WHERE name = 'cursor'")
        }
        try await device.commit(1)
        try await device.advanceToPush()
        let line = try await device.log.first(containing: "warning sync failed")
        #expect(line.contains("metadataDamaged"))
        await device.stop()
    }

    @Test func `those of a file and of its process are one list, in the order of their ends`() {
        func record(_ at: Int64, _ code: String? = nil, milliseconds: Int64 = 1) -> ExchangeRecord {
            ExchangeRecord(
                kind: .pull, startedAt: DeviceTime(milliseconds: at).date, count: 1,
                durationMilliseconds: milliseconds, bytesSent: nil, bytesReceived: nil,
                changesSent: 0, rowsReceived: 0, rowsRemoved: 0, pages: 1, code: code,
                isUnderWay: false)
        }
        let long = record(5, milliseconds: 100)
        // One on its way into the file is in both.
        let merged = ExchangeRecord.merged([record(1), long], [long, record(10), record(200)])
        #expect(merged == [record(1), record(10), long, record(200)])
        let failures = ExchangeRecord.merged(
            [record(1, "busy"), record(2, "busy")], [record(2, "busy"), record(3, "busy")])
        #expect(failures.map(\.count) == [3] && failures.first?.pages == 3)
    }

    @Test func `pages of one comparison are one record`() {
        let log = LogLines()
        let journal = ExchangeJournal(log.logger)
        for page in 0..<3 {
            let measure = journal.begin(.compare, at: DeviceTime(milliseconds: Int64(page) * 10))
            measure.compared()
            measure.end(at: DeviceTime(milliseconds: Int64(page) * 10 + 5))
        }
        let records = journal.records(at: 100).onlyHere
        #expect(records.map(\.pages) == [3])
        #expect(records.map(\.durationMilliseconds) == [25])
        #expect(log.all.allSatisfy { $0.hasPrefix("debug ") })
    }
}
