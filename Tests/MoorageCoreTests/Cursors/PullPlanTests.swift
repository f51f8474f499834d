import MoorageCore
import MoorageTesting
import Testing

@Suite struct `A pull plan` {
    private let epoch = Epoch("e")
    private let a = Scope("a")
    private let b = Scope("b")

    @Test func `names the newest state that a walk was read in`() {
        let plan = PullPlan(cursor: .start, held: [.everything], tables: [:])
        let first = plan.walked(
            towards: Mark("7"), to: nil, epoch: epoch, seen: Mark("7"), answered: [])
        #expect(first.seen == nil)
        let later = plan.walked(
            towards: Mark("7"), to: nil, epoch: epoch, seen: Mark("9"), answered: [])
        #expect(later.seen == Mark("9"))
        #expect(later.states == [Mark("7"), Mark("9")])
        #expect(later.breakingOff().seen == Mark("9"))
        #expect(plan.caughtUp(at: Mark("9"), epoch: epoch, ahead: []).seen == nil)
    }

    @Test func `reads a new replica from nothing`() {
        let plan = PullPlan(cursor: .start, held: [.everything], tables: ["t": "1"])
        #expect(plan.reading(of: "t", in: .everything) == .fromNothing(heldAt: nil))
        #expect(plan.scopes == [.everything] && plan.walk == nil)
        #expect(!plan.isPartial(.everything))
    }

    @Test func `reads a complete scope beyond its mark`() {
        let cursor = SyncCursor(epoch: epoch, mark: Mark("5"), complete: [a], tables: ["t": "1"])
        let plan = PullPlan(cursor: cursor, held: [a], tables: ["t": "1"])
        #expect(plan.reading(of: "t", in: a) == .beyond(Mark("5")))
    }

    @Test func `reads a table that is new or has another shape again`() {
        let cursor = SyncCursor(epoch: epoch, mark: Mark("5"), complete: [a], tables: ["t": "1"])
        let plan = PullPlan(cursor: cursor, held: [a], tables: ["t": "2", "u": "1"])
        #expect(plan.reading(of: "t", in: a) == .fromNothing(heldAt: Mark("5")))
        #expect(plan.reading(of: "u", in: a) == .fromNothing(heldAt: nil))
    }

    @Test func `reads a gained scope from nothing and takes a lost one back`() {
        let cursor = SyncCursor(epoch: epoch, mark: Mark("5"), complete: [a], tables: ["t": "1"])
        let plan = PullPlan(cursor: cursor, held: [b], tables: ["t": "1"])
        #expect(plan.reading(of: "t", in: b) == .fromNothing(heldAt: nil))
        #expect(plan.reading(of: "t", in: a) == .takeBack(goneAfter: nil, lostAt: nil))
        #expect(plan.isPartial(a) && plan.scopes == [a, b])
    }

    @Test func `starts the walk again when scopes or tables changed`() {
        let walk = Walk(target: Mark("9"), scopes: [a], tables: ["t": "1"], position: nil)
        let cursor = SyncCursor(epoch: epoch, partial: [a], walk: walk)
        #expect(PullPlan(cursor: cursor, held: [a], tables: ["t": "1"]).walk == walk)
        #expect(PullPlan(cursor: cursor, held: [a, b], tables: ["t": "1"]).walk == nil)
        #expect(PullPlan(cursor: cursor, held: [a], tables: ["t": "2"]).walk == nil)
    }

