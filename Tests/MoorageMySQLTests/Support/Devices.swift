import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageHub
import MoorageMySQL
import MoorageTesting
import Testing

/// The hub on a database of a test, and devices of its own.
struct Devices {
    let subject: MySQLSubject
    let owner: MySQLSession
    let hub: Hub
    private let folder: URL

    /// - Parameter schema: The owner's; each `#` is replaced by the engine.
    static func run(
        _ server: MySQLServer, _ schema: String, tables: [String]? = nil,
        options: MySQLDatabase.Options = .init(), _ test: (Devices) async throws -> Void
    ) async throws {
        try await server.withDatabase(options: options) { subject in
            let owner = try subject.session()
            try owner.plain(schema.replacing("#", with: "ENGINE = InnoDB"))
            let hub = Hub(database: subject.mysql)
            _ = try await hub.attach(tables: tables)
            let folder = FileManager.default.temporaryDirectory
                .appending(path: "moorage-devices-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer {
                do { try FileManager.default.removeFolder(at: folder) } catch {
                    Issue.record("\(folder.path) is left behind")
                }
            }
            try await test(Devices(subject: subject, owner: owner, hub: hub, folder: folder))
        }
    }

    /// The same database behind a hub whose connections go through doubles.
    func through(
        _ double: @escaping @Sendable (any CentralConnection) -> any CentralConnection
    ) -> Devices {
        Devices(
            subject: subject, owner: owner,
            hub: Hub(database: ForwardingDatabase(subject.mysql, double)), folder: folder)
    }

    func clone(_ name: String, _ tables: [String]) async throws -> Device {
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = OFF") }
        let file = try DatabaseQueue(
            path: folder.appending(path: "\(name).db").path, configuration: configuration)
        let replica = try await Replica.clone(into: file, from: .direct(hub), tables: tables)
        return Device(name: name, file: file, replica: replica)
    }

    /// Syncs everything, and lists what is pending, broken or not as it is at the centre.
    func differences(_ devices: Device...) async throws -> [String] {
        for _ in 0..<2 { for device in devices { _ = try await device.replica.sync() } }
        var found: [String] = []
        for device in devices {
            found += try await device.replica.pendingChanges.fetch().map {
                "\(device.name): \($0.key.values) is pending"
            }
            found += try await device.replica.verify().map { "\(device.name): \($0)" }
            let broken = try await device.file.read {
                try Row.fetchAll($0, sql: "PRAGMA foreign_key_check").count
            }
            if broken > 0 { found.append("\(device.name): \(broken) broken foreign keys") }
        }
        return found
    }

    func conflicts() async throws -> [String] {
        try await hub.conflicts().map { "\($0.kind) \($0.table) \($0.reasonCode ?? "-")" }
    }
}

struct Device {
    let name: String
    let file: DatabaseQueue
    let replica: Replica

    /// Starts a sync beside the test. Its result is the error, or `nil`.
    func beginSync() -> Task<String?, Never> {
        Task { [replica] in
            do {
                _ = try await replica.sync()
                return nil
            } catch { return "\(error)" }
        }
    }

    func execute(_ sql: String) async throws { try await file.write { try $0.execute(sql: sql) } }

    func rows(_ sql: String) async throws -> [[String?]] {
        try await file.read { db in
            try Row.fetchAll(db, sql: sql).map { row in
                row.databaseValues.map { value in
                    switch value.storage {
                    case .null: nil
                    case .int64(let number): String(number)
                    case .double(let number): number.description
                    case .string(let text): text
                    case .blob(let bytes): String(decoding: bytes, as: UTF8.self)
                    }
                }
            }
        }
    }

    func cell(_ sql: String) async throws -> String? { try await rows(sql).first?.first ?? nil }

    func refusals() async throws -> [String] {
        try await replica.refusedChanges.fetch().map { "\($0.code) \($0.message)" }
    }
}
