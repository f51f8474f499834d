import Foundation
import Moorage
import MoorageCore
import MoorageHub

/// One run with writers, a hub and replicas on one database.
final class Torture: @unchecked Sendable {
    // `@unchecked`: one task at a time changes what can change.
    private let seed: UInt64
    private let centre: any Centre
    private let hub: Hub
    private let folder: TemporaryFolder
    private let writers: [Writer]
    private var replicas: [TorturedReplica] = []
    private var elapsed = 0.0
    private(set) var totals = Writer.Counts()

    init(seed: UInt64, centre: any Centre, folder: TemporaryFolder) async throws {
        self.seed = seed
        self.centre = centre
        self.folder = folder
        let owner = try centre.openSession()
        let preparation = TortureDialect(kind: centre.kind).preparation
        for statement in preparation + TortureSchema.statements + TortureSchema.fill(writers: 8) {
            try owner.run(statement)
        }
        var configuration = HubConfiguration()
        configuration.scopes = TortureSchema.scopes
        hub = Hub(database: try centre.connector(), configuration: configuration)
        _ = try await hub.attach()
        writers = try (1...8).map {
            Writer(
                number: $0, seed: seed, session: try centre.openSession(), kind: centre.kind)
        }
    }

    /// - Returns: The invariants that failed.
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
        // A cancelled sleep counts as finished.
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

    /// Clones devices while the writers already work. A scan of small pages may end only after
    /// them.
    private func pull(until deadline: ContinuousClock.Instant) async throws -> [String] {
        let (hub, folder, seed) = (hub, folder, seed)
        return try await withThrowingTaskGroup(of: (TorturedReplica, [String]).self) { group in
            for (index, pageRows) in [5_000, 1_000, 5_000, 300].enumerated() {
                // Two replicas see all areas, and two see one area.
                let areas = index.isMultiple(of: 2) ? TortureSchema.areas : [1 + index / 2]
                let principal = Principal(
                    subject: "user-\(index + 1)", claims: ["area": areas.map { String($0) }])
                group.addTask {
                    let replica = try await TorturedReplica.clone(
                        number: index + 1, seed: seed,
                        hub: .direct(hub.asSeen(by: principal)),
                        path: folder.path("replica-\(index + 1).db"),
                        pageRows: pageRows, isPushing: index >= 2, areas: areas)
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

    /// Lets every replica catch up after the writers stopped, and compares row by row.
    func differences() async throws -> [String] {
        var result: [String] = []
        // Twice, so that each replica sees what another one pushed last.
        for _ in 0..<2 {
            for replica in replicas {
                if let problem = try await replica.converge() { result.append(problem) }
            }
        }
        let owner = try centre.openSession()
        for replica in replicas {
            if let problem = try replica.problem() { result.append(problem) }
            for table in TortureSchema.tables {
                let query = TortureSchema.query(table, areas: replica.areas)
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

    /// The replicas that did nothing while the writers wrote. A run without their work proves
    /// nothing.
    var idle: [String] {
        replicas.flatMap { replica in
            let counts = replica.counts
            let parts = [
                ("caught up", counts.caughtUp), ("received", counts.received),
                ("pushed", replica.isPushing ? counts.pushed : 1),
            ]
            return parts.filter { $0.1 == 0 }.map { "replica \(replica.number) never \($0.0)" }
        }
    }

    var report: String {
        let rate = Int((Double(totals.commits) / elapsed).rounded())
        let lines = replicas.map { replica in
            let counts = replica.counts
            return """
                  replica \(replica.number): caught up \(counts.caughtUp) times, \
                \(counts.foreignKeyChecks) foreign key checks, \(counts.received) rows received, \
                \(counts.pushed) changes pushed, \(counts.refused) refused, \(counts.busy) times busy
                """
        }
        return """
            torture: \(centre.kind.rawValue): \(totals.commits) commits in \(Int(elapsed)) s = \(rate) a second; \
            \(totals.statements) statements, \(totals.rollbacks) rolled back, \
            \(totals.collisions) collisions, \(totals.heldOpen) held open
            \(lines.joined(separator: "\n"))
            """
    }
}
