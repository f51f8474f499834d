import Foundation
import GRDB
import Moorage
import MoorageWire

/// A device that syncs without a pause, for tests that end it in the middle: `RestlessReplica FILE
/// URL TABLE…`. It clones an empty file first. It prints what it did, line by line, and ends with
/// its parent.
@main
struct RestlessReplica {
    private static let maximumSilence = Duration.seconds(3)
    private static let pause = Duration.milliseconds(20)
    /// Longer, so that devices that wait for a server do not keep it from starting again.
    private static let pauseAfterFailure = Duration.milliseconds(80)

    static func main() async {
        let arguments = CommandLine.arguments
        let environment = ProcessInfo.processInfo.environment
        guard arguments.count > 3, let url = URL(string: arguments[2]) else {
            say("PROBLEM usage: RestlessReplica FILE URL TABLE…")
            exit(64)
        }
        let parent = getppid()
        let device: RestlessDevice
        do {
            device = try RestlessDevice(
                path: arguments[1], tables: Array(arguments[3...]),
                hub: HTTPHubConnection(
                    url: url, secret: environment["MOORAGE_SECRET"],
                    transport: URLSessionTransport(idleTimeout: maximumSilence)),
                options: options(environment))
        } catch {
            say("PROBLEM \(error)")
            exit(74)
        }
        var replica: Replica?
        while getppid() == parent {
            var pause = pause
            do {
                if let replica {
                    try await device.sync(replica)
                } else {
                    replica = try await device.open()
                    say("open")
                }
            } catch let error as ReplicaError {
                pause = pauseAfterFailure
                // A fault comes with an error that says "again later". Anything else is a finding.
                if case .retry = error.recovery {
                    say("later \(error.code.rawValue)")
                } else {
                    say("PROBLEM \(error)")
                }
            } catch {
                say("PROBLEM \(error)")
            }
            do { try await Task.sleep(for: pause) } catch { return }
        }
    }

    private static func options(_ environment: [String: String]) -> ReplicaOptions {
        var options = ReplicaOptions()
        if let rows = environment["RESTLESS_PAGE_ROWS"].flatMap({ Int($0) }) {
            options.pageLimits.maximumRows = rows
        }
        if let rows = environment["RESTLESS_BATCH_ROWS"].flatMap({ Int($0) }) {
            options.maximumRowsPerBatch = rows
        }
        return options
    }

    /// Unbuffered: what it printed before a kill is there.
    static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
}

/// One file, and what must be true of it each time that it caught up.
struct RestlessDevice {
    private let tables: [String]
    private let hub: HTTPHubConnection
    private let options: ReplicaOptions
    private let database: DatabaseQueue

    init(path: String, tables: [String], hub: HTTPHubConnection, options: ReplicaOptions) throws {
        self.tables = tables
        self.hub = hub
        self.options = options
        var configuration = Configuration()
        configuration.busyMode = .timeout(30)
        database = try DatabaseQueue(path: path, configuration: configuration)
    }

    func open() async throws -> Replica {
        let isWhole = try await database.read { db in
            guard try db.tableExists("_moorage_meta") else { return false }
            return try Row.fetchOne(
                db,
                sql: "SELECT 1 FROM _moorage_meta WHERE name = 'clone' AND value IS NOT NULL")
                == nil
        }
        if isWhole {
            return try await Replica(
                database: database, hub: .direct(hub), tables: tables.map { .table($0) },
                options: options)
        }
        return try await Replica.clone(
            into: database, from: .direct(hub), tables: tables, options: options)
    }

    func sync(_ replica: Replica) async throws {
        let summary = try await replica.sync()
        guard summary.isCaughtUp else { return RestlessReplica.say("scans") }
        let problem = try await database.read { [self] in try self.problem($0) }
        if let problem { RestlessReplica.say("PROBLEM caught up, and \(problem)") }
        RestlessReplica.say("caught up \(summary.changesPushed) \(summary.rowsReceived)")
    }

    /// The office writes both rows of a pair in one transaction, and nobody else writes them.
    /// Foreign keys are valid where no change of the device is pending.
    private func problem(_ db: Database) throws -> String? {
        let pairs = try Row.fetchAll(
            db,
            sql: """
                SELECT l.id, l.token, r.token FROM pair_left l
                LEFT JOIN pair_right r ON r.id = l.id WHERE l.token IS NOT r.token
                """)
        guard pairs.isEmpty else { return "half a transaction: \(pairs[0])" }
        for table in tables {
            let sql = "SELECT 1 FROM _moorage_log_\(table) LIMIT 1"
            // The person went on: what is pending may explain a broken reference.
            if try Row.fetchOne(db, sql: sql) != nil { return nil }
        }
        let broken = try Row.fetchAll(db, sql: "PRAGMA foreign_key_check")
        return broken.isEmpty ? nil : "\(broken.count) broken foreign keys: \(broken[0])"
    }
}
