import Foundation
import GRDB
import MoorageCore
import MoorageWire
import TestSupport

@testable import Moorage

/// A replica of the shop in a file, on a clock that only the test moves, and the lines that it logs.
final class DiagnosedShop {
    let hub = Shop.hub()
    let clock = ManualClock()
    let log = LogLines()
    let path = FileManager.default.temporaryDirectory
        .appendingPathComponent("diagnosed-\(UUID().uuidString).sqlite").path
    let pool: DatabasePool
    private(set) var replica: Replica

    init(_ more: String = "") async throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        pool = try DatabasePool(path: path, configuration: configuration)
        try await pool.write { try $0.execute(sql: Shop.sql + more) }
        replica = try await Self.open(pool, hub, clock, log)
    }

    deinit {
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
    }

    private static func open(
        _ pool: DatabasePool, _ hub: FakeHub, _ clock: ManualClock, _ log: LogLines
    ) async throws -> Replica {
        var options = ReplicaOptions()
        options.live = false
        options.logger = log.logger
        options.device = DeviceDescription(name: "Ada's phone", appVersion: "2.1")
        return try await Replica(
            database: pool, hub: .direct(hub), tables: Shop.tables(), options: options,
            clock: clock)
    }

    /// The next process opens the file.
    func reopen() async throws { replica = try await Self.open(pool, hub, clock, log) }

    func run(_ sql: String) async throws { try await pool.write { try $0.execute(sql: sql) } }

    func count(_ sql: String) async throws -> Int {
        try await pool.read { try Int.fetchOne($0, sql: sql) ?? 0 }
    }

    /// A sync that the hub answers with an error, after it has stored nothing.
    func fail(_ code: HubError.Code) async throws {
        hub.onAnswer = { _ in throw HubError(code, "It fails.") }
        do {
            try await replica.sync()
            throw Unexpected()
        } catch is ReplicaError {}
        hub.onAnswer = { _ in }
    }

    private struct Unexpected: Error {}

    func table(_ name: String) async throws -> ReplicaDiagnostics.Table? {
        try await replica.diagnostics().tables.first { $0.name == name }
    }

    func reasons(_ table: String, _ key: Value...) async throws -> [PendingReason] {
        try await replica.pendingReasons(of: RowKey(key), in: table)
    }
}
