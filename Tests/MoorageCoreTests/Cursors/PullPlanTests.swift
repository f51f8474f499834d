import MoorageCore
import MoorageTesting
import TestSupport
import Testing

@Suite(.ownThreads) struct `A pull plan` {
    private let epoch = Epoch("e")
    private let a = Scope("a")
    private let b = Scope("b")

    @Test func `names the newest state that a scan was read in`() {
        let plan = PullPlan(cursor: .start, authorized: [.everything], tables: [:])
        let first = plan.scanned(
            upTo: Checkpoint("7"), to: nil, epoch: epoch, highWater: Checkpoint("7"), answered: [])
        #expect(first.highWater == nil)
        let later = plan.scanned(
            upTo: Checkpoint("7"), to: nil, epoch: epoch, highWater: Checkpoint("9"), answered: [])
        #expect(later.highWater == Checkpoint("9"))
        #expect(later.knownCheckpoints == [Checkpoint("7"), Checkpoint("9")])
        #expect(later.breakingOff().highWater == Checkpoint("9"))
        #expect(plan.caughtUp(at: Checkpoint("9"), epoch: epoch, ahead: []).highWater == nil)
    }

    @Test func `reads a new replica from nothing`() {
        let plan = PullPlan(cursor: .start, authorized: [.everything], tables: ["t": "1"])
        #expect(plan.reading(of: "t", in: .everything) == .fromNothing(copiedAt: nil))
        #expect(plan.scopes == [.everything] && plan.scan == nil)
        #expect(!plan.isPartial(.everything))
    }

    @Test func `reads a complete scope beyond its checkpoint`() {
        let cursor = SyncCursor(
            epoch: epoch, checkpoint: Checkpoint("5"), complete: [a], tables: ["t": "1"])
        let plan = PullPlan(cursor: cursor, authorized: [a], tables: ["t": "1"])
        #expect(plan.reading(of: "t", in: a) == .beyond(Checkpoint("5")))
    }

    @Test func `reads a table that is new or has another shape again`() {
        let cursor = SyncCursor(
            epoch: epoch, checkpoint: Checkpoint("5"), complete: [a], tables: ["t": "1"])
        let plan = PullPlan(cursor: cursor, authorized: [a], tables: ["t": "2", "u": "1"])
        #expect(plan.reading(of: "t", in: a) == .fromNothing(copiedAt: Checkpoint("5")))
        #expect(plan.reading(of: "u", in: a) == .fromNothing(copiedAt: nil))
    }

    @Test func `tells tables apart by the bytes of their names`() {
        let composed: Identifier = "caf\u{E9}"
        let decomposed: Identifier = "cafe\u{301}"
        let cursor = SyncCursor(
            epoch: epoch, checkpoint: Checkpoint("5"), complete: [a], tables: [composed: "1"])
        let plan = PullPlan(
            cursor: cursor, authorized: [a],
            tables: [composed: "1", decomposed: "1"])
        #expect(plan.reading(of: composed, in: a) == .beyond(Checkpoint("5")))
        #expect(plan.reading(of: decomposed, in: a) == .fromNothing(copiedAt: nil))
        #expect(cursor.breakingOff(readingAgain: decomposed).tables == cursor.tables)
    }

    @Test func `reads a gained scope from nothing and takes a lost one back`() {
        let cursor = SyncCursor(
            epoch: epoch, checkpoint: Checkpoint("5"), complete: [a], tables: ["t": "1"])
        let plan = PullPlan(cursor: cursor, authorized: [b], tables: ["t": "1"])
        #expect(plan.reading(of: "t", in: b) == .fromNothing(copiedAt: nil))
        #expect(plan.reading(of: "t", in: a) == .revoke(goneAfter: nil, lostAt: nil))
        #expect(plan.isPartial(a) && plan.scopes == [a, b])
    }

    @Test func `starts the scan again when scopes or tables changed`() {
        let scan = Scan(upperBound: Checkpoint("9"), scopes: [a], tables: ["t": "1"], position: nil)
        let cursor = SyncCursor(epoch: epoch, partial: [a], scan: scan)
        #expect(PullPlan(cursor: cursor, authorized: [a], tables: ["t": "1"]).scan == scan)
        #expect(PullPlan(cursor: cursor, authorized: [a, b], tables: ["t": "1"]).scan == nil)
        #expect(PullPlan(cursor: cursor, authorized: [a], tables: ["t": "2"]).scan == nil)
    }

