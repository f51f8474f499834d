import Foundation
import Moorage
import MoorageTesting

/// A PostgreSQL server that has no room left. The hub's server reports that in its own words and
/// acknowledges only what is stored. With room again, every device catches up.
enum FullDisk {
    /// - Returns: The invariants that fail. Where no small disk can be mounted, it prints that and
    ///   returns nothing.
    static func run(_ seed: UInt64, _ report: inout FireReport) async throws -> [String] {
        guard ServerProcess.isRoot else {
            print("fire: disk full under PostgreSQL did not run: only root may mount a small disk.")
            return []
        }
        let disk: SmallDisk
        let server: OwnPostgres
        do {
            (disk, server) = try await SmallDisk.makePostgres()
        } catch let error as SmallDisk.CannotMount {
            print("fire: disk full under PostgreSQL did not run: \(error)")
            return []
        }
        let problems: [String]
        do {
            problems = try await run(seed, &report, disk, server)
        } catch {
            try await disk.remove(server)
            throw error
        }
        try await disk.remove(server)
        return problems
    }

    private static func run(
        _ seed: UInt64, _ report: inout FireReport, _ disk: SmallDisk, _ server: OwnPostgres
    ) async throws -> [String] {
        try await FileManager.withTemporaryFolder("fire", in: ScratchFolder.parent) { folder in
            let centre = try ServerCentre(server)
            var settings = FireWorld.Settings()
            settings.devices = 2
            return try await FireWorld.run(centre, seed: seed, settings: settings, folder: folder) {
                world in
                let problems = try await fill(disk, world, seed)
                report.add(world, problems: problems)
                return problems
            }
        }
    }

    private static func fill(
        _ disk: SmallDisk, _ world: FireWorld, _ seed: UInt64
    ) async throws -> [String] {
        for device in world.devices { try await device.stopSyncing() }
        try disk.fill()
        var random = SeededGenerator(seed: seed)
        var failures = 0
        // Writes go in while they fit into the free space of existing files. Then the disk is full.
        for _ in 0..<200 where failures < 6 {
            for device in world.devices.indices {
                try world.edit(
                    device: device, statements: 30, random: SeededGenerator(seed: random.next()),
                    padding: String(repeating: "x", count: 900))
                do {
                    _ = try await world.devices[device].sync(world.proxy.url)
                } catch let error as ReplicaError {
                    guard case .retry = error.recovery else {
                        return ["not an error that is tried again: \(error)"]
                    }
                    failures += 1
                }
            }
        }
        var problems = failures == 0 ? ["the disk was never full"] : []
        for device in world.devices where try device.leftOvers().isEmpty {
            problems.append("device \(device.number): acknowledged without room")
        }
        try disk.makeRoom()
        // The server may have gone down when it could not write its own log.
        try await world.restartDatabase()
        return try await problems + world.problemsAtRest()
    }
}
