import Foundation
import Moorage
import MoorageCore
import MoorageWire

#if Server
    /// Measures what live streams cost while nothing happens, and what a commit costs that the hub
    /// sends to them.
    struct StreamCosts {
        typealias Line = (name: String, times: Int, cost: Counters)

        let folder: URL

        private static let seconds = 15
        private static let commits = 20
        private static let shared = [1, 100, 500]
        private static let apart = [10, 100]

        /// - Returns: The costs of a minute of idle streams, and of one commit.
        func lines() async throws -> (idle: [Line], told: [Line]) {
            var (idle, told): ([Line], [Line]) = ([], [])
            try await CostWorld.with(CostShape(), folder: folder) { world, meter in
                idle.append(("no stream", 1, try await minute(meter)))
                let device = try await CostDevice(
                    world.connection(user: nil), of: world.shape)
                for count in Self.shared {
                    try await device.catchUp()
                    var openings: [(ExchangeRequest, HTTPHubConnection)] = []
                    for _ in 0..<count {
                        openings.append((await device.opening(), world.connection(user: nil)))
                    }
                    let streams = OpenStreams(openings)
                    try await streams.waitForPages(count)
                    idle.append(
                        ("\(count) streams of one scope", 1, try await minute(meter)))
                    let cost = try await commits(world, meter, [0], streams, telling: count)
                    told.append(("1 row, told to \(count) of one scope", Self.commits, cost))
                    await streams.close()
                }
            }
            for count in Self.apart {
                let shape = CostShape(rows: 1_000, tenants: 100, users: count)
                try await CostWorld.with(shape, folder: folder) { world, meter in
                    var openings: [(ExchangeRequest, HTTPHubConnection)] = []
                    for user in 0..<count {
                        let device = try await CostDevice(
                            world.connection(user: user), of: shape)
                        openings.append((await device.opening(), world.connection(user: user)))
                    }
                    let streams = OpenStreams(openings)
                    try await streams.waitForPages(count)
                    idle.append(
                        ("\(count) streams of \(count) scopes", 1, try await minute(meter)))
                    let one = try await commits(world, meter, [0], streams, telling: 1)
                    told.append(
                        ("1 row, told to 1 of \(count) streams", Self.commits, one))
                    let all = try await commits(
                        world, meter, Array(0..<count), streams, telling: count)
                    told.append(
                        (
                            "\(count) rows, told to \(count) streams of a scope each",
                            Self.commits, all
                        ))
                    await streams.close()
                }
            }
            return (idle, told)
        }

        private func minute(_ meter: Meter) async throws -> Counters {
            // Idle PostgreSQL backends that opened the streams report their statistics after ten
            // seconds.
            try await Task.sleep(for: .seconds(11))
            let used = try await meter.measure(1) {
                try await Task.sleep(for: .seconds(Self.seconds))
            }
            return used / (Double(Self.seconds) / 60)
        }

        private func commits(
            _ world: CostWorld, _ meter: Meter, _ rows: [Int], _ streams: OpenStreams,
            telling count: Int
        ) async throws -> Counters {
            try await meter.measure(Self.commits, aside: [world.central]) {
                for _ in 0..<Self.commits {
                    try world.edit(rows)
                    try await streams.waitForPages(count)
                }
            }
        }
    }
#endif
