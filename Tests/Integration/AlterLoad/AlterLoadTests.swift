import MoorageTesting
import TestSupport
import Testing

/// With a few rows, and without programs that write meanwhile, all counts are exact. MariaDB waits
/// too long for its tables, so that only the night changes them there.
@Suite(.ownThreads) struct `A table that its owner changes in each way` {
    @Test(arguments: CentreKind.available.filter { $0 != .mariadb })
    func `loses nothing, and no device reads it again without a reason`(
        kind: CentreKind
    ) async throws {
        let size = AlterLoad.Size(rows: 200, areaRows: 50, scoped: 2, whole: 1, isBusy: false)
        try await AlterLoad.run(kind, size, seed: 1)
    }
}

extension Night {
    /// The databases follow each other, because the tests measure how long writers wait.
    @Suite("ALTER beside writers and devices", .ownThreads, .serialized, .night(.large))
    struct AlterBesideWriters {
        @Test(arguments: CentreKind.available)
        func `loses nothing, and no device reads the table again without a reason`(
            kind: CentreKind
        ) async throws {
            let seed = NightPlan.current.seed
            print("ALTER on \(kind.rawValue): MOORAGE_SEED=\(seed)")
            let size = AlterLoad.Size(
                rows: isNightly ? 1_000_000 : 50_000, areaRows: 300, scoped: 48, whole: 2,
                isBusy: true)
            // Each database has its share of the time. A short night measures other changes each
            // time.
            var random = SeededGenerator(seed: seed)
            let kinds = CentreKind.available
            let share = Double((kinds.firstIndex(of: kind) ?? 0) + 1) / Double(kinds.count)
            try await AlterLoad.run(
                kind, size, seed: seed, AlterKind.allCases.shuffled(using: &random),
                until: { NightPlan.current.isOver(share) })
        }
    }
}
