import Foundation
import MoorageTesting
import Testing

/// A program that keeps a transaction open for minutes (docs/design.md, 5.2): what is committed
/// beside it goes on to arrive everywhere, nothing of it is seen before its end, all of it
/// afterwards.
extension `Real databases under fire` {
    @Test func `a transaction stays open`() async throws {
        let seconds = Self.count("MOORAGE_FIRE_OPEN_SECONDS", short: 5, nightly: 600)
        let name = "a transaction stays open"
        let seed = Self.wantedSeed ?? .random(in: 1...1_000_000_000)
        var settings = FireWorld.Settings()
        settings.pageRows = 200
        let centre = try ServerCentre(try #require(OwnPostgres.current))
        var report = FireReport()
        try await Self.inFolder { folder in
            try await FireWorld.run(centre, seed: seed, settings: settings, folder: folder) {
                world in
                world.hold(touchesShared: false)
                try #require(world.office.isHolding)
                var beside = Beside(world: world, seed: seed)
                let end = ContinuousClock.now + .seconds(seconds)
                while ContinuousClock.now < end, beside.problems.isEmpty { try await beside.step() }
                if !world.office.release(commits: true) {
                    beside.problems.append("the open transaction was broken off")
                }
                let problems = try await beside.problems + Self.problems(world)
                report.add(world, problems: problems)
                if !problems.isEmpty { print(problems.prefix(20).joined(separator: "\n")) }
                #expect(problems.isEmpty, "\(Self.replay(seed, name))")
                for device in world.devices {
                    let there = try device.rows("SELECT id FROM parent WHERE label = 'o1'")
                    #expect(there.count == 1, "what was committed late, on \(device.number)")
                }
                print(
                    "fire: \(name) for \(seconds) s: \(beside.beacons) commits beside it arrived "
                        + "on every device meanwhile; \(report)")
            }
        }
        try centre.drop()
    }

    /// What goes on beside the open transaction.
    private struct Beside {
        let world: FireWorld
        var random: SeededGenerator
        var problems: [String] = []
        var beacons = 0

        /// How often a device is looked at before its row counts as missing.
        private static let maximumPolls = 3_000

        init(world: FireWorld, seed: UInt64) {
            self.world = world
            random = SeededGenerator(seed: seed &* 5 &+ 3)
        }

        mutating func step() async throws {
            for device in world.devices.indices {
                try world.edit(
                    device: device, statements: Int.random(in: 1...4, using: &random),
                    random: SeededGenerator(seed: random.next()))
            }
            world.editInOffice(statements: Int.random(in: 1...6, using: &random))
            if random.chance(8) {
                try await world.killClient(Int.random(in: 0..<60, using: &random))
                try await world.revive()
            }
            guard let id = world.office.beacon() else { return }
            for device in world.devices where try await !arrives(id, on: device) {
                problems.append("\(id) was committed and does not reach device \(device.number)")
            }
            beacons += 1
        }

        /// Waits for a row; of the transaction that is open nothing may be seen.
        private mutating func arrives(_ id: Int, on device: FireDevice) async throws -> Bool {
            for _ in 0..<Self.maximumPolls {
                let seen = try device.rows("SELECT id FROM parent WHERE id = \(id) OR label = 'o1'")
                if seen.contains(where: { $0 != [String(id)] }) {
                    problems.append("device \(device.number) sees what is not committed")
                }
                if seen.contains([String(id)]) { return true }
                try await Task.sleep(for: .milliseconds(20))
            }
            return false
        }
    }
}
