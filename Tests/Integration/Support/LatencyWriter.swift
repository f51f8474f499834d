import Foundation
import MoorageTesting

/// Writes one row after the other, each in a transaction of its own, and records how long each
/// took.
///
/// The table has the columns `id`, `n` and `body`. All others may be left out of an insert.
final class LatencyWriter: @unchecked Sendable {
    // `@unchecked`: only the thread writes `waits` until it has ended.
    private let session: any OwnerSession
    private let table: String
    private let rows: Int
    private let number: Int
    private var random: SeededGenerator
    private let lock = NSLock()
    private var isStopped = false
    private var waits: [(at: ContinuousClock.Instant, seconds: Double)] = []

    /// - Parameters:
    ///   - number: Which of at most eight writers it is.
    ///   - rows: The table's keys are from 0 to twice this number.
    init(number: Int, seed: UInt64, table: String, rows: Int, session: any OwnerSession) {
        self.number = number
        self.table = table
        self.rows = rows
        self.session = session
        random = SeededGenerator(seed: seed &* 1_000 &+ UInt64(number))
    }

    /// Opens the sessions of eight writers.
    static func eight(
        on centre: any Centre, table: String, rows: Int, seed: UInt64
    ) throws -> [LatencyWriter] {
        try (1...8).map { number in
            let session = try centre.openSession()
            // The time-out of a server by default. A session that soon gave up would hide how long
            // it waited.
            if centre.kind == .mariadb {
                try session.run("SET SESSION innodb_lock_wait_timeout = 50")
            }
            return LatencyWriter(
                number: number, seed: seed, table: table, rows: rows, session: session)
        }
    }

    func stop() { lock.withLock { isStopped = true } }

    /// The longest of the waits that began within this time, in seconds. Call it after the end.
    func longest(from start: ContinuousClock.Instant, to end: ContinuousClock.Instant) -> Double {
        waits.filter { $0.at >= start && $0.at < end }.map(\.seconds).max() ?? 0
    }

    /// How many statements it ran. Call it after the end.
    var count: Int { waits.count }

    /// Works on a thread of its own until ``stop()``.
    func start() -> Task<Void, any Error> {
        let (ends, continuation) = AsyncStream.makeStream(of: (any Error)?.self)
        Thread.detachNewThread { [self] in
            do {
                while !lock.withLock({ isStopped }) {
                    let start = ContinuousClock.now
                    do { try session.run(statement()) } catch let error as any OwnerFailure
                        where error.isExpected
                    {}
                    waits.append((start, (ContinuousClock.now - start) / .seconds(1)))
                    Thread.sleep(forTimeInterval: 0.003)
                }
                continuation.yield(nil)
            } catch {
                continuation.yield(error)
            }
        }
        return Task {
            var iterator = ends.makeAsyncIterator()
            if let failure = await iterator.next(), let failure { throw failure }
        }
    }

    private func statement() -> String {
        let id = Int.random(in: 0...(rows * 2), using: &random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<6: return "UPDATE \(table) SET n = n + 1 WHERE id = \(id)"
        case 6..<8: return "DELETE FROM \(table) WHERE id = \(id)"
        case 8: return "INSERT INTO \(table) (id, n, body) VALUES (\(id), 1, 'new')"
        default:
            // Each writer has keys of its own, above all others.
            let other = rows * 3 + id * 8 + number
            return "UPDATE \(table) SET id = \(other) WHERE id = \(id)"
        }
    }
}
