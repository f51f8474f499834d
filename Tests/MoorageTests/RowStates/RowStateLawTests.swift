import GRDB
import MoorageCore
import MoorageTesting
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

@Suite(.ownThreads) struct `Tables of states` {
    @Test func `say at each moment what the log, the batch and the lists say`() throws {
        var seen: Set<String> = []
        for seed in lawSeeds(40) {
            var random = SeededGenerator(seed: seed)
            let rules = MergeRule.deciding + [.server]
            let bench = try LawBench(rule: random.one(of: rules))
            let device = try bench.device(rowStates: true)
            try device.exchange(bench.hub)
            for _ in 0..<30 {
                try step(device, bench, &random)
                for table in ["item", "part"] {
                    let expected = try ExpectedRowStates.of(table, device)
                    let found = try ExpectedRowStates.found(table, device)
                    try #require(found == expected, "seed \(seed)")
                    let states = "SELECT DISTINCT state FROM _moorage_state_\(table)"
                    seen.formUnion(try device.texts(states))
                }
            }
        }
        let states = Set(seen.compactMap { $0.split(separator: ":").first })
        #expect(states.isSuperset(of: ["pending", "inFlight", "refused", "overruled", "deferred"]))
    }

    private func step(
        _ device: Device, _ bench: LawBench, _ random: inout SeededGenerator
    ) throws {
        switch random.below(12) {
        case 0...4: _ = try? device.run(bench.statement(using: &random))
        case 5, 6: try bench.editCentrally(using: &random)
        case 7: _ = try device.prepare()
        case 8: try device.compact()
        case 9: try decide(device, &random)
        case 10: try device.open()
        default:
            let limits = PageLimits(maximumRows: random.below(5) + 1, maximumPages: 2)
            try device.exchange(bench.hub, limits: limits)
        }
    }

    /// Decides about an entry of a list, or reverts what was not sent.
    private func decide(_ device: Device, _ random: inout SeededGenerator) throws {
        let choice = random.below(4)
        try device.queue.writeWithoutTransaction { db in
            let store = device.store
            switch choice {
            case 0:
                guard let refused = try store.refused(db, limit: 1).first else { return }
                try store.transaction(db) { try store.dismissRefused($0.db, id: refused.id) }
            case 1:
                guard let lost = try store.overruled(db, limit: 1).first else { return }
                try store.transaction(db) { try store.dismissOverruled($0.db, id: lost.id) }
            case 2:
                guard let lost = try store.overruled(db, limit: 1).first else { return }
                do { try store.resubmit(db, lost) } catch is ReplicaError {}
            default:
                do { _ = try store.revertAll(db, now: device.now) } catch is ReplicaError {}
            }
        }
    }
}
