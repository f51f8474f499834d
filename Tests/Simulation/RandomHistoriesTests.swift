import Foundation
import GRDB
import MoorageTesting
import Testing

@Suite struct `Random histories` {
    /// How many, and from which seed: `MOORAGE_HISTORIES` and `MOORAGE_SEED` choose others.
    static let histories: [UInt64] = {
        let environment = ProcessInfo.processInfo.environment
        let isNightly = environment["MOORAGE_NIGHTLY"] == "1"
        let count =
            environment["MOORAGE_HISTORIES"].flatMap { UInt64($0) } ?? (isNightly ? 1000 : 25)
        let first = environment["MOORAGE_SEED"].flatMap { UInt64($0) } ?? 1
        return Array(first..<(first + count))
    }()

    @Test func `of three devices, other programs and a bad network converge, and lose nothing`()
        throws
    {
        var caughtUp = 0
        var forks = 0
        var conflicts: Int64 = 0
        for seed in Self.histories {
            let world = try World(seed: seed)
            var backups: [Int: DatabaseQueue] = [:]
            for _ in 0..<90 {
                switch Int.random(in: 0..<100, using: &world.random) {
                case 0..<45: try world.editSomewhere()
                case 45..<57: try world.editCentrally()
                case 57..<59:
                    if let replica = world.random.pick(world.replicas) {
                        backups[replica.number] = try replica.backUp()
                    }
                case 59:
                    if let replica = world.random.pick(world.replicas),
                        let backup = backups[replica.number]
                    {
                        try replica.restore(backup)
                    }
                default:
                    if let replica = world.random.pick(world.replicas) {
                        try world.exchange(replica, loss: 15)
                    }
                }
            }
            let problem = try world.settle()
            caughtUp += world.replicas.reduce(0) { $0 + $1.caughtUp }
            forks += world.replicas.reduce(0) { $0 + $1.forks }
            conflicts += try world.conflictCount()
            #expect(
                problem == nil,
                "MOORAGE_SEED=\(seed) MOORAGE_HISTORIES=1, rule \(world.rule): \(problem ?? "")")
        }
        // What the histories are for must have happened, or they show nothing.
        print(
            "\(Self.histories.count) histories: \(caughtUp) pages caught up, \(conflicts) conflicts and refusals, \(forks) forks"
        )
        if Self.histories.count >= 25 {
            #expect(caughtUp > 400 && conflicts > 50 && forks > 0)
        }
    }
}
