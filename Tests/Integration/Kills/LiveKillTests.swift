import Foundation
import GRDB
import Moorage
import MoorageAsyncHTTP
import Testing

/// A server that ends in the middle while replicas follow its live streams.
extension `Kills` {
    @Test func `a server with live replicas, on a central SQLite file`() async throws {
        try await inFolder { folder in
            try await LiveKill.run(try KillableSQLite(folder: folder), folder)
        }
    }

    @Test(.enabled(if: WriterDatabase.isThere))
    func `a server with live replicas, on PostgreSQL`() async throws {
        try await inFolder { folder in
            try await WriterDatabase.with { database in
                try await LiveKill.run(try KillablePostgres(database), folder)
            }
        }
    }

    @Test(.enabled(if: MariaDBFixture.isThere))
    func `a server with live replicas, on MariaDB`() async throws {
        try await inFolder { folder in
            try await KillableMariaDB.with { try await LiveKill.run($0, folder) }
        }
    }
}

/// Two live replicas on one server, which is killed and comes back on the same port.
private final class LiveKill {
    private static let kills = 3

    private let central: any KillableCentral
    private let folder: URL
    private let url: URL
    private var server: ChildProcess
    private var devices: [(replica: Replica, file: DatabaseQueue)] = []
    private var next = 0

    static func run(_ central: any KillableCentral, _ folder: URL) async throws {
        let world = try await LiveKill(central, folder)
        do {
            try await world.work()
        } catch {
            await world.stop()
            throw error
        }
        await world.stop()
    }

    private init(_ central: any KillableCentral, _ folder: URL) async throws {
        self.central = central
        self.folder = folder
        try central.create()
        let attach = try ChildProcess(
            ["attach", central.argument, "--table", "item"], environment: central.environment,
            folder: folder)
        guard await attach.wait() == 0 else {
            throw ChildProcess.Failure(description: "attach: \(attach.text)")
        }
        let (server, text) = try await ChildProcess.serve(
            central.argument, environment: central.environment, folder: folder)
        self.server = server
        guard let url = URL(string: text), url.port != nil else {
            await server.stop()
            throw ChildProcess.Failure(description: "no URL: \(text)")
        }
        self.url = url
    }

    private func stop() async {
        for device in devices { await device.replica.stop() }
        await server.stop()
    }

    private func addDevice() async throws {
        let file = try DatabaseQueue()
        var options = ReplicaOptions()
        // Nothing comes by interval.
        options.pullInterval = .seconds(3_600)
        options.firstRetryDelay = .milliseconds(50)
        options.maximumRetryDelay = .milliseconds(500)
        let connection = HTTPHubConnection(
            url: url, secret: KillSchema.secret, transport: AsyncHTTPTransport())
        let replica = try await Replica.clone(
            into: file, from: .direct(connection), tables: ["item"], options: options)
        devices.append((replica, file))
        await replica.start()
    }

    private func work() async throws {
        for _ in 0..<2 { try await addDevice() }
        try await untilLive(true)
        for kill in 1...Self.kills {
            try await editEverywhere("before kill \(kill)")
            try await untilSame("before kill \(kill)")
            // On their way when the server goes.
            try await editEverywhere("at kill \(kill)")
            #expect(await server.killNow())
            try await untilLive(false)
            try await editEverywhere("after kill \(kill)")
            (server, _) = try await ChildProcess.serve(
                central.argument, port: url.port ?? 0, environment: central.environment,
                folder: folder)
            try await untilLive(true)
            try await editEverywhere("with the server after kill \(kill)")
            try await untilSame("after kill \(kill)")
        }
        for device in devices {
            #expect(device.replica.currentStatus.lastError == nil)
            #expect(try await device.replica.refused().isEmpty)
            #expect(try await device.replica.verify().isEmpty)
        }
        // What a device wrote went in once, however often it was sent.
        let again = try central.rows(
            "SELECT body FROM trail GROUP BY body HAVING count(*) > 1")
        #expect(again.isEmpty)
    }

    /// A row of each device's and one of the owner's, and a change of an earlier one.
    private func editEverywhere(_ name: String) async throws {
        for (number, device) in devices.enumerated() {
            next += 1
            let sql = """
                INSERT INTO item VALUES (\(next), '\(name), of device \(number)', 0, 0);
                UPDATE item SET n = n + 1 WHERE id = \(number + 1);
                """
            try await device.file.write { try $0.execute(sql: sql) }
        }
        next += 1
        try central.run("INSERT INTO item VALUES (\(next), '\(name), of the owner', 0, 0)")
    }

    private func untilLive(_ isLive: Bool) async throws {
        try await until(isLive ? "all are live" : "none is live") {
            devices.allSatisfy { $0.replica.currentStatus.isLive == isLive }
        }
    }

    /// Waits until all edits are at the centre and on both devices.
    private func untilSame(_ when: String) async throws {
        let query = "SELECT id, body, n FROM item ORDER BY id"
        let count = next
        try await until("all edits everywhere, \(when)") {
            let rows = try central.rows(query)
            guard rows.count == count else { return false }
            for device in devices {
                let own = try await device.file.read { try KillableReplica.texts($0, query) }
                guard own == rows else { return false }
            }
            return devices.allSatisfy { $0.replica.currentStatus.isCaughtUp }
        }
    }

    private func until(_ what: String, _ isSo: () async throws -> Bool) async throws {
        for _ in 0..<6_000 {
            if try await isSo() { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("It never came: \(what); \(devices.map(\.replica.currentStatus))")
        throw CancellationError()
    }
}
