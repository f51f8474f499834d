import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageHub
import MoorageSQLite
import MoorageTesting
import MoorageWire
import TestSupport
import Testing

/// A file that takes a new name loses its connection before the hub hears of it.
@Suite(.ownThreads) struct `A file between two names` {
    private let hub: Hub
    private let folder: URL
    private let configuration: HubConfiguration

    init() async throws {
        folder = FileManager.default.temporaryDirectory
            .appending(path: "moorage-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let central = try SQLiteDatabase(path: folder.appending(path: "central.sqlite").path)
        try central.execute(
            """
            CREATE TABLE notes(id TEXT PRIMARY KEY NOT NULL, owner TEXT, body TEXT);
            INSERT INTO notes VALUES ('a', 'ada', 'of ada'), ('b', 'bob', 'of bob');
            """)
        var configuration = HubConfiguration()
        configuration.scopes = ScopeSettings(
            rules: ["notes": [ScopeRule(.column(kind: "person", "owner"))]],
            holdings: ["person": .claim("sub")])
        self.configuration = configuration
        hub = Hub(database: central, configuration: configuration)
        _ = try await hub.attach()
        let backup = folder.appending(path: "backup.sqlite").path
        try central.execute("VACUUM INTO '\(backup)'")
    }

    /// The hub on the database as it was before any device was there.
    private func restored() throws -> Hub {
        let database = try SQLiteDatabase(path: folder.appending(path: "backup.sqlite").path)
        return Hub(database: database, configuration: configuration)
    }

    /// - Parameter contacts: How many exchanges come through.
    private func open(
        _ file: DatabaseQueue, as user: String, contacts: Int = .max, at other: Hub? = nil
    ) async throws -> Replica {
        let hub = FewContacts((other ?? hub).asSeen(by: Principal(subject: user)), contacts)
        return try await Replica(
            database: file, hub: .direct(hub), tables: [.table("notes")])
    }

    private func clone() async throws -> DatabaseQueue {
        let file = try DatabaseQueue(path: folder.appending(path: "file.sqlite").path)
        _ = try await Replica.clone(
            into: file, from: .direct(hub.asSeen(by: Principal(subject: "ada"))),
            tables: ["notes"])
        return file
    }

    private func edit(_ file: DatabaseQueue, _ body: String) async throws {
        try await file.write {
            try $0.execute(sql: "UPDATE notes SET body = ?", arguments: [body])
        }
    }

    /// A copy of ada's file, and the name that it had before. The hub gave the copy another name,
    /// but has not heard from it since.
    private func renamed() async throws -> (file: DatabaseQueue, name: String) {
        let file = try await clone()
        let name = try #require(try await hub.replicas().first?.id)
        let path = folder.appending(path: "copy.sqlite").path
        try await file.writeWithoutTransaction {
            try $0.execute(sql: "VACUUM INTO ?", arguments: [path])
        }
        try await edit(file, "by the file")
        try await open(file, as: "ada").sync()
        let copy = try DatabaseQueue(path: path)
        try await edit(copy, "by the copy")
        let cut = try await open(copy, as: "ada", contacts: 1)
        await #expect(throws: ReplicaError.self) { try await cut.sync() }
        return (copy, name)
    }

    private func expectIsAdas(_ file: DatabaseQueue, at hub: Hub? = nil) async throws {
        let bob = try await open(file, as: "bob", at: hub)
        let error = await #expect(throws: ReplicaError.self) { try await bob.sync() }
        #expect(error?.code == .hub(.differentUser))
        _ = await #expect(throws: ReplicaError.self) { try await bob.verify() }
        #expect(try await bob.pendingChanges.fetch().count == 1)
        let ada = try await open(file, as: "ada", at: hub)
        #expect(try await ada.sync().changesPushed == 1)
        #expect(try await ada.verify().isEmpty)
        #expect(try await ada.sync().isCaughtUp)
        // From now on the file uses its new name.
        await #expect(throws: ReplicaError.self) { try await bob.sync() }
    }

    @Test func `stays its user's when it was a copy`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let (file, _) = try await renamed()
        try await expectIsAdas(file)
        #expect(try await hub.replicas().map(\.subject) == ["ada", "ada"])
    }

    @Test func `stays its user's when the hub's history was renewed`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = try await clone()
        try await edit(file, "kept")
        _ = try await hub.attach(newEpoch: true)
        let cut = try await open(file, as: "ada", contacts: 1)
        await #expect(throws: ReplicaError.self) { try await cut.sync() }
        try await expectIsAdas(file)
    }

    @Test func `stays its user's when the database has forgotten every name`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = try await clone()
        try await edit(file, "kept")
        try await expectIsAdas(file, at: try restored())
    }

    @Test func `is reached by an order to the old name`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let (file, name) = try await renamed()
        let ada = try await open(file, as: "ada")
        _ = try await hub.set(.revoked, replica: name)
        let error = await #expect(throws: ReplicaError.self) { try await ada.sync() }
        #expect(error?.code == .hub(.replicaRevoked))
        #expect(try await ada.pendingChanges.fetch().count == 1)
        _ = try await hub.set(.toBeWiped, replica: name)
        _ = await #expect(throws: ReplicaError.self) { try await ada.sync() }
        #expect(
            try await file.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM notes") } == 0)
        _ = await #expect(throws: ReplicaError.self) { try await ada.sync() }
        // Another file may use the old name, and has heard nothing yet.
        #expect(try await hub.replicas().first { $0.id == name }?.standing == .toBeWiped)
        #expect(try await hub.replicas().first { $0.id != name }?.standing == .wiped)
    }

    @Test func `is another user's once it was started over`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let (file, _) = try await renamed()
        let bob = try await open(file, as: "bob")
        try await bob.startOver()
        #expect(try await bob.sync().isCaughtUp)
        let bodies = try await file.read { try String.fetchAll($0, sql: "SELECT body FROM notes") }
        #expect(bodies == ["of bob"])
    }
}

/// A connection that breaks for good after a number of exchanges.
private final class FewContacts: HubConnection, @unchecked Sendable {
    // `@unchecked`: the count is used only inside the lock.
    private let hub: any HubConnection
    private let lock = NSLock()
    private var left: Int

    init(_ hub: any HubConnection, _ contacts: Int) {
        self.hub = hub
        left = contacts
    }

    func exchange(
        _ request: ExchangeRequest, receive: @Sendable (Frame) async throws -> Void
    ) async throws {
        let isThere = lock.withLock {
            left -= 1
            return left >= 0
        }
        guard isThere else { throw HubError(.unreachable, "The connection was lost.") }
        let request = try ExchangeRequest(decoding: request.encoded())
        try await hub.exchange(request, receive: receive)
    }

    func schema() async throws -> SchemaAnswer { try await hub.schema() }

    func compare(_ request: CompareRequest) async throws -> CompareAnswer {
        try await hub.compare(try CompareRequest(decoding: request.encoded()))
    }
}
