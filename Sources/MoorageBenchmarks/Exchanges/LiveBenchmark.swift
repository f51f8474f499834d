import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageSupport
import MoorageWire

#if Server
    import MoorageAsyncHTTP

    /// Measures how long a commit on one device takes to become a commit on another one, over a
    /// live server. It compares this with the shortest way in the same PostgreSQL: an update, its
    /// commit, and a notification.
    struct LiveBenchmark {
        let plan: Plan
        let folder: URL

        private static let times = 200
        private static let streams = 500
        /// How many exchanges the server accepts at once before it refuses others as busy.
        private static let opening = 16

        func run(_ report: Report) async throws {
            try await PostgresScratch.with(report, orNote: "no live server") {
                try await run(report, $0)
            }
        }

        private func run(_ report: Report, _ scratch: PostgresScratch) async throws {
            let items = Item.rows(1_000, seed: 9)
            let (link, process) = try await scratch.serve(items)
            defer { process.stop() }
            let yardstick = try NotifyYardstick(scratch, link)
            try await latency(report, process, yardstick, items)
            try await memory(report, process)
        }

        // MARK: Latency

        private func latency(
            _ report: Report, _ process: ServerProcess, _ yardstick: NotifyYardstick,
            _ items: [Item]
        ) async throws {
            let writer = try await Device(folder, process)
            let reader = try await Device(folder, process)
            try await writer.follow()
            try await reader.follow()
            var (notified, synced): ([Double], [Double]) = ([], [])
            for number in 0..<Self.times {
                notified.append(try await yardstick.measure())
                let id = items[number % items.count].id
                let note = "edit \(number)"
                synced.append(
                    try await Cost.measure {
                        try await writer.write(note, in: id)
                        try await reader.waitFor(note, in: id)
                    }.wall)
                // Longer than the interval between pushes, so that both devices are idle at the
                // next edit.
                try await Task.sleep(for: .milliseconds(250))
            }
            await writer.stop()
            await reader.stop()
            report.latencies(
                "from a commit on one device to the commit on another, over a live server",
                [(NotifyYardstick.name, notified), ("device to device", synced)])
        }

        // MARK: Memory

        /// Measures the server's memory with idle live streams without TLS.
        private func memory(_ report: Report, _ process: ServerProcess) async throws {
            guard let before = process.memory else {
                return report.note("This system does not tell of memory in /proc.")
            }
            let url = process.url
            @Sendable func connection() -> HTTPHubConnection {
                HTTPHubConnection(
                    url: url, secret: ServerProcess.secret, transport: AsyncHTTPTransport())
            }
            let schema = try await connection().schema()
            let open = OpenCount()
            let peak = try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<Self.streams {
                    while await number - open.count >= Self.opening {
                        if let failure = await open.failure { throw failure }
                        try await Task.sleep(for: .milliseconds(5))
                    }
                    group.addTask {
                        let request = ExchangeRequest(
                            replica: UUID().uuidString.lowercased(), hub: schema.hub,
                            sentAt: DeviceTime(.now),
                            tables: [Item.table], cursor: .start,
                            schemaVersion: schema.schema.version, batch: nil,
                            limits: PageLimits()
                        ).live
                        // Each stream has its own transport, as devices do: one transport opens few
                        // connections to a server.
                        do {
                            try await connection().exchange(request) { frame in
                                if case .page(let page) = frame, page.isCaughtUp {
                                    await open.add()
                                }
                            }
                        } catch {
                            await open.failed(error)
                        }
                    }
                }
                for _ in 0..<600 where await open.count < Self.streams {
                    try await Task.sleep(for: .milliseconds(100))
                }
                try await Task.sleep(for: .seconds(1))
                let peak = process.memory ?? 0
                group.cancelAll()
                return peak
            }
            guard await open.count == Self.streams else {
                return report.note("Only \(await open.count) of \(Self.streams) streams opened.")
            }
            report.memory(
                "the server's memory with \(Self.streams) idle streams, plain HTTP",
                [("in all", before, peak)])
            report.note("\((peak - before) / Self.streams / 1024) KiB a stream")
        }
    }

    private actor OpenCount {
        private(set) var count = 0
        private(set) var failure: (any Error)?
        func add() { count += 1 }
        func failed(_ error: any Error) { failure = failure ?? error }
    }

    /// A device with a database file and a running replica.
    private final class Device: Sendable {
        private let pool: DatabasePool
        private let replica: Replica
        private let commits: AsyncStream<Void>
        private let observation: AnyDatabaseCancellable
        private let running: Task<Void, Never>

        init(_ folder: URL, _ process: ServerProcess) async throws {
            let path = folder.appending(path: "live-\(UUID().uuidString).db").path
            let pool = try DatabasePool(path: path)
            let hub = HTTPHubConnection(
                url: process.url, secret: ServerProcess.secret, transport: AsyncHTTPTransport())
            let replica = try await Replica.clone(
                into: pool, from: .direct(hub), tables: ["item"])
            let (commits, commit) = AsyncStream.makeStream(
                of: Void.self, bufferingPolicy: .bufferingNewest(1))
            observation = DatabaseRegionObservation(tracking: Table("item")).start(
                in: pool, onError: { _ in }, onChange: { _ in commit.yield() })
            running = Task { try? await replica.run() }
            self.pool = pool
            self.replica = replica
            self.commits = commits
        }

        func follow() async throws {
            for await status in replica.statuses() where status.isLive { return }
        }

        func write(_ note: String, in id: String) async throws {
            try await pool.write {
                try $0.execute(
                    sql: "UPDATE item SET note = ? WHERE id = ?", arguments: [note, id])
            }
        }

        func waitFor(_ note: String, in id: String) async throws {
            for await _ in commits {
                let found = try await pool.read {
                    try String.fetchOne(
                        $0, sql: "SELECT note FROM item WHERE id = ?", arguments: [id])
                }
                if found == note { return }
            }
        }

        func stop() async {
            observation.cancel()
            running.cancel()
            await running.value
        }
    }
#endif
