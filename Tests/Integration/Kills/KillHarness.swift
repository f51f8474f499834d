import Foundation
import MoorageTesting
import TestSupport

/// One central database and one replica. The harness kills their processes and starts them again.
final class KillHarness {
    static let itemCount = 3_000
    private let central: any KillableCentral
    private let folder: URL
    private var random: SeededGenerator
    private let replica: KillableReplica
    private var server: ChildProcess
    private var url: String
    private var next = 1_000_000
    /// The values that the device wrote. Each has to arrive once.
    private var written: Set<String> = []
    private var hits = 0
    /// How long an undisturbed exchange lasts. It becomes less when kills come too late, because
    /// the machine may have been slower during the measurement.
    private var usual = Duration.zero
    private(set) var report = Report()

    struct Report: CustomStringConvertible {
        var kills = 0
        /// The process was running when the kill came.
        var atWork = 0
        /// A transaction was open that had written.
        var inTransaction = 0
        /// A batch was sent and not answered.
        var inFlight = 0
        /// An edit was made while a batch was in flight.
        var afterLateEdit = 0

        mutating func add(_ other: Report) {
            kills += other.kills
            atWork += other.atWork
            inTransaction += other.inTransaction
            inFlight += other.inFlight
            afterLateEdit += other.afterLateEdit
        }

        var description: String {
            """
            \(kills) kills: \(atWork) at work, \(inTransaction) inside a transaction, \
            \(inFlight) with an in-flight batch, \(afterLateEdit) after an edit beside it
            """
        }
    }

    static func run(
        _ central: any KillableCentral, seed: UInt64, folder: URL,
        _ body: (KillHarness) async throws -> Void
    ) async throws -> Report {
        let harness = try await KillHarness(central, seed: seed, folder: folder)
        do {
            try await harness.warmUp()
            try await body(harness)
        } catch {
            await harness.server.stop()
            throw error
        }
        await harness.server.stop()
        return harness.report
    }

    private init(_ central: any KillableCentral, seed: UInt64, folder: URL) async throws {
        self.central = central
        self.folder = folder
        random = SeededGenerator(seed: seed)
        try central.create()
        let rows = (1...Self.itemCount).map { "(\($0), 'first', 0, 0)" }.joined(separator: ", ")
        try central.run("INSERT INTO item VALUES \(rows)")
        let environment = central.environment
        let attach = try ChildProcess(
            ["attach", central.argument, "--table", "item", "--table", "detail"],
            environment: environment, folder: folder)
        guard await attach.wait() == 0 else {
            throw ChildProcess.Failure(description: "attach: \(attach.text)")
        }
        let path = folder.appending(path: "replica.db").path
        (server, url) = try await ChildProcess.serve(
            central.argument, environment: central.environment, folder: folder)
        do {
            let clone = try ChildProcess(
                ["clone", url, path], environment: environment, folder: folder)
            guard await clone.wait() == 0 else {
                throw ChildProcess.Failure(description: "clone: \(clone.text)")
            }
            replica = try KillableReplica(path: path)
        } catch {
            await server.stop()
            throw error
        }
    }

    private func sync() throws -> ChildProcess {
        try ChildProcess(
            ["sync", replica.path, "--hub", url], environment: central.environment, folder: folder)
    }

    private func warmUp() async throws {
        for _ in 0..<2 {
            try edit("warm")
            try editCentrally("warm\(next)")
            let start = ContinuousClock.now
            try await converge()
            usual = ContinuousClock.now - start
        }
        if let problem = try problem() { throw ChildProcess.Failure(description: problem) }
    }

    // MARK: Work to be disturbed

    /// The user's transaction, with new rows, changed rows and a count.
    private func edit(_ name: String) throws {
        var statements: [String] = []
        func body() -> String {
            next += 1
            let body = "device-\(name)-\(next)"
            written.insert(body)
            return body
        }
        for _ in 0..<150 {
            statements.append("INSERT INTO item VALUES (\(next + 1), '\(body())', 0, 0)")
            let item = next
            statements.append("INSERT INTO detail VALUES (\(next + 1), \(item), '\(body())')")
        }
        let first = Int.random(in: 1...(Self.itemCount - 1_000), using: &random)
        for id in first..<(first + 1_000) where id.isMultiple(of: 2) {
            statements.append("UPDATE item SET body = '\(body())' WHERE id = \(id)")
        }
        hits += 1
        statements.append("UPDATE item SET hits = hits + 1 WHERE id = 2")
        try replica.run(statements.joined(separator: ";\n"))
        lastFirst = first
    }

    private var lastFirst = 1

    /// Edits rows that are in flight.
    private func editLate(_ name: String) throws {
        var statements: [String] = []
        for id in lastFirst..<(lastFirst + 60) where id.isMultiple(of: 2) {
            next += 1
            written.insert("late-\(name)-\(next)")
            statements.append("UPDATE item SET body = 'late-\(name)-\(next)' WHERE id = \(id)")
        }
        hits += 1
        statements.append("UPDATE item SET hits = hits + 1 WHERE id = 2")
        try replica.run(statements.joined(separator: ";\n"))
    }

