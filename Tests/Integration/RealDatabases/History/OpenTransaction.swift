import Foundation
import MoorageTesting
import TestSupport

/// A program that keeps a transaction open (docs/reference/hub.md, Versions and checkpoints). What
/// others commit meanwhile still arrives on every device. The transaction's own rows arrive only
/// after its commit.
struct OpenTransaction {
    /// How many steps run while the transaction is open.
    private static let steps = 20

    private let world: FireWorld
    private var random: SeededGenerator
    private var problems: [String] = []

    private init(world: FireWorld, seed: UInt64) {
        self.world = world
        random = SeededGenerator(seed: seed &* 5 &+ 3)
    }

    /// - Returns: The invariants that fail.
    static func run(
        _ seed: UInt64, _ report: inout FireReport, on server: OwnPostgres
    ) async throws -> [String] {
        var settings = FireWorld.Settings()
        settings.pageRows = 200
        let centre = try ServerCentre(server)
        let problems = try await FileManager.withTemporaryFolder("fire", in: ScratchFolder.parent) {
            folder in
            try await FireWorld.run(centre, seed: seed, settings: settings, folder: folder) {
                world in
                var beside = OpenTransaction(world: world, seed: seed)
                let problems =
                    try await beside.run() + world.problemsAtRest() + beside.missing()
                report.add(world, problems: problems)
                return problems
            }
        }
        try centre.drop()
        return problems
    }

    private mutating func run() async throws -> [String] {
        world.hold(changesShared: false)
        guard world.office.isHolding else { return ["no transaction stays open"] }
        for _ in 0..<Self.steps where problems.isEmpty { try await step() }
        if !world.office.release(commits: true) {
            problems.append("the open transaction was broken off")
        }
        return problems
    }

    private mutating func step() async throws {
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
    }

    /// Waits for a row. Meanwhile the device must not have rows of the open transaction.
    private mutating func arrives(_ id: Int, on device: FireDevice) async throws -> Bool {
        let end = ContinuousClock.now + Hang.limit
        while ContinuousClock.now < end {
            let seen = try device.rows("SELECT id FROM parent WHERE id = \(id) OR label = 'o1'")
            if seen.contains(where: { $0 != [String(id)] }) {
                problems.append("device \(device.number) sees what is not committed")
            }
            if seen.contains([String(id)]) { return true }
            try await Task.sleep(for: .milliseconds(20))
        }
        return false
    }

    /// Every device must have what was committed late.
    private func missing() throws -> [String] {
        try world.devices.compactMap { device in
            let there = try device.rows("SELECT id FROM parent WHERE label = 'o1'")
            return there.count == 1
                ? nil : "device \(device.number) lacks what was committed late: \(there)"
        }
    }
}
