import Foundation
import Moorage
import MoorageSQLite
import MoorageTesting
import MoorageWire
import TestSupport
import Testing

/// The central database has no room left. The hub reports that and acknowledges only what is
/// stored. With room again, every device catches up. `FullDisk` fills a real disk at night.
@Suite(.ownThreads) struct `A central SQLite file that is full` {
    @Test func `refuses with an error that is tried again`() async throws {
        try await FileManager.withTemporaryFolder("full", in: ScratchFolder.parent) { folder in
            try await FileWorld.run(in: folder) { world in
                let device = world.devices[0]
                // The file may not grow.
                try world.database.execute("PRAGMA max_page_count = 1")
                var failures = 0
                var random = SeededGenerator(seed: 1)
                for _ in 0..<40 where failures < 3 {
                    _ = try device.edit(
                        statements: 30, known: FileWorld.known,
                        random: SeededGenerator(seed: random.next()),
                        padding: String(repeating: "x", count: 900))
                    do {
                        _ = try await device.sync(world.url)
                    } catch let error as ReplicaError {
                        #expect(error.code == .hub(.databaseUnavailable))
                        failures += 1
                    }
                }
                #expect(failures > 0, "never full")
                #expect(try !device.leftOvers().isEmpty, "acknowledged without room")
                try world.database.execute("PRAGMA max_page_count = 1073741823")
                try await world.converge()
                let problems = try await world.problems()
                #expect(problems.isEmpty)
            }
        }
    }
}