    /// Changes every row at the centre, so that kills can interrupt pages.
    private func editCentrally(_ name: String) throws {
        try central.run(
            """
            UPDATE item SET n = n + 1,
              body = CASE WHEN id % 2 = 1 THEN 'hub-\(name)' ELSE body END
            """)
    }

    // MARK: Kills

    /// Kills a client at a random moment of its sync. Before every second kill it edits while a
    /// batch is in flight.
    func killClient(_ number: Int) async throws -> String? {
        try edit("\(number)")
        try editCentrally("\(number)")
        let client = try sync()
        let isLate = !number.isMultiple(of: 2)
        if isLate {
            while client.isRunning, try !replica.isInFlight() {
                try await Task.sleep(for: .milliseconds(2))
            }
            if try replica.isInFlight() {
                try editLate("\(number)")
                report.afterLateEdit += 1
            }
        }
        try await wait(isSeen: random.chance(60)) { KillableReplica.hasJournal(replica.path) }
        await record(client) { KillableReplica.hasJournal(replica.path) }
        if try replica.isInFlight() { report.inFlight += 1 }
        try await converge()
        return try problem()
    }

    /// Kills the server at a random moment of a push.
    func killServer(_ number: Int) async throws -> String? {
        try edit("\(number)")
        try editCentrally("\(number)")
        let client = try sync()
        try await wait(isSeen: random.chance(80)) { central.isPushing() }
        let wasPushing = central.isPushing()
        await record(server) { wasPushing || central.isPushing() }
        await client.wait()
        if try replica.isInFlight() { report.inFlight += 1 }
        (server, url) = try await ChildProcess.serve(
            central.argument, environment: central.environment, folder: folder)
        try await converge()
        return try problem()
    }

    private func record(_ process: ChildProcess, isInTransaction: () -> Bool) async {
        report.kills += 1
        guard await process.killNow() else {
            usual /= 2
            return
        }
        report.atWork += 1
        if isInTransaction() { report.inTransaction += 1 }
    }

    /// Waits until a random moment of the whole exchange, or a random time after `seen` becomes
    /// true.
    private func wait(isSeen: Bool, _ seen: () -> Bool) async throws {
        if isSeen {
            let deadline = ContinuousClock.now + usual * 3
            while !seen(), ContinuousClock.now < deadline {
                try await Task.sleep(for: .milliseconds(1))
            }
            let most = min(.milliseconds(60), usual / 4)
            return try await Task.sleep(for: most * Double.random(in: 0...1, using: &random))
        }
        try await Task.sleep(for: usual * Double.random(in: 0.05...1, using: &random))
    }

    /// Starts clients until one reports that it caught up. The session of a server that was killed
    /// may keep its locks for a while.
    private func converge() async throws {
        let end = ContinuousClock.now + Hang.limit
        var words: [String] = []
        while ContinuousClock.now < end {
            let client = try sync()
            if await client.wait() == 0, try replica.rows(Self.logged).first == ["0"] { return }
            words.append(client.text)
        }
        throw ChildProcess.Failure(description: "does not catch up: \(words.suffix(6))")
    }

    private static let logged = """
        SELECT (SELECT count(*) FROM _moorage_log_item) + (SELECT count(*) FROM _moorage_log_detail)
          + (SELECT count(*) FROM _moorage_inflight)
        """

    // MARK: Invariants

    private func problem() throws -> String? {
        for table in ["item", "detail"] {
            let query = "SELECT * FROM \(table) ORDER BY id"
            let (truth, mine) = (try central.rows(query), try replica.rows(query))
            if let difference = RowComparison.describe(table, truth: truth, copy: mine) {
                return difference
            }
        }
        guard try replica.rows("PRAGMA foreign_key_check").isEmpty else {
            return "broken foreign keys"
        }
        let trail = try central.rows(
            "SELECT body, count(*) FROM trail WHERE body LIKE 'device-%' OR body LIKE 'late-%' GROUP BY body"
        )
        let doubled = trail.filter { $0[1] != "1" }
        guard doubled.isEmpty else { return "written twice: \(doubled.prefix(3))" }
        let arrived = Set(trail.map { $0[0] })
        guard arrived == written else {
            return
                "lost: \(written.subtracting(arrived).prefix(3)), made up: \(arrived.subtracting(written).prefix(3))"
        }
        let counted = try central.rows("SELECT hits FROM item WHERE id = 2")
        guard counted == [[String(hits)]] else { return "counted \(counted), not \(hits)" }
        guard try replica.rows("SELECT * FROM _moorage_refused").isEmpty else {
            return "changes were refused"
        }
        guard try central.rows("SELECT * FROM moorage_conflict").isEmpty else {
            return "the replica had a conflict with itself"
        }
        return nil
    }
}