    @Test func `hears of what was deleted since a scan that was broken off`() {
        let scan = Scan(upperBound: Checkpoint("9"), scopes: [a], tables: ["t": "1"], position: nil)
        let cursor = SyncCursor(epoch: epoch, partial: [a], scan: scan)
        let plan = PullPlan(cursor: cursor, authorized: [a], tables: ["t": "1", "u": "1"])
        #expect(plan.reading(of: "t", in: a) == .fromNothing(copiedAt: Checkpoint("9")))
        let position = ScanPosition(table: 0, scope: a, version: 0, key: RowKey([.integer(1)]))
        let next = plan.scanned(
            upTo: Checkpoint("12"), to: position, epoch: epoch, highWater: Checkpoint("12"),
            answered: [])
        #expect(next.brokenOff == Checkpoint("9"))
        // Broken off once more, the oldest counts; and what has ended is forgotten.
        let again = PullPlan(cursor: next, authorized: [a], tables: ["t": "2"])
        #expect(again.reading(of: "t", in: a) == .fromNothing(copiedAt: Checkpoint("9")))
        let ended = again.scanned(
            upTo: Checkpoint("15"), to: nil, epoch: epoch, highWater: Checkpoint("15"),
            answered: [])
        #expect(ended.brokenOff == nil)
        #expect(again.caughtUp(at: Checkpoint("15"), epoch: epoch, ahead: []).brokenOff == nil)
    }

    @Test func `keeps rows that were sent ahead until a page catches up`() {
        let row = RowName(table: "t", key: RowKey([.integer(1)]))
        let answered = RowName(table: "t", key: RowKey([.integer(2)]))
        let cursor = SyncCursor(
            epoch: epoch, checkpoint: Checkpoint("5"), complete: [a], tables: ["t": "1"],
            ahead: [row])
        let plan = PullPlan(cursor: cursor, authorized: [a], tables: ["t": "1"])
        let ended = plan.scanned(
            upTo: Checkpoint("7"), to: nil, epoch: epoch, highWater: Checkpoint("7"),
            answered: [answered])
        #expect(ended.ahead == [row, answered])
        #expect(plan.caughtUp(at: Checkpoint("8"), epoch: epoch, ahead: []).ahead.isEmpty)
    }

    @Test func `accounts for every scope whose rows a device may have, through any history`() {
        let all = [a, b, Scope("c"), .everything]
        for seed in lawSeeds(500, nightly: 10_000) {
            var random = SeededGenerator(seed: seed)
            var cursor = SyncCursor.start
            var mayHold: Set<Scope> = []
            var authorized: Set<Scope> = [a]
            var tables: [Identifier: String] = ["t": "1"]
            for step in 0..<40 {
                if random.once(in: 4) { authorized = Set(all.filter { _ in random.once(in: 2) }) }
                if random.once(in: 10) { tables["t"] = String(random.below(3)) }
                let plan = PullPlan(cursor: cursor, authorized: authorized, tables: tables)
                for scope in mayHold.subtracting(authorized) {
                    #expect(
                        plan.reading(of: "t", in: scope) == .revoke(goneAfter: nil, lostAt: nil),
                        "seed \(seed)")
                }
                let before = cursor
                let upperBound = plan.scan?.upperBound ?? Checkpoint(String(step))
                switch random.below(4) {
                case 0:
                    cursor = plan.caughtUp(at: Checkpoint(String(step)), epoch: epoch, ahead: [])
                    mayHold = authorized
                case 1:
                    cursor = plan.scanned(
                        upTo: upperBound, to: nil, epoch: epoch, highWater: upperBound,
                        answered: [])
                    mayHold = authorized
                default:
                    let position = ScanPosition(
                        table: 0, scope: random.one(of: all), version: 0,
                        key: RowKey([.integer(Int64(step))]))
                    cursor = plan.scanned(
                        upTo: upperBound, to: position, epoch: epoch, highWater: upperBound,
                        answered: [])
                    mayHold.formUnion(authorized)
                    #expect(cursor.checkpoint == before.checkpoint, "C3, seed \(seed)")
                    #expect(cursor.scan?.upperBound == upperBound)
                }
                #expect(cursor.complete.isDisjoint(with: cursor.partial), "C2, seed \(seed)")
                #expect(mayHold.isSubset(of: cursor.complete.union(cursor.partial)), "seed \(seed)")
                #expect(cursor.complete.isSubset(of: authorized), "seed \(seed)")
            }
        }
    }

    @Test func `sorts scopes by bytes`() {
        let forms = [Scope("e\u{301}"), Scope("\u{E9}"), Scope("Z"), Scope("a")]
        #expect(forms.sorted().map(\.name) == ["Z", "a", "e\u{301}", "\u{E9}"].map { $0 })
        #expect(Set(forms).count == 4)
    }
}
