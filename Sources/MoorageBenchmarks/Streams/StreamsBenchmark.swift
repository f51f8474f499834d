import Foundation
import Moorage
import MoorageAsyncHTTP
import MoorageCore
import MoorageWire

#if Server
    /// Opens many live streams while programs commit, mostly past the hub. It measures whether
    /// every stream gets every commit, how late, and how much memory the server uses.
    struct StreamsBenchmark {
        let plan: Plan

        private static let streams = 1_000
        /// Commits a second: past the hub, and by each device that pushes.
        private static let rates = (direct: 150, pushed: 5)
        private static let pushing = 10
        /// How many exchanges the server accepts at once before it refuses others as busy.
        private static let opening = 16
        private static let samples = 10

        func run(_ report: Report) async throws {
            try await PostgresScratch.with(report, orNote: "no streams") {
                try await run(report, $0)
            }
        }

        private func run(_ report: Report, _ scratch: PostgresScratch) async throws {
            let (_, process) = try await scratch.serve(Item.rows(1_000, seed: 9))
            defer { process.stop() }
            let schema = try await HTTPHubConnection(
                url: process.url, secret: ServerProcess.secret, transport: AsyncHTTPTransport()
            ).schema()
            let ledger = CommitLedger()
            let streams = (0..<Self.streams).map { _ in
                FollowingStream(process.url, schema, ledger)
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, stream) in streams.enumerated() {
                    group.addTask { await stream.follow() }
                    try await Self.wait {
                        await Self.open(streams[...number]) > number - Self.opening
                    }
                }
                try await Self.wait { await Self.open(streams[...]) == Self.streams }
                var pushers: [PushingWriter] = []
                for _ in 0..<Self.pushing { pushers.append(try await PushingWriter(process.url)) }
                let memory = try await withThrowingTaskGroup(of: Void.self) { [pushers] writers in
                    let (url, seconds) = (scratch.url, plan.seconds)
                    writers.addTask {
                        try await DirectWriter.write(
                            url, ledger, rate: Self.rates.direct, seconds: seconds)
                    }
                    for pusher in pushers {
                        writers.addTask {
                            try await pusher.write(
                                ledger, rate: Self.rates.pushed, seconds: seconds)
                        }
                    }
                    var memory: [Int] = []
                    for _ in 0..<Self.samples {
                        try await Task.sleep(for: .seconds(Double(seconds) / Double(Self.samples)))
                        memory.append(process.memory ?? 0)
                    }
                    try await writers.waitForAll()
                    return memory
                }
                let (commits, end) = (ledger.commits, ContinuousClock.now)
                // The report counts what never arrives as missing.
                try? await Self.wait { ledger.arrivals == commits * Self.streams }
                let rest = end.duration(to: .now)
                await tell(report, streams, ledger, commits: commits, memory, rest)
                group.cancelAll()
            }
        }

        private func tell(
            _ report: Report, _ streams: [FollowingStream], _ ledger: CommitLedger, commits: Int,
            _ memory: [Int], _ rest: Duration
        ) async {
            var (missing, repeated, endings, failures) = (0, 0, 0, [String: Int]())
            for stream in streams {
                missing += await stream.missing(of: commits)
                repeated += await stream.repeated
                endings += await stream.endings
                failures.merge(await stream.failures, uniquingKeysWith: +)
            }
            report.note(
                """
                ### \(Self.streams) streams, \(commits) commits in \(plan.seconds) s \
                (\(Self.rates.direct) a second past the hub, \(Self.pushing * Self.rates.pushed) pushed)

                | what | |
                |---|---|
                | commits a second | \(Report.text(Double(commits) / Double(plan.seconds), 1)) |
                | rows that should have come, in all streams | \(commits * Self.streams) |
                | missing | \(missing) |
                | came twice | \(repeated) |
                | from the beginning of a commit to a stream, p50 / p95 / p99 / p100 ms | \
                \([50, 95, 99, 100].map { String(ledger.percentile($0)) }.joined(separator: " / ")) |
                | after the last commit, until all had all, ms | \
                \(Report.text(rest / .milliseconds(1), 0)) |
                | streams that ended and were opened again | \(endings) |
                | failures | \(failures.isEmpty ? "none" : "\(failures)") |
                | the server's memory at each tenth, MiB | \
                \(memory.map { Report.text(Double($0) / 1_048_576, 0) }.joined(separator: ", ")) |
                """)
        }

        private static func open(_ streams: ArraySlice<FollowingStream>) async -> Int {
            var count = 0
            for stream in streams where await stream.isOpen { count += 1 }
            return count
        }

        private static func wait(until isDone: () async -> Bool) async throws {
            for _ in 0..<6_000 {
                if await isDone() { return }
                try await Task.sleep(for: .milliseconds(10))
            }
            throw BenchmarkFailure("It did not come to an end in a minute.")
        }
    }
#endif
