import Foundation
import Moorage
import MoorageSQLite
import MoorageTesting
import MoorageWire
import Testing

/// The central database has no room left: the server says so in its own words, nothing is
/// acknowledged that is not there, and with room again everyone catches up.
extension `Real databases under fire` {
    @Test func `disk full under PostgreSQL`() async throws {
        guard ServerProcess.isRoot else {
            print("fire: disk full under PostgreSQL did not run: only root may mount a small disk.")
            return
        }
        let seed = Self.wantedSeed ?? .random(in: 1...1_000_000_000)
        let disk: SmallDisk
        let server: OwnPostgres
        do {
            (disk, server) = try await SmallDisk.makePostgres()
        } catch let error as SmallDisk.CannotMount {
            print("fire: disk full under PostgreSQL did not run: \(error)")
            return
        }
        do {
            try await Self.inFolder { folder in
                let centre = try ServerCentre(server)
                var settings = FireWorld.Settings()
                settings.devices = 2
                try await FireWorld.run(
                    centre, seed: seed, settings: settings, folder: folder
                ) { try await Self.fill(disk, $0, seed) }
            }
        } catch {
            try await disk.remove(server)
            throw error
        }
        try await disk.remove(server)
    }

    private static func fill(_ disk: SmallDisk, _ world: FireWorld, _ seed: UInt64) async throws {
        for device in world.devices { try await device.stopSyncing() }
        try disk.fill()
        var random = SeededGenerator(seed: seed)
        var failures: [String] = []
        // Everything that fits into what its files still have free goes in; then it is full.
        for _ in 0..<200 where failures.count < 6 {
            for device in world.devices.indices {
                try world.edit(
                    device: device, statements: 30, random: SeededGenerator(seed: random.next()),
                    padding: String(repeating: "x", count: 900))
                do { _ = try await world.devices[device].sync(world.proxy.url) } catch {
                    let error = try #require(error as? ReplicaError)
                    guard case .retry = error.recovery else {
                        Issue.record("not an error that is tried again: \(error)")
                        return
                    }
                    failures.append(error.code.rawValue)
                }
            }
        }
        #expect(!failures.isEmpty, "the disk was never full; \(replay(seed, "disk full"))")
        for device in world.devices {
            let waiting = try device.leftOvers()
            #expect(!waiting.isEmpty, "device \(device.number): acknowledged without room")
        }
        try disk.makeRoom()
        // It may have gone down when it could not write its own log.
        try await world.restartDatabase()
        let problems = try await problems(world)
        #expect(problems.isEmpty, "\(replay(seed, "disk full under PostgreSQL"))")
        print("fire: disk full under PostgreSQL: \(failures), then \(problems.count) violations")
    }

    @Test func `disk full under a SQLite file`() async throws {
        let seed = Self.wantedSeed ?? .random(in: 1...1_000_000_000)
        try await Self.inFolder { folder in
            try await FileWorld.run(in: folder) { world in
                let device = world.devices[0]
                // No page more than there are.
                try world.database.execute("PRAGMA max_page_count = 1")
                var failures: [String] = []
                var random = SeededGenerator(seed: seed)
                for _ in 0..<40 where failures.count < 3 {
                    _ = try device.edit(
                        statements: 30, known: FileWorld.known,
                        random: SeededGenerator(seed: random.next()),
                        padding: String(repeating: "x", count: 900))
                    do { _ = try await device.sync(world.url) } catch {
                        let error = try #require(error as? ReplicaError)
                        #expect(error.code == .hub(.databaseUnavailable))
                        failures.append(error.code.rawValue)
                    }
                }
                #expect(!failures.isEmpty, "never full")
                #expect(try !device.leftOvers().isEmpty, "acknowledged without room")
                try world.database.execute("PRAGMA max_page_count = 1073741823")
                try await world.converge()
                let problems = try await world.problems()
                #expect(problems.isEmpty, "\(Self.replay(seed, "disk full under a SQLite file"))")
                print(
                    "fire: disk full under a SQLite file: \(failures), then \(problems.count) "
                        + "violations")
            }
        }
    }
}
