import Foundation
import MoorageTesting
import Testing

/// Many kills of processes that are kept at work, in one world; every so many of them everything
/// comes to rest and is compared.
extension `Real databases under fire` {
    @Test func `kill cycles of clients`() async throws {
        let count = Self.count("MOORAGE_FIRE_CLIENT_KILLS", short: 15, nightly: 1_000)
        try await cycles(count, perRound: 50, "kill cycles of clients") { world, number, _ in
            // The one that has been at work for the longest.
            try await world.killClient(number)
            try await world.revive()
        }
    }

    @Test func `kill cycles of servers`() async throws {
        let count = Self.count("MOORAGE_FIRE_SERVER_KILLS", short: 4, nightly: 200)
        try await cycles(count, perRound: 20, "kill cycles of servers") { world, number, random in
            await world.killServer(number)
            // Now and then there is none at all for a moment.
            if random.chance(30) {
                await world.killServer(number + 1)
                let outage = Int.random(in: 1...120, using: &random)
                try await Task.sleep(for: .milliseconds(outage))
            }
            try await world.revive()
        }
    }

    private typealias Cycle = (FireWorld, Int, inout SeededGenerator) async throws -> Void

    private func cycles(
        _ count: Int, perRound: Int, _ name: String, _ cycle: Cycle
    ) async throws {
        let seed = Self.wantedSeed ?? .random(in: 1...1_000_000_000)
        var random = SeededGenerator(seed: seed)
        var settings = FireWorld.Settings()
        settings.devices = 4
        settings.servers = 2
        settings.pageRows = 60
        settings.batchRows = 20
        let centre = try ServerCentre(try #require(OwnPostgres.current))
        var report = FireReport()
        let start = ContinuousClock.now
        try await Self.inFolder { folder in
            try await FireWorld.run(centre, seed: seed, settings: settings, folder: folder) {
                world in
                var problems: [String] = []
                var done = 0
                while done < count, problems.isEmpty {
                    for _ in 0..<min(perRound, count - done) {
                        try Self.work(in: world, &random)
                        let moment = Int.random(in: 0...60, using: &random)
                        try await Task.sleep(for: .milliseconds(moment))
                        try await cycle(world, done, &random)
                        done += 1
                    }
                    problems = try await Self.problems(world)
                    try world.goOn()
                }
                report.add(world, problems: problems)
                if !problems.isEmpty { print(problems.prefix(20).joined(separator: "\n")) }
                #expect(problems.isEmpty, "after \(done) cycles; \(Self.replay(seed, name))")
            }
        }
        try centre.drop()
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        print("fire: \(name): \(count) cycles in \(Int(seconds)) s; \(report)")
    }

    private static func work(in world: FireWorld, _ random: inout SeededGenerator) throws {
        for _ in 0..<2 {
            try world.edit(
                device: Int.random(in: 0..<60, using: &random),
                statements: Int.random(in: 1...8, using: &random),
                random: SeededGenerator(seed: random.next()))
        }
        world.editInOffice(statements: Int.random(in: 1...5, using: &random))
    }
}
