import Foundation
import GRDB
import MoorageTesting

/// One of the owner's programs. It runs transactions of 1 to 20 statements on a thread and a
/// connection of its own. Some stay open for a while, and some roll back.
final class Writer: @unchecked Sendable {
    // `@unchecked`: everything but the counts belongs to the writer's thread.
    struct Counts: Sendable {
        var commits = 0
        var rollbacks = 0
        var collisions = 0
        var heldOpen = 0
        var statements = 0
        var failure: String?

        mutating func add(_ other: Counts) {
            commits += other.commits
            rollbacks += other.rollbacks
            collisions += other.collisions
            heldOpen += other.heldOpen
            statements += other.statements
            failure = failure ?? other.failure
        }
    }

    private let number: Int
    private let session: any OwnerSession
    private let dialect: TortureDialect
    private var random: SeededGenerator
    private var committed = 0
    private var tokens = 0
    private let lock = NSLock()
    private var isStopped = false
    private var counts = Counts()

    init(number: Int, seed: UInt64, session: any OwnerSession, kind: CentreKind) {
        self.number = number
        self.session = session
        dialect = TortureDialect(kind: kind)
        random = SeededGenerator(seed: seed &* 1_000 &+ UInt64(number))
    }

    func stop() { lock.withLock { isStopped = true } }

    /// Works until ``stop()``.
    ///
    /// - Parameter done: Called on the writer's thread at its end.
    func start(_ done: @escaping @Sendable (Counts) -> Void) {
        let thread = Thread { [self] in
            let start = ContinuousClock.now
            var slot = 0.0
            do {
                while !lock.withLock({ isStopped }) {
                    try transaction()
                    slot += 1 / dialect.transactionsPerSecond
                    let early = .seconds(slot) - (ContinuousClock.now - start)
                    if early > .zero { Thread.sleep(forTimeInterval: early / .seconds(1)) }
                }
            } catch {
                counts.failure = "writer \(number): \(error)"
            }
            done(counts)
        }
        thread.stackSize = 1 << 20
        thread.start()
    }

    private func transaction() throws {
        let next = committed + 1
        let length = Int.random(in: 1...(random.chance(60) ? 4 : 20), using: &random)
        var statements = (0..<length).map { _ in statement() }
        statements.insert(
            """
            INSERT INTO ledger VALUES (\(number), \(next), '\(token())');
            UPDATE progress SET n = \(next) WHERE writer = \(number)
            """, at: Int.random(in: 0...statements.count, using: &random))
        let isRolledBack = random.chance(10)
        let pauseAt =
            random.chance(4) ? Int.random(in: 0..<statements.count, using: &random) : nil
        do {
            try session.run(dialect.begin(isUnusual: random.chance(15)))
            for (index, statement) in statements.enumerated() {
                counts.statements += 1
                try session.run(statement)
                guard index == pauseAt else { continue }
                counts.heldOpen += 1
                let pause = Int.random(in: dialect.pause, using: &random)
                Thread.sleep(forTimeInterval: Double(pause) / 1_000)
            }
            try session.run(isRolledBack ? "ROLLBACK" : "COMMIT")
        } catch let error as any OwnerFailure where error.isExpected {
            // A deadlock may have ended the transaction already.
            do { try session.run("ROLLBACK") } catch is DatabaseError {}
            counts.collisions += 1
            return
        }
        if isRolledBack {
            counts.rollbacks += 1
        } else {
            committed = next
            counts.commits += 1
        }
    }

    private func token() -> String {
        tokens += 1
        return "w\(number)-\(tokens)"
    }

    private func newParent(_ id: Int) -> String {
        "VALUES (\(id), \(random.pick(TortureSchema.areas) ?? 1), '\(token())')"
    }

    private func statement() -> String {
        let parent = Int.random(in: 1...TortureSchema.parents, using: &random)
        let child = Int.random(in: 1...TortureSchema.children, using: &random)
        let grandchild = Int.random(in: 1...TortureSchema.grandchildren, using: &random)
        switch Int.random(in: 0..<30, using: &random) {
        case 0..<3:
            return dialect.insertOrIgnore("parent (id, area, label)", newParent(parent))
        case 3..<5:
            return dialect.upsert(
                "parent (id, area, label)", newParent(parent), setting: "label")
        case 5..<9:
            return dialect.insertOrIgnore(
                "child",
                "SELECT \(child), id, '\(token())', 0 FROM parent WHERE id = \(parent)")
        case 9..<13:
            return dialect.insertOrIgnore(
                "grandchild",
                "SELECT \(grandchild), id, '\(token())' FROM child WHERE id = \(child)")
        case 13: return "UPDATE parent SET note = '\(token())' WHERE id = \(parent)"
        case 14..<16: return "UPDATE child SET label = '\(token())' WHERE id = \(child)"
        case 16: return dialect.move("child", child, "parent_id", below: "parent", parent)
        case 17:
            let area = random.pick(TortureSchema.areas) ?? 1
            return "UPDATE parent SET area = \(area) WHERE id = \(parent)"
        case 18: return dialect.move("grandchild", grandchild, "child_id", below: "child", child)
        case 19: return "UPDATE child SET n = n + 1 WHERE parent_id = \(parent)"
        case 20: return "DELETE FROM parent WHERE id = \(parent)"
        case 21: return "DELETE FROM child WHERE id = \(child)"
        case 22: return "DELETE FROM grandchild WHERE id = \(grandchild)"
        case 23:
            // Moves a unique value from one row to another.
            let code = Int.random(in: 1...50, using: &random)
            return """
                UPDATE parent SET code = NULL WHERE code = \(code);
                UPDATE parent SET code = \(code) WHERE id = \(parent)
                """
        case 24:
            let other = Int.random(in: 1...TortureSchema.grandchildren, using: &random)
            return dialect.rekey("grandchild", grandchild, to: other)
        case 25:
            return """
                SAVEPOINT s; UPDATE child SET label = '\(token())' WHERE id = \(child);
                DELETE FROM grandchild WHERE id = \(grandchild);
                ROLLBACK TO SAVEPOINT s; RELEASE SAVEPOINT s
                """
        case 26..<28:
            let pair = Int.random(in: 1...TortureSchema.pairs, using: &random)
            let token = token()
            return """
                UPDATE pair_left SET token = '\(token)' WHERE id = \(pair);
                UPDATE pair_right SET token = '\(token)' WHERE id = \(pair)
                """
        default:
            let from = Int.random(in: 1...TortureSchema.balances, using: &random)
            let to = Int.random(in: 1...TortureSchema.balances, using: &random)
            return """
                UPDATE balance SET amount = amount - 7 WHERE id = \(from);
                UPDATE balance SET amount = amount + 7 WHERE id = \(to)
                """
        }
    }
}
