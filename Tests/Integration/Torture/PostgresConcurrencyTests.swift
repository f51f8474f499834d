import Foundation
import Moorage
import MoorageHub
import MooragePostgres
import Testing

/// Eight writers beside four replicas (docs/design.md, 5.2): no change is missed, and every state
/// that a replica caught up with really was.
@Suite(.enabled(if: WriterDatabase.isThere), .serialized)
struct `Concurrency on PostgreSQL` {
    static let seconds: Double = WriterDatabase.isNightly ? 120 : 10
    static let requiredCommitsPerSecond = 200.0

    @Test func `writers and replicas at once miss nothing and see whole transactions`()
        async throws
    {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["MOORAGE_SEED"].flatMap { UInt64($0) } ?? .random(in: 1...1_000_000)
        print("torture: MOORAGE_SEED=\(seed)")
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "moorage-torture-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try await WriterDatabase.with { database in
            let torture = try await Torture(seed: seed, database: database, folder: folder)
            let problems = try await torture.run(seconds: Self.seconds)
            #expect(problems.isEmpty, "MOORAGE_SEED=\(seed)")
            let differences = try await torture.differences()
            #expect(differences.isEmpty, "MOORAGE_SEED=\(seed)")
            print(torture.report)
            if WriterDatabase.isNightly {
                #expect(torture.commitsPerSecond >= Self.requiredCommitsPerSecond)
            }
        }
        try FileManager.default.removeItem(at: folder)
    }
}

/// One run: writers, a hub and replicas on one database.
final class Torture: @unchecked Sendable {
    // `@unchecked`: one task at a time changes what can change.
    private let seed: UInt64
    private let database: WriterDatabase
    private let hub: Hub
    private let folder: URL
    private let writers: [Writer]
    private var replicas: [TorturedReplica] = []
    private var elapsed = 0.0
    private var totals = Writer.Counts()

    init(seed: UInt64, database: WriterDatabase, folder: URL) async throws {
        self.seed = seed
        self.database = database
        self.folder = folder
        let owner = try database.open()
        for statement in TortureSchema.statements + TortureSchema.fill(writers: 8) {
            try owner.run(statement)
        }
        hub = Hub(database: try PostgresDatabase(url: database.url))
        _ = try await hub.attach()
        writers = try (1...8).map {
            try Writer(number: $0, seed: seed, link: try database.open())
        }
    }

    var commitsPerSecond: Double { Double(totals.commits) / elapsed }

    /// - Returns: What did not hold.
    func run(seconds: Double) async throws -> [String] {
        let deadline = ContinuousClock.now + .seconds(seconds)
        async let counts = write(until: deadline)
        let problems: [String]
        do {
            problems = try await pull(until: deadline)
        } catch {
            for writer in writers { writer.stop() }
            throw error
        }
        (totals, elapsed) = await counts
        return problems + (totals.failure.map { [$0] } ?? [])
    }

    private func write(until deadline: ContinuousClock.Instant) async -> (Writer.Counts, Double) {
        let (ends, continuation) = AsyncStream.makeStream(of: Writer.Counts.self)
        let start = ContinuousClock.now
        for writer in writers { writer.start { continuation.yield($0) } }
        // Cancelled is as good as over.
        try? await Task.sleep(until: deadline, clock: .continuous)
        for writer in writers { writer.stop() }
        var totals = Writer.Counts()
        var iterator = ends.makeAsyncIterator()
        for _ in writers {
            guard let counts = await iterator.next() else { break }
            totals.add(counts)
        }
        return (totals, (ContinuousClock.now - start) / .seconds(1))
    }

    /// The clones begin when the writers are under way already; a walk of small pages may end only
    /// after them.
    private func pull(until deadline: ContinuousClock.Instant) async throws -> [String] {
        let (hub, folder, seed) = (hub, folder, seed)
        return try await withThrowingTaskGroup(of: (TorturedReplica, [String]).self) { group in
            for (index, pageRows) in [5_000, 1_000, 5_000, 300].enumerated() {
                group.addTask {
                    let replica = try await TorturedReplica.clone(
                        number: index + 1, seed: seed, hub: .direct(hub),
                        path: folder.appending(path: "replica-\(index + 1).db").path,
                        pageRows: pageRows, isPushing: index >= 2)
                    var problems: [String] = []
                    while ContinuousClock.now < deadline, problems.count < 5 {
                        if let problem = try await replica.step() { problems.append(problem) }
                    }
                    return (replica, problems)
                }
            }
            var problems: [String] = []
            for try await (replica, found) in group {
                replicas.append(replica)
                problems += found
            }
            replicas.sort { $0.number < $1.number }
            return problems
        }
    }

    /// Lets everyone catch up with the writers at rest, and compares row by row.
    func differences() async throws -> [String] {
        var result: [String] = []
        // Twice: what one of them pushed last, the others have to see.
        for _ in 0..<2 { for replica in replicas { try await replica.settle() } }
        let owner = try database.open()
        for replica in replicas {
            if let problem = try replica.problem() { result.append(problem) }
            for table in TortureSchema.tables {
                let query = "SELECT * FROM \(table) ORDER BY 1, 2"
                let (truth, mine) = (try owner.run(query), try replica.rows(query))
                if let difference = RowComparison.describe(
                    "replica \(replica.number).\(table)", truth: truth, copy: mine)
                {
                    result.append(difference)
                }
            }
            for difference in try await replica.verify() {
                result.append("replica \(replica.number): verify: \(difference)")
            }
            let entries = try owner.number(
                "SELECT count(*) FROM device_entry WHERE device = \(replica.number)")
            if entries != replica.counts.entries {
                result.append(
                    "replica \(replica.number): \(replica.counts.entries) entries made, \(entries) arrived"
                )
            }
        }
        let committed = try owner.number("SELECT count(*) FROM ledger")
        if committed != totals.commits {
            result.append("the ledger has \(committed) rows for \(totals.commits) commits")
        }
        return result
    }

    var report: String {
        let rate = Int(commitsPerSecond.rounded())
        let lines = replicas.map { replica in
            let counts = replica.counts
            return """
                  replica \(replica.number): caught up \(counts.caughtUp) times, \
                \(counts.foreignKeyChecks) foreign key checks, \(counts.received) rows received, \
                \(counts.pushed) changes pushed, \(counts.refused) refused, \(counts.busy) times busy
                """
        }
        return """
            torture: \(totals.commits) commits in \(Int(elapsed)) s = \(rate) a second; \
            \(totals.statements) statements, \(totals.rollbacks) rolled back, \
            \(totals.collisions) collisions, \(totals.heldOpen) held open
            \(lines.joined(separator: "\n"))
            """
    }
}
