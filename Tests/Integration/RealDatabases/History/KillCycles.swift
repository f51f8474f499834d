import Foundation
import MoorageTesting

/// Kills working processes many times in one world. After a number of kills everything comes to
/// rest and is compared.
enum KillCycles {
    private static let rests = 2

    private typealias Cycle = (FireWorld, Int, inout SeededGenerator) async throws -> Void

    static func ofClients(
        _ seed: UInt64, _ report: inout FireReport, on server: OwnPostgres
    ) async throws -> [String] {
        try await run(15, seed, &report, server) { world, number, _ in
            // The client that has been at work for the longest.
            try await world.killClient(number)
            try await world.revive()
        }
    }

    static func ofServers(
        _ seed: UInt64, _ report: inout FireReport, on server: OwnPostgres
    ) async throws -> [String] {
        try await run(4, seed, &report, server) { world, number, random in
            await world.killServer(number)
            // Sometimes no server runs for a moment.
            if random.chance(30) {
                await world.killServer(number + 1)
                let outage = Int.random(in: 1...120, using: &random)
                try await Task.sleep(for: .milliseconds(outage))
            }
            try await world.revive()
        }
    }

    /// - Parameter count: How many cycles run before each rest.
    private static func run(
        _ count: Int, _ seed: UInt64, _ report: inout FireReport, _ server: OwnPostgres,
        _ cycle: Cycle
    ) async throws -> [String] {
        var random = SeededGenerator(seed: seed)
        var settings = FireWorld.Settings()
        settings.devices = 4
        settings.servers = 2
        settings.pageRows = 60
        settings.batchRows = 20
        let centre = try ServerCentre(server)
        let problems = try await FileManager.withTemporaryFolder("fire", in: ScratchFolder.parent) {
            folder in
            try await FireWorld.run(centre, seed: seed, settings: settings, folder: folder) {
                world in
                var problems: [String] = []
                var done = 0
                for rest in 1...rests where problems.isEmpty {
                    for _ in 0..<count {
                        try work(in: world, &random)
                        let moment = Int.random(in: 0...60, using: &random)
                        try await Task.sleep(for: .milliseconds(moment))
                        try await cycle(world, done, &random)
                        done += 1
                    }
                    problems = try await world.problemsAtRest()
                    if rest < rests { try world.goOn() }
                }
                report.add(world, problems: problems)
                return problems
            }
        }
        try centre.drop()
        return problems
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
