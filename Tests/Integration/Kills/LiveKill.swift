import Foundation
import GRDB
import Moorage
import MoorageAsyncHTTP
import TestSupport

/// Two live replicas on one server, which is killed and starts again on the same port.
final class LiveKill {
    static let kills = 3

    private let central: any KillableCentral
    private let folder: URL
    private let url: URL
    private var server: ChildProcess
    private var devices: [(replica: Replica, file: DatabaseQueue)] = []
    private var next = 0

    /// - Returns: The invariants that fail.
    static func run(_ central: any KillableCentral, _ folder: URL) async throws -> [String] {
        let world = try await LiveKill(central, folder)
        let problems: [String]
        do {
            problems = try await world.work()
        } catch {
            await world.stop()
            throw error
        }
        await world.stop()
        return problems
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
        // No other server gets this port while the server is down.
        let (server, text) = try await FreePort.start { port in
            try await ChildProcess.serve(
                central.argument, port: port, environment: central.environment, folder: folder)
        }
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
        // No pull by interval happens during the test.
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

    private func work() async throws -> [String] {
        for _ in 0..<2 { try await addDevice() }
        try await untilLive(true)
        var problems: [String] = []
        for kill in 1...Self.kills {
            try await editEverywhere("before kill \(kill)")
            try await untilSame("before kill \(kill)")
            // These edits are on their way when the server ends.
            try await editEverywhere("at kill \(kill)")
            if await !server.killNow() {
                problems.append("a server ended by itself: \(server.text)")
            }
            try await untilLive(false)
            try await editEverywhere("after kill \(kill)")
            (server, _) = try await ChildProcess.serve(
                central.argument, port: url.port ?? 0, environment: central.environment,
                folder: folder)
            try await untilLive(true)
            try await editEverywhere("with the server after kill \(kill)")
            try await untilSame("after kill \(kill)")
        }
        try await eventually("nobody has an error any more") {
            devices.allSatisfy { $0.replica.status.lastError == nil }
        }
        for (number, device) in devices.enumerated() {
            let refused = try await device.replica.refusedChanges.fetch()
            if !refused.isEmpty { problems.append("device \(number): refused \(refused)") }
            let differences = try await device.replica.verify()
            if !differences.isEmpty { problems.append("device \(number): verify \(differences)") }
        }
        // What a device wrote went in once, however often it was sent.
        let again = try central.rows(
            "SELECT body FROM trail GROUP BY body HAVING count(*) > 1")
        if !again.isEmpty { problems.append("written twice: \(again.prefix(3))") }
        return problems
    }

    /// Inserts a row on each device and one at the centre, and changes an earlier row.
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
        try await eventually(isLive ? "all are live" : "none is live") {
            devices.allSatisfy { $0.replica.status.isLive == isLive }
        }
    }

    /// Waits until all edits are at the centre and on both devices.
    private func untilSame(_ when: String) async throws {
        let query = "SELECT id, body, n FROM item ORDER BY id"
        let count = next
        try await eventually("all edits are everywhere, \(when)") {
            let rows = try central.rows(query)
            guard rows.count == count else { return false }
            for device in devices {
                let own = try await device.file.read { try KillableReplica.texts($0, query) }
                guard own == rows else { return false }
            }
            return devices.allSatisfy { $0.replica.status.isCaughtUp }
        }
    }
}