    @Test func `hears of what was deleted since a walk that was broken off`() {
        let walk = Walk(target: Mark("9"), scopes: [a], tables: ["t": "1"], position: nil)
        let cursor = SyncCursor(epoch: epoch, partial: [a], walk: walk)
        let plan = PullPlan(cursor: cursor, held: [a], tables: ["t": "1", "u": "1"])
        #expect(plan.reading(of: "t", in: a) == .fromNothing(heldAt: Mark("9")))
        let position = WalkPosition(table: 0, scope: a, version: 0, key: Key([.integer(1)]))
        let next = plan.walked(
            towards: Mark("12"), to: position, epoch: epoch, seen: Mark("12"),
            answered: [])
        #expect(next.brokenOff == Mark("9"))
        // Broken off once more, the oldest counts; and what has ended is forgotten.
        let again = PullPlan(cursor: next, held: [a], tables: ["t": "2"])
        #expect(again.reading(of: "t", in: a) == .fromNothing(heldAt: Mark("9")))
        let ended = again.walked(
            towards: Mark("15"), to: nil, epoch: epoch, seen: Mark("15"),
            answered: [])
        #expect(ended.brokenOff == nil)
        #expect(again.caughtUp(at: Mark("15"), epoch: epoch, ahead: []).brokenOff == nil)
    }

    @Test func `keeps rows that were sent ahead until a page catches up`() {
        let row = RowName(table: "t", key: Key([.integer(1)]))
        let answered = RowName(table: "t", key: Key([.integer(2)]))
        let cursor = SyncCursor(
            epoch: epoch, mark: Mark("5"), complete: [a], tables: ["t": "1"], ahead: [row])
        let plan = PullPlan(cursor: cursor, held: [a], tables: ["t": "1"])
        let ended = plan.walked(
            towards: Mark("7"), to: nil, epoch: epoch, seen: Mark("7"),
            answered: [answered])
        #expect(ended.ahead == [row, answered])
        #expect(plan.caughtUp(at: Mark("8"), epoch: epoch, ahead: []).ahead.isEmpty)
    }

    @Test func `accounts for every scope of which rows may be held, through any history`() {
        let all = [a, b, Scope("c"), .everything]
        for seed in 0..<UInt64(trials(500, nightly: 10_000)) {
            var random = SeededGenerator(seed: seed)
            var cursor = SyncCursor.start
            var mayHold: Set<Scope> = []
            var held: Set<Scope> = [a]
            var tables = ["t": "1"]
            for step in 0..<40 {
                if random.once(in: 4) { held = Set(all.filter { _ in random.once(in: 2) }) }
                if random.once(in: 10) { tables["t"] = String(random.below(3)) }
                let plan = PullPlan(cursor: cursor, held: held, tables: tables)
                for scope in mayHold.subtracting(held) {
                    #expect(
                        plan.reading(of: "t", in: scope) == .takeBack(goneAfter: nil, lostAt: nil),
                        "seed \(seed)")
                }
                let before = cursor
                let target = plan.walk?.target ?? Mark(String(step))
                switch random.below(4) {
                case 0:
                    cursor = plan.caughtUp(at: Mark(String(step)), epoch: epoch, ahead: [])
                    mayHold = held
                case 1:
                    cursor = plan.walked(
                        towards: target, to: nil, epoch: epoch, seen: target,
                        answered: [])
                    mayHold = held
                default:
                    let position = WalkPosition(
                        table: 0, scope: random.one(of: all), version: 0,
                        key: Key([.integer(Int64(step))]))
                    cursor = plan.walked(
                        towards: target, to: position, epoch: epoch, seen: target,
                        answered: [])
                    mayHold.formUnion(held)
                    #expect(cursor.mark == before.mark, "C3, seed \(seed)")
                    #expect(cursor.walk?.target == target)
                }
                #expect(cursor.complete.isDisjoint(with: cursor.partial), "C2, seed \(seed)")
                #expect(mayHold.isSubset(of: cursor.complete.union(cursor.partial)), "seed \(seed)")
                #expect(cursor.complete.isSubset(of: held), "seed \(seed)")
            }
        }
    }

    @Test func `sorts scopes by bytes`() {
        let forms = [Scope("e\u{301}"), Scope("\u{E9}"), Scope("Z"), Scope("a")]
        #expect(forms.sorted().map(\.name) == ["Z", "a", "e\u{301}", "\u{E9}"].map { $0 })
        #expect(Set(forms).count == 4)
    }
}
