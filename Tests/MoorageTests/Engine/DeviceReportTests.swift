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

/// What a replica says of itself, at a hub that only listens.
@Suite(.ownThreads) struct `A replica's report` {
    private let hub = Shop.hub()
    private let clock = ManualClock()
    private let queue: DatabaseQueue

    init() async throws {
        queue = try DatabaseQueue()
        try await queue.write { try $0.execute(sql: Shop.sql) }
    }

    private func replica(
        _ change: (inout ReplicaOptions) -> Void = { _ in }
    ) async throws -> Replica {
        var options = ReplicaOptions()
        change(&options)
        return try await Replica(
            database: queue, hub: .direct(hub), tables: Shop.tables(), options: options,
            clock: clock)
    }

    /// What the requests of one sync report.
    private func reports(of replica: Replica) async throws -> [DeviceReport?] {
        let before = hub.requestCount
        try await replica.sync()
        return hub.requests[before...].map(\.report)
    }

    private func insert(_ name: String) async throws {
        try await queue.write {
            try $0.execute(
                sql: "INSERT INTO customer VALUES (?1, ?1 || '@x', 'N', NULL)", arguments: [name])
        }
    }

    @Test func `comes with the first exchange of a process, and not again`() async throws {
        let first = try await replica()
        #expect(try await reports(of: first).map { $0 != nil } == [true])
        // The file has grown meanwhile, and the clocks' difference is known.
        #expect(try await reports(of: first) == [nil])
        hub.put("customer", [.text("c"), .text("c@x"), .text("Cleo"), .null])
        #expect(try await reports(of: first) == [nil])
        let second = try await replica()
        #expect(try await reports(of: second).map { $0 != nil } == [true])
    }

    @Test func `has what the app says of itself, each text cut`() async throws {
        let replica = try await replica {
            $0.device = DeviceDescription(
                name: String(repeating: "é", count: 300), appVersion: "2.10.1", schemaVersion: "7")
            $0.device.platform = "Test 1"
        }
        let report = try #require(try await reports(of: replica).first ?? nil)
        #expect(report.name == String(repeating: "é", count: 100))
        #expect(report.appVersion == "2.10.1" && report.schemaVersion == "7")
        #expect(report.platform == "Test 1" && report.libraryVersion == libraryVersion)
        #expect(report.pendingCount == 0 && report.refusedCount == 0 && report.overruledCount == 0)
        #expect(report.oldestPendingAt == nil && report.suspendedTables.isEmpty)
        #expect(report.lastErrorCode == nil && report.clockOffset == nil)
        let size = try await queue.read { db in
            try (Int64.fetchOne(db, sql: "PRAGMA page_size") ?? 0)
                * (Int64.fetchOne(db, sql: "PRAGMA page_count") ?? 0)
        }
        #expect(report.fileSize > 0 && report.fileSize <= size)
        // The version comes each time, for a hub that asks for a minimum.
        try await replica.sync()
        #expect(hub.requests.map(\.clientVersion) == ["2.10.1", "2.10.1"])
    }

    @Test func `names the running system, and no app where the app says nothing`() async throws {
        let report = try #require(try await reports(of: replica()).first ?? nil)
        #expect(report.platform?.contains(".") == true)
        #expect(report.name == nil && report.appVersion == nil && report.schemaVersion == nil)
        #expect(hub.requests.map(\.clientVersion) == [nil])
    }

    @Test func `counts what waits behind the batch, by the hub's clock`() async throws {
        let replica = try await replica { $0.maximumRowsPerBatch = 1 }
        hub.onAnswer = { frames in
            guard case .welcome(let welcome)? = frames.first else { return }
            frames[0] = .welcome(
                Welcome(
                    hub: welcome.hub, epoch: welcome.epoch, time: welcome.time - 5_000,
                    schemaVersion: welcome.schemaVersion, schema: welcome.schema, suspended: [],
                    limits: welcome.limits))
        }
        try await replica.sync()
        for name in ["n1", "n2", "n3"] { try await insert(name) }
        // Triggers use SQLite's clock.
        let time = clock.time
        try await queue.write {
            try $0.execute(
                sql: "UPDATE _moorage_log_customer SET at = ?", arguments: [time.milliseconds])
        }
        let reports = try await reports(of: replica)
        #expect(reports.map { $0?.pendingCount } == [2, nil, 0])
        let oldest = HubTime(milliseconds: time.milliseconds - 5_000)
        #expect(reports.map { $0?.oldestPendingAt } == [oldest, nil, nil])
        #expect(reports.map { $0?.clockOffset } == [5_000, nil, 5_000])
    }

    @Test func `has no news where one batch takes all`() async throws {
        let replica = try await replica()
        try await replica.sync()
        try await insert("n1")
        #expect(try await reports(of: replica) == [nil])
    }

    @Test func `comes again when a list changes`() async throws {
        let replica = try await replica()
        try await replica.sync()
        hub.refusing = { _ in Refusal(code: .permission, message: "Nobody may.") }
        try await insert("n1")
        // It is refused by the answer, so the next request tells of it.
        #expect(try await reports(of: replica) == [nil])
        #expect(try await reports(of: replica).map { $0?.refusedCount } == [1])
        #expect(try await reports(of: replica) == [nil])
        for change in try await replica.refusedChanges.fetch() { try await replica.dismiss(change) }
        #expect(try await reports(of: replica).map { $0?.refusedCount } == [0])
    }

