import Foundation
import GRDB
import Moorage
import MoorageTesting
import MoorageWire

/// One device: the app's file, which the test edits as its user, and the process that syncs it. The
/// process may end at any moment.
final class FireDevice {
    struct Options {
        var pageRows = 1_000
        var batchRows = 5_000
        /// The file's journal mode. Apps use both.
        var isWAL = false
    }

    struct Counts {
        var commits = 0
        var kills = 0
        /// A batch was sent and not answered when the process ended.
        var inFlight = 0
        /// The file was in a transaction that had written.
        var inTransaction = 0
        var caughtUp = 0
        var later = 0
        /// The process ended with Foundation's trap, which ``FireDevice/knownTrap`` names.
        var trapped = 0
    }

    /// Foundation's own trap on Linux, when a connection ends in good order in the middle of an
    /// answer's head. It loses no data and is not our fault, so the report counts it separately.
    static let knownTrap = "Transfer completed, but there's no response."

    let number: Int
    private(set) var ledger = DeviceLedger()
    private(set) var counts = Counts()
    private(set) var problems: [String] = []
    private let folder: URL
    private let path: String
    private let options: Options
    private let environment: [String: String]
    private var file: KillableReplica?
    private var process: ChildProcess?
    private var nextID: Int
    private var nextToken = 0

    static let program = ChildProcess.program("RestlessReplica")

    init(number: Int, folder: URL, environment: [String: String], options: Options) {
        self.number = number
        self.folder = folder
        self.environment = environment
        self.options = options
        path = folder.appending(path: "device-\(number).db").path
        nextID = number * 1_000_000
    }

    // MARK: The file

    /// Copies the central database before any fault begins.
    func clone(from url: String) async throws {
        let file = try KillableReplica(path: path)
        if options.isWAL {
            try await file.queue.writeWithoutTransaction {
                try $0.execute(sql: "PRAGMA journal_mode = WAL")
            }
        }
        _ = try await Replica.clone(
            into: file.queue, from: try hub(url), tables: FireSchema.tables,
            options: replicaOptions)
        self.file = file
    }

    private func hub(_ url: String) throws -> ReplicaHub {
        guard let url = URL(string: url) else {
            throw ChildProcess.Failure(description: "no URL: \(url)")
        }
        return .http(url, secret: KillSchema.secret)
    }

    private var replicaOptions: ReplicaOptions {
        var result = ReplicaOptions()
        result.pageLimits.maximumRows = options.pageRows
        result.maximumRowsPerBatch = options.batchRows
        return result
    }

    /// The file, once it has a whole copy.
    func wholeFile() throws -> KillableReplica? {
        if let file { return file }
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let found = try KillableReplica(path: path)
        let isThere = try !found.rows(
            "SELECT 1 FROM sqlite_master WHERE name = '_moorage_meta'"
        ).isEmpty
        guard isThere else { return nil }
        let isWhole = try found.rows(
            """
            SELECT 1 FROM _moorage_meta WHERE name = 'replica' AND NOT EXISTS (
              SELECT 1 FROM _moorage_meta WHERE name = 'clone' AND value IS NOT NULL)
            """)
        if !isWhole.isEmpty { file = found }
        return file
    }

    func rows(_ sql: String) throws -> [[String]] { try wholeFile()?.rows(sql) ?? [] }

    // MARK: The user

    /// Runs one transaction, and sometimes rolls it back at its end.
    ///
    /// - Returns: The rows that it made.
    func edit(
        statements: Int, known: [String: [Int]], random: SeededGenerator, padding: String = ""
    ) throws -> [DeviceLedger.Row] {
        guard let file = try wholeFile() else { return [] }
        var edits = DeviceEdits(
            device: number, known: known, random: random, nextID: nextID, nextToken: nextToken,
            ledger: ledger)
        var isKept = true
        try file.queue.inTransaction(.immediate) { db in
            for _ in 0..<statements { try edits.statement(db, padding: padding) }
            isKept = !edits.random.chance(6)
            return isKept ? .commit : .rollback
        }
        // Ids and values are never used again, not even after a rollback.
        (nextID, nextToken) = (edits.nextID, edits.nextToken)
        guard isKept else { return [] }
        ledger = edits.ledger
        counts.commits += 1
        return edits.made
    }

    // MARK: The process

    var isRunning: Bool { process?.isRunning == true }

    func startSyncing(_ url: String) throws {
        guard process == nil else { return }
        var environment = environment
        environment["RESTLESS_PAGE_ROWS"] = String(options.pageRows)
        environment["RESTLESS_BATCH_ROWS"] = String(options.batchRows)
        process = try ChildProcess(
            [path, url] + FireSchema.tables, environment: environment, folder: folder,
            program: Self.program)
    }

    /// Kills the process.
    func killNow() async throws {
        guard process != nil else { return }
        try await stopSyncing()
        counts.kills += 1
        if KillableReplica.hasJournal(path) { counts.inTransaction += 1 }
        if try wholeFile()?.isInFlight() == true { counts.inFlight += 1 }
    }

    /// Ends the process without counting a kill.
    func stopSyncing() async throws {
        guard let process else { return }
        let wasRunning = await process.killNow()
        self.process = nil
        let text = process.text
        let isTrapped = !wasRunning && text.contains(Self.knownTrap)
        if isTrapped { counts.trapped += 1 }
        if !wasRunning, !isTrapped {
            problems.append("device \(number): its process ended by itself")
        }
        for line in text.split(separator: "\n") {
            if isTrapped, line.contains(Self.knownTrap) { break }
            if line.hasPrefix("caught up") {
                counts.caughtUp += 1
            } else if line.hasPrefix("later") {
                counts.later += 1
            } else if line != "open", line != "scans" {
                problems.append("device \(number): \(line)")
            }
        }
        try process.removeOutput()
    }

    // MARK: At the end

    /// Runs one sync in this process, on a file that no other process uses.
    ///
    /// - Returns: Whether something was done, or was left to do.
    func sync(_ url: String) async throws -> Bool {
        guard let file = try wholeFile() else { return true }
        let replica = try await Replica(
            database: file.queue, hub: try hub(url), tables: FireSchema.tables.map { .table($0) },
            options: replicaOptions)
        let summary = try await replica.sync()
        let status = replica.status
        return !summary.isCaughtUp || summary.changesPushed > 0 || summary.rowsReceived > 0
            || summary.rowsRemoved > 0 || status.pendingCount > 0 || status.deferredCount > 0
    }

    /// The rows in our own tables of the file that should be gone.
    func leftOvers() throws -> [String] {
        let logs = FireSchema.tables.map { "_moorage_log_\($0)" }
        let names = logs + ["_moorage_inflight", "_moorage_applying", "_moorage_deferred"]
        return try names.compactMap { name in
            let count = try rows("SELECT count(*) FROM \(name)").first?.first ?? "?"
            return count == "0" ? nil : "device \(number): \(count) rows in \(name)"
        }
    }
}
