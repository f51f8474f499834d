import Foundation
import GRDB
import Moorage
import MoorageHub
import MoorageTesting
import TestSupport
import Testing

extension Night {
    /// Attaches a database while others write to it (docs/decisions/0035).
    ///
    /// The databases follow each other, because the tests measure how long writers wait.
    @Suite("Attaching beside writers", .ownThreads, .serialized, .night(.large))
    struct AttachingBesideWriters {
        private static let rows = isNightly ? 1_000_000 : 50_000

        /// How many seconds longer a writer may wait than its longest wait in the same run before
        /// the attach.
        private static let bearable = 1.0

        @Test(arguments: CentreKind.available)
        func `keeps nobody waiting, and misses nothing`(kind: CentreKind) async throws {
            let centre = try kind.make()
            do {
                if kind == .sqlite { try centre.execute("PRAGMA journal_mode = WAL") }
                try Self.fill(centre)
                let seed = NightPlan.current.seed
                print("attach on \(kind.rawValue): MOORAGE_SEED=\(seed)")
                let hub = Hub(database: try centre.connector())
                let writers = try LatencyWriter.eight(
                    on: centre, table: "big", rows: Self.rows, seed: seed)
                try await Self.attach(hub, beside: writers, kind, seed)
                let central = try centre.connector()
                try central.perform { try $0.numberChanges() }
                let tracked = "SELECT count(*) FROM moorage_track_1_big WHERE live"
                #expect(
                    try centre.count(tracked) == centre.count("SELECT count(*) FROM big"),
                    "MOORAGE_SEED=\(seed)")
                // `+` removes the column's type. Otherwise SQLite cannot look keys up in the
                // tracking table, whose columns have no type.
                let missing = """
                    SELECT count(*) FROM big b WHERE NOT EXISTS (
                      SELECT 1 FROM moorage_track_1_big r WHERE r.k0 = +b.id AND r.live)
                    """
                #expect(try centre.count(missing) == 0, "MOORAGE_SEED=\(seed)")
                try await Self.clone(centre, hub, seed)
            } catch {
                try centre.close()
                throw error
            }
            try centre.close()
        }

        /// Attaches while the writers write, and measures how long they wait.
        private static func attach(
            _ hub: Hub, beside writers: [LatencyWriter], _ kind: CentreKind, _ seed: UInt64
        ) async throws {
            let ends = writers.map { $0.start() }
            let calm = ContinuousClock.now
            try await Task.sleep(for: .seconds(isNightly ? 20 : 3))
            let start = ContinuousClock.now
            _ = try await hub.attach()
            let end = ContinuousClock.now
            try await Task.sleep(for: .milliseconds(500))
            for writer in writers { writer.stop() }
            for end in ends { try await end.value }
            let before = writers.map { $0.longest(from: calm, to: start) }.max() ?? 0
            let during = writers.map { $0.longest(from: start, to: end) }.max() ?? 0
            NightPlan.figures(
                """
                attach on \(kind.rawValue): \(rows) rows in \(milliseconds(end - start)) ms beside 8 \
                writers; a writer waited \(Int(before * 1_000)) ms at most before, \
                \(Int(during * 1_000)) ms meanwhile
                """)
            // With few rows the figures depend on the machine's other work, so the test only prints
            // them.
            if isNightly { #expect(during < before + bearable, "MOORAGE_SEED=\(seed)") }
        }

        /// Clones a device, and expects the central rows on it.
        private static func clone(_ centre: any Centre, _ hub: Hub, _ seed: UInt64) async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let file = try DatabaseQueue(path: folder.path("device.db"))
            let start = ContinuousClock.now
            _ = try await Replica.clone(into: file, from: .direct(hub), tables: ["big"])
            let time = milliseconds(ContinuousClock.now - start)
            NightPlan.figures("clone from \(centre.kind.rawValue): \(rows) rows in \(time) ms")
            for sum in ["count(*)", "sum(id)", "sum(n)", "sum(length(body))"] {
                let sql = "SELECT \(sum) FROM big"
                let own = try await file.read { try String.fetchOne($0, sql: sql) }
                #expect(try own == centre.text(sql), "\(sum), MOORAGE_SEED=\(seed)")
            }
        }

        private static func milliseconds(_ time: Duration) -> Int { Int(time / .milliseconds(1)) }

        private static func fill(_ centre: any Centre) throws {
            try centre.execute(
                """
                CREATE TABLE big (id bigint NOT NULL PRIMARY KEY, n bigint NOT NULL, body VARCHAR(60))
                """)
            for start in stride(from: 0, to: rows, by: 1_000) {
                // The keys are in no order, so that attaching has to sort them.
                let values = (1...1_000).map { "(\(key(start + $0)), 0, 'row \(start + $0)')" }
                try centre.execute("INSERT INTO big VALUES \(values.joined(separator: ", "))")
            }
        }

        /// Scatters the numbers: each place gets a key of its own.
        private static func key(_ place: Int) -> Int { place * 7_919 % (rows * 2 + 1) }
    }
}
