import MoorageCore
import MoorageHub
import MoorageTesting
import TestSupport
import Testing

@testable import MooragePostgres

/// Programs move rows, what hangs below them, and their members, above READ COMMITTED, too.
@Suite(.ownThreads, .enabled(if: PostgresServer.isAvailable))
struct `Scopes under concurrent writers` {
    /// One program commits between the snapshot of the other's transaction and what the other
    /// writes. At night six write at once (`Scopes beside six writers`).
    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func `stay what the rules say, whatever a transaction could not see`(seed: UInt64) throws {
        try PostgresServer.withDatabase { subject in
            let world = try ScopedWorld(subject, seed: seed, isAttached: true)
            var mover = try ScopeWriter(subject, seed: seed)
            var other = try ScopeWriter(subject, seed: seed + 100)
            for _ in 0..<20 {
                mover.transact {
                    for _ in 0..<3 { other.write() }
                }
                try world.check()
            }
            #expect(mover.outcomes.committed > 0 && other.outcomes.committed > 0)
            #expect(mover.outcomes.unexpected + other.outcomes.unexpected == [], "seed \(seed)")
        }
    }

    @Test func `move what a transaction could not see, before the next page`() throws {
        try PostgresServer.withDatabase { subject in
            let world = try ScopedWorld(subject, seed: 1, isAttached: true)
            let (mover, other) = (try subject.openSession(), try subject.openSession())
            try other.execute("DELETE FROM member; DELETE FROM task; DELETE FROM project;")
            try other.execute("INSERT INTO project VALUES (1, 'ann', 0)")
            try mover.execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM task")
            try other.execute("INSERT INTO task VALUES (10, 1, 't')")
            try mover.execute("UPDATE project SET owner = 'bob' WHERE id = 1; COMMIT")
            // A page that were read now would show the task to ann.
            #expect(throws: CentralError.self) { _ = try subject.checkpoint() }
            try world.check()
            #expect(try subject.checkpoint().text.isEmpty == false)
            // Two of the same member's rows go at once.
            try other.execute("INSERT INTO member VALUES (1, 1, 'carl'), (2, 1, 'carl')")
            try mover.execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM task")
            try other.execute(
                "BEGIN ISOLATION LEVEL REPEATABLE READ; DELETE FROM member WHERE id = 1")
            try mover.execute("DELETE FROM member WHERE id = 2; COMMIT")
            try other.execute("COMMIT")
            try world.check()
        }
    }
}