    @Test func `says how the last try ended`() async throws {
        let replica = try await replica()
        try await replica.sync()
        hub.onAnswer = { _ in throw HubError(.unreachable, "no network") }
        await #expect(throws: ReplicaError.self) { try await replica.sync() }
        hub.onAnswer = { _ in }
        #expect(try await reports(of: replica).map { $0?.lastErrorCode } == ["unreachable"])
        let after = try await reports(of: replica)
        #expect(after.count == 1 && after[0] != nil && after[0]?.lastErrorCode == nil)
        #expect(try await reports(of: replica) == [nil])
    }

    @Test func `comes again until a hub has welcomed it`() async throws {
        let replica = try await replica()
        hub.onAnswer = { _ in throw HubError(.unreachable, "no network") }
        for _ in 0..<2 {
            await #expect(throws: ReplicaError.self) { try await replica.sync() }
        }
        // The answer breaks off after the welcome: the hub has the report.
        hub.onAnswer = { $0.removeSubrange(1...) }
        await #expect(throws: ReplicaError.self) { try await replica.sync() }
        #expect(hub.requests.map { $0.report != nil } == [true, true, true])
        #expect(hub.requests.last?.report?.lastErrorCode == "unreachable")
        // It broke off with the same code.
        hub.onAnswer = { _ in }
        #expect(try await reports(of: replica) == [nil])
    }

    @Test func `is remembered for a copy of the file, and not for another id`() throws {
        let device = try Shop.device()
        func report(_ store: ReplicaStore) throws -> DeviceReport? {
            try device.queue.writeWithoutTransaction {
                try store.newReport($0, of: DeviceDescription(), asking: [])?.report
            }
        }
        let state = try device.queue.writeWithoutTransaction {
            try device.store.newReport($0, of: DeviceDescription(), asking: [])?.state
        }
        device.store.welcomed(state, sentAt: 1_000, at: 400)
        #expect(try report(device.store) == nil && report(device.store.twin()) == nil)
        #expect(try report(ReplicaStore(tables: Shop.tables())) != nil)
        try device.queue.writeWithoutTransaction {
            try device.store.fork($0, newID: "00000000-0000-4000-8000-000000000002")
        }
        #expect(try report(device.store)?.clockOffset == 600)
    }

    /// What it counts is counted without going through the rows.
    @Test func `costs an idle replica the same, however much the file has`() throws {
        func steps(_ count: Int) throws -> Int {
            let device = try Shop.device()
            for number in 0..<Int64(count) {
                hub.put("orders", [.integer(100 + number), .null, .null, .text("n")])
                try device.run(
                    """
                    INSERT INTO _moorage_overruled(tbl, key, operation, at)
                    VALUES ('orders', '[\(number)]', 'update', 1)
                    """)
            }
            try device.exchange(hub)
            func report() throws {
                try device.queue.writeWithoutTransaction {
                    let news = try device.store.newReport($0, of: DeviceDescription(), asking: [])
                    #expect(news?.report.overruledCount == count)
                }
            }
            // The statements are prepared once.
            try report()
            return try StepCounter.steps(of: device.queue, report)
        }
        #expect(try steps(5) == steps(500))
    }

    @Test func `names suspended tables, and counts what waits for them`() async throws {
        let camp = try await Camp()
        let (file, replica) = try await camp.device()
        try await camp.moveOn(replica)
        try await file.run("INSERT INTO site VALUES('s2', 'Cabin', 20)")
        try await replica.sync()
        let report = try #require(try await camp.hub.replicas().first?.report)
        #expect(report.suspendedTables == ["site"] && report.pendingCount == 1)
        #expect(report.oldestPendingAt != nil)
    }

    /// The hub remembers with a report what its request asked for.
    @Test func `comes again when the replica asks for another column`() async throws {
        let camp = try await Camp()
        let file = try DatabaseQueue()
        let added = "ALTER TABLE note ADD COLUMN depth INTEGER;"
        try await file.run(Camp.local + added)
        let replica = try await camp.open(file)
        try await replica.sync()
        try camp.central.execute(added)
        _ = try await camp.hub.attach()
        #expect(try await camp.hub.checkDrop(ofTable: "note", column: "depth").isSafe)
        // The process that reported goes on.
        try await replica.sync()
        let check = try await camp.hub.checkDrop(ofTable: "note", column: "depth")
        #expect(check.replicas.map(\.need) == [.requested])
    }

    @Test func `is not sent in a circle to a hub that speaks another protocol`() async throws {
        let shop = try await ShopReplica()
        shop.hub.onAnswer = { _ in throw HubError(.protocolTooOld, "Update the app.") }
        await shop.replica.start()
        try await eventually("the try failed") { shop.replica.status.phase == .retrying }
        let status = shop.replica.status
        #expect(status.lastError?.code == .hub(.protocolTooOld))
        #expect(status.lastError?.recovery == .updateApp)
        let wait = status.nextTry?.timeIntervalSince(shop.clock.now()) ?? 0
        #expect(wait >= 30)
        #expect(shop.hub.requestCount == 1)
        await shop.replica.stop()
    }
}
