import GRDB
import MoorageCore
import MoorageTesting
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

@Suite(.ownThreads) struct `A pull` {
    /// Lets a device catch up while the hub is at rest.
    private func converge(_ device: Device, _ bench: LawBench, _ limits: PageLimits) throws -> Bool
    {
        // The first exchange only brings the schema to the device.
        try device.exchange(bench.hub, limits: limits)
        for _ in 0..<200 {
            let isCaughtUp = try device.exchange(bench.hub, limits: limits)
            let hasDeferred = try !device.texts("SELECT 1 FROM _moorage_deferred").isEmpty
            if isCaughtUp && !hasDeferred { return true }
        }
        return false
    }

    @Test func `in one page equals a pull in any number, with anything happening between`() throws {
        for seed in lawSeeds(25) {
            var random = SeededGenerator(seed: seed)
            let bench = try LawBench()
            for _ in 0..<random.below(40) { try bench.editCentrally(using: &random) }
            let whole = try bench.device()
            let cut = try bench.device()
            for _ in 0..<(random.below(6) + 1) {
                let limits = PageLimits(
                    maximumRows: random.below(4) + 1,
                    maximumBytes: random.once(in: 3) ? random.below(60) : 1_000_000,
                    maximumPages: random.below(4) + 1)
                try cut.exchange(bench.hub, limits: limits) {
                    if random.once(in: 2) { try bench.editCentrally(using: &random) }
                }
                if random.once(in: 3) { try whole.exchange(bench.hub) }
            }
            #expect(try converge(cut, bench, PageLimits(maximumRows: 2, maximumPages: 2)))
            #expect(try converge(whole, bench, PageLimits()))
            let truth = try bench.contents()
            #expect(try cut.contents() == truth, "seed \(seed)")
            #expect(try whole.contents() == truth, "seed \(seed)")
            #expect(try cut.texts("PRAGMA foreign_key_check") == [], "seed \(seed)")
        }
    }
}

@Suite(.ownThreads) struct `A page` {
    /// What a page may change: the app's rows, the rows set aside, and the log.
    private static let tables = [
        "SELECT * FROM item ORDER BY id", "SELECT * FROM part ORDER BY 1, 2",
        "SELECT * FROM _moorage_log_item ORDER BY seq",
        "SELECT * FROM _moorage_log_part ORDER BY seq",
        "SELECT * FROM _moorage_deferred", "SELECT * FROM _moorage_withheld",
        "SELECT * FROM _moorage_refused", "SELECT * FROM _moorage_inflight",
        "SELECT * FROM _moorage_acknowledged", "SELECT * FROM _moorage_applying",
    ]

    private func state(_ db: Database) throws -> [String] {
        try Self.tables.flatMap { try Row.fetchAll(db, sql: $0).map { "\($0)" } }
    }

    @Test func `applied twice is a page applied once`() throws {
        var applied = 0
        for seed in lawSeeds(25) {
            var random = SeededGenerator(seed: seed)
            let bench = try LawBench(rule: random.one(of: MergeRule.deciding))
            let device = try bench.device()
            for _ in 0..<12 {
                for _ in 0..<random.below(6) { try bench.editCentrally(using: &random) }
                for _ in 0..<random.below(3) {
                    _ = try? device.run(bench.statement(using: &random))
                }
                let limits = PageLimits(maximumRows: random.below(6) + 1, maximumPages: 2)
                try device.exchange(bench.hub, limits: limits) {
                    if random.once(in: 3) {
                        _ = try? device.run(bench.statement(using: &random))
                    }
                } apply: { db, outcomes, page in
                    _ = try device.store.apply(
                        db, outcomes: outcomes, page: page,
                        at: ExchangeTime(device.now))
                    let once = try state(db)
                    // The page is late, because it belongs to an earlier cursor. An empty page may
                    // leave the cursor as it was.
                    let late = try device.store.apply(
                        db, outcomes: nil, page: page,
                        at: ExchangeTime(device.now))
                    #expect(late.isDropped || page.since == page.cursor, "seed \(seed)")
                    #expect(try state(db) == once, "seed \(seed)")
                    // As if the device had forgotten only the cursor.
                    try Metadata(db: db).set(page.since)
                    let again = try device.store.apply(
                        db, outcomes: nil, page: page,
                        at: ExchangeTime(device.now))
                    #expect(!again.isDropped)
                    #expect(try state(db) == once, "seed \(seed)")
                    #expect(try Metadata(db: db).cursor() == page.cursor)
                    applied += 1
                }
            }
        }
        #expect(applied > 200)
    }
}
