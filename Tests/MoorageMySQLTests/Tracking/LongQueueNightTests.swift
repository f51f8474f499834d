import Foundation
import TestSupport
import Testing

extension Night {
    @Suite(
        "A long queue beside writers", .ownThreads, .enabled(if: !MySQLServer.all.isEmpty),
        .night(.torture))
    struct LongQueueBesideWriters {
        /// The most writes until the row that a device waits for arrives: some 400 are usual.
        private static let mostWrites = 4_000

        @Test(arguments: MySQLServer.first)
        func `keeps no device from what others write`(server: MySQLServer) async {
            let name = "a long queue on \(server)"
            var writes = 0
            let rounds = await NightPlan.rounds(of: name) { _ in
                let round = try await Self.round(server)
                writes += round.writes
                return round.problems
            }
            NightPlan.figures("\(name): \(rounds) rounds, \(writes) writes of 6,000 rows")
        }

        /// - Returns: How often the others wrote, and what was wrong.
        private static func round(
            _ server: MySQLServer
        ) async throws -> (writes: Int, problems: [String]) {
            let rows = (1...12_000).map { "(\($0), 0)" }.joined(separator: ", ")
            var writes = 0
            var problems: [String] = []
            try await Devices.run(
                server,
                """
                CREATE TABLE p (id INT PRIMARY KEY, n INT NOT NULL) #; INSERT INTO p VALUES \(rows);
                CREATE TABLE news (id INT PRIMARY KEY) #
                """
            ) { devices in
                let a = try await devices.clone("A", ["news", "p"])
                let writers = [0, 1].map {
                    Writer(devices.subject, "UPDATE p SET n = n + 1 WHERE id % 2 = \($0)")
                }
                try devices.owner.plain("INSERT INTO news VALUES (1)")
                let synced = a.beginSync()
                var hasCome = false
                while !hasCome, writers.map(\.count).reduce(0, +) < mostWrites {
                    try await Task.sleep(for: .milliseconds(20))
                    hasCome = try await a.cell("SELECT count(*) FROM news") == "1"
                }
                for writer in writers { writes += try writer.stop() }
                if !hasCome { problems.append("the row did not come within \(writes) writes") }
                if let error = await synced.value { problems.append("the sync failed: \(error)") }
                problems += try await devices.differences(a)
            }
            return (writes, problems)
        }
    }
}

/// A program that goes on by itself until it is ended.
///
/// `@unchecked Sendable`: the failure is the thread's until it has ended, the rest is behind the
/// lock.
private final class Writer: @unchecked Sendable {
    private let done = DispatchSemaphore(value: 0)
    private let lock = NSLock()
    private var isOver = false
    private var writes = 0
    private var failure: (any Error)?

    init(_ subject: MySQLSubject, _ statement: String) {
        Thread.detachNewThread { [self] in
            do {
                let session = try subject.session()
                while !(lock.withLock { isOver }) {
                    try session.plain(statement)
                    lock.withLock { writes += 1 }
                }
            } catch { failure = error }
            done.signal()
        }
    }

    var count: Int { lock.withLock { writes } }

    /// - Returns: How often it has written.
    func stop() throws -> Int {
        lock.withLock { isOver = true }
        done.wait()
        if let failure { throw failure }
        return writes
    }
}
