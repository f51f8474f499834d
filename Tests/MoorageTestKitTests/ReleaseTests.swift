import Foundation
import GRDB
import Moorage
import MoorageHub
import MoorageTestKit
import TestSupport
import Testing

/// What an app may do with replicas, and drop: nothing hangs, and nothing remains in memory.
@Suite(.ownThreads) struct `A replica leaves nothing behind` {
    /// The objects of one device of an app. The test has no other reference to them.
    private struct Witness {
        weak var replica: Replica?
        weak var database: DatabasePool?

        var isReleased: Bool { replica == nil && database == nil }
    }

    /// Opens a replica in a file, uses it, and drops everything.
    private func use(
        _ options: ReplicaOptions = ReplicaOptions(),
        _ body: (Replica, DatabasePool, Sandbox, String) async throws -> Void
    ) async throws {
        let sandbox = try await Harbour.sandbox()
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "app.db").path
        var witness = Witness()
        do {
            let database = try DatabasePool(path: path)
            let replica = try await open(database, sandbox, options)
            witness = Witness(replica: replica, database: database)
            try await body(replica, database, sandbox, path)
        }
        try await eventually("replica and database are released") { witness.isReleased }
    }

    private func open(
        _ database: DatabasePool, _ sandbox: Sandbox, _ options: ReplicaOptions = ReplicaOptions()
    ) async throws -> Replica {
        try await Replica.open(
            database: database, hub: .direct(sandbox.hub.connection), tables: Harbour.tables,
            migrator: Harbour.migrator, options: options)
    }

    private static let berth = """
        INSERT INTO berth (id, name) VALUES (hex(randomblob(8)), hex(randomblob(8)))
        """

    private func count(_ database: DatabasePool) async throws -> Int {
        try await database.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM berth") ?? 0 }
    }

    private func end(_ tasks: [Task<Void, any Error>]) async {
        for task in tasks { task.cancel() }
        for task in tasks { _ = await task.result }
    }

    // MARK: What an app does

    @Test func `when it runs twice`() async throws {
        try await use { replica, database, sandbox, _ in
            let tasks = [Task { try await replica.run() }, Task { try await replica.run() }]
            await replica.start()
            try await database.write { try $0.execute(sql: Self.berth) }
            try await replica.waitUntilCaughtUp()
            await end(tasks)
            await replica.stop()
            #expect(replica.status.phase == .stopped)
        }
    }

    @Test func `when two windows watch it`() async throws {
        try await use { replica, database, sandbox, _ in
            await replica.start()
            let rows = ValueObservation.tracking {
                try String.fetchAll($0, sql: "SELECT name FROM berth")
            }
            var tasks: [Task<Void, any Error>] = []
            for _ in 0..<2 {
                let state = await ReplicaState(replica)
                tasks += [
                    Task {
                        for await _ in replica.statuses() {}
                        _ = state
                    },
                    Task { for try await _ in replica.pendingChanges.values() {} },
                    Task { for try await _ in rows.values(in: database) {} },
                ]
            }
            try await sandbox.execute(Self.berth)
            try await eventually("the row is here") { try await count(database) == 1 }
            await end(tasks)
            await replica.stop()
        }
    }

    @Test func `when an extension writes to its file`() async throws {
        var options = ReplicaOptions()
        options.otherProcessInterval = .milliseconds(10)
        options.pushDelay = .milliseconds(1)
        try await use(options) { replica, database, sandbox, path in
            await replica.start()
            do {
                var configuration = Configuration()
                configuration.busyMode = .timeout(10)
                let other = try DatabasePool(path: path, configuration: configuration)
                _ = try await open(other, sandbox, options)
                try await other.write { try $0.execute(sql: Self.berth) }
                try other.close()
            }
            try await eventually("the hub has the row") {
                try await sandbox.text("SELECT COUNT(*) FROM berth") == "1"
            }
            await replica.stop()
        }
    }

    @Test func `when the app closes its database`() async throws {
        try await use { replica, database, _, _ in
            await replica.start()
            try await replica.waitUntilCaughtUp()
            let values = Task { for try await _ in replica.pendingChanges.values() {} }
            // Readers that work just then make GRDB refuse; the app tries again.
            try await eventually("the database is closed") {
                do { try database.close() } catch { return false }
                return true
            }
            let error = await #expect(throws: ReplicaError.self) { try await replica.sync() }
            #expect(error?.code == .databaseClosed)
            await end([values])
            await replica.stop()
        }
    }

    /// Each kind of call, cancelled after so many turns of other tasks.
    @Test(arguments: [
        "sync", "catchUp", "verify", "run", "waitUntilCaughtUp", "values", "subscribe",
    ])
    func `when a task is cancelled anywhere`(call: String) async throws {
        try await use { replica, database, sandbox, _ in
            var ended: Set<String> = []
            for turns in 0..<120 {
                if turns.isMultiple(of: 3) {
                    try await database.write { try $0.execute(sql: Self.berth) }
                    try await sandbox.execute(Self.berth)
                }
                let task = Task { try await self.call(call, replica, database) }
                for _ in 0..<turns { await Task.yield() }
                task.cancel()
                do {
                    try await task.value
                    ended.insert("in time")
                } catch is CancellationError {
                    ended.insert("cancelled")
                }
            }
            #expect(ended.contains("cancelled"))
            // Whatever was broken off: the next sync brings both sides together.
            try await replica.catchUp(within: .seconds(60))
            let there = try await sandbox.text("SELECT COUNT(*) FROM berth")
            let here = try await count(database)
            #expect(here == 80 && there == "80")
        }
    }

    private func call(_ call: String, _ replica: Replica, _ database: DatabasePool) async throws {
        switch call {
        case "sync": try await replica.sync()
        case "catchUp": try await replica.catchUp(within: .seconds(60))
        case "verify": _ = try await replica.verify()
        case "run": try await replica.run()
        case "waitUntilCaughtUp": try await replica.waitUntilCaughtUp()
        case "values":
            let names = SQLRequest<String>(sql: "SELECT name FROM berth")
            let values = replica.values(of: ["berth"], within: .seconds(60)) {
                try names.fetchAll($0)
            }
            for try await _ in values {}
        default:
            try await replica.subscribe(to: "area/1")
            try await replica.unsubscribe(from: "area/1")
        }
        try Task.checkCancellation()
    }
}
