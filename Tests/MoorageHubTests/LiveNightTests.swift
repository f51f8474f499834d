import Moorage
import MoorageHub
import TestSupport
import Testing

extension Night {
    @Suite("Live streams beside writers", .ownThreads, .night(.torture))
    struct LiveStreamsBesideWriters {
        @Test func `miss nothing, whoever writes and however slow they are`() async throws {
            let rounds = await NightPlan.rounds(of: "live streams beside writers") { seed in
                var problems: [String] = []
                for rows in [1, 7, 1_000] {
                    problems += try await LiveRace(rows: rows, writers: 3, seed: seed).run()
                        .map { "pages of \(rows) rows: \($0)" }
                }
                return problems
            }
            NightPlan.figures(
                """
                live streams beside writers: \(rounds) rounds from seed \(NightPlan.current.seed), \
                \(rounds * 9 * LiveRace.commits) commits
                """)
        }
    }

    /// By the real clock. The gate has the same with one that is moved by hand: `A live stream that is
    /// over` and `The loop of a replica`.
    @Suite("Replicas with live streams that end", .ownThreads, .night(.soak))
    struct ReplicasWithLiveStreamsThatEnd {
        @Test func `notice that the other side went silent, and connect again`() async throws {
            let rounds = await NightPlan.rounds(of: "live streams that fall silent") { _ in
                let bench = try await LiveBench { $0.heartbeat = .milliseconds(100) }
                let device = try await LiveReplica(bench.hub)
                await device.replica.start()
                try await eventually("it is live") { device.isLive }
                let before = device.way.live.value
                device.way.fault.value = .silent
                try bench.sql("INSERT INTO note VALUES (1, NULL, 'one')")
                try await eventually("it has come all the same") {
                    try await device.notes()[1] == "one"
                }
                device.way.fault.value = .none
                try await eventually("it is live again") { device.isLive }
                let isBack = device.way.live.value > before
                await device.replica.stop()
                let left = device.way.underWay.value
                return (isBack ? [] : ["it kept the silent stream"])
                    + (left > 0 ? ["\(left) exchanges are left after its stop"] : [])
            }
            NightPlan.figures("live streams that fell silent: \(rounds)")
        }

        @Test func `are told to stay away, and come back`() async throws {
            let rounds = await NightPlan.rounds(of: "live streams whose time is over") { _ in
                let bench = try await LiveBench { $0.maximumLife = .milliseconds(1_100) }
                let device = try await LiveReplica(bench.hub)
                await device.replica.start()
                try await eventually("it is live") { device.isLive }
                let before = device.way.live.value
                try await eventually("its time was over") { device.way.live.value > before }
                try await eventually("it is live again") { device.isLive }
                try bench.sql("INSERT INTO note VALUES (1, NULL, 'one')")
                try await eventually("it goes on") { try await device.notes()[1] == "one" }
                let error = device.replica.status.lastError
                await device.replica.stop()
                return error.map { ["\($0)"] } ?? []
            }
            NightPlan.figures("live streams whose time was over: \(rounds)")
        }
    }
}
