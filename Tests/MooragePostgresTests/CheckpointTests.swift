import Foundation
import MoorageCore
import MoorageSupport
import MoorageTesting
import TestSupport
import Testing

@testable import MoorageHub
@testable import MooragePostgres

@Suite(.ownThreads, .enabled(if: PostgresServer.isAvailable))
struct `Checkpoints of the snapshot clock` {
    @Test func `a transaction that commits late is beyond the checkpoint that did not show it`()
        throws
    {
        try PostgresServer.withDatabase { subject in
            let (early, late) = (try subject.session(), try subject.session())
            try early.execute("CREATE TABLE item (id int PRIMARY KEY)")
            try subject.attach()
            let table = try subject.table("item")
            try late.execute("BEGIN; INSERT INTO item VALUES (1)")
            try early.execute("INSERT INTO item VALUES (2)")
            let first = try subject.checkpoint()
            try early.execute("INSERT INTO item VALUES (3)")
            let second = try subject.checkpoint()
            try late.execute("COMMIT")
            let third = try subject.checkpoint()
            #expect(try subject.changes(table, since: first) == ["+1", "+3"])
            #expect(try subject.changes(table, since: second) == ["+1"])
            #expect(try subject.changes(table, since: third) == [])
            let within = try subject.snapshot {
                try $0.trackedRows(
                    table, in: .everything, .beyond(since: first, within: second), after: nil,
                    limit: 9)
            }
            #expect(within.map(\.key.values) == [[.integer(3)]])
        }
    }

    @Test(arguments: [
        "", "1:2", "a:b:", "2:1:", "0:1:", "1:5:7", "1:5:3,2", "1:5:2,", "-1:5:",
        "1:99999999999999999999:",
    ])
    func `what is no snapshot is refused as a checkpoint`(text: String) {
        #expect(throws: CentralError.self) { try SnapshotCheckpoint(Checkpoint(text)) }
    }

    @Test(arguments: [
        ("10:10:", "10:10:", true), ("10:12:10", "10:10:", true), ("10:10:", "10:12:10", false),
        ("10:12:11", "10:12:11", true), ("10:14:11", "10:12:11", true),
        ("10:14:11", "10:12:", false), ("12:14:13", "10:12:", true), ("5:9:", "3:10:4", false),
    ])
    func `a checkpoint covers a horizon when it shows all that the horizon shows`(
        checkpoint: String, horizon: String, covers: Bool
    ) throws {
        let answer = try SnapshotCheckpoint(Checkpoint(checkpoint)).shows(
            everythingOf: SnapshotCheckpoint(Checkpoint(horizon)))
        #expect(answer == covers)
    }

    @Test func `a tombstone whose row is coming back is passed over, and nobody waits`() throws {
        try PostgresServer.withDatabase { subject in
            let (owner, writer) = (try subject.session(), try subject.session())
            try owner.execute("CREATE TABLE item (id int PRIMARY KEY)")
            try subject.attach()
            let table = try subject.table("item")
            try owner.execute("INSERT INTO item VALUES (1), (2)")
            try owner.execute("DELETE FROM item")
            let horizon = try subject.checkpoint()
            try writer.execute("BEGIN; INSERT INTO item VALUES (1)")
            func purge() throws -> Int {
                try subject.postgres.perform { connection in
                    try connection.begin(.write)
                    let count = try connection.purgeTombstones(table, within: horizon, limit: 9)
                    try connection.commit()
                    return count
                }
            }
            #expect(try purge() == 1)
            try writer.execute("ROLLBACK")
            #expect(try purge() == 1)
        }
    }

    @Test func `a checkpoint of the future is unknown`() throws {
        try PostgresServer.withDatabase { subject in
            try subject.attach()
            let checkpoint = try subject.checkpoint()
            let known = try subject.postgres.perform { try $0.isKnown(checkpoint) }
            #expect(known)
            let future = try subject.postgres.perform {
                try $0.isKnown(Checkpoint("900000000:900000000:"))
            }
            #expect(!future)
        }
    }

    /// Writers with transactions of one to eight statements, some long, some rolled back, beside a
    /// reader that scans from checkpoint to checkpoint, a few rows at a time.
    @Test func `a reader beside many writers misses nothing`() throws {
        try PostgresServer.withDatabase { subject in
            let owner = try subject.session()
            try owner.execute("CREATE TABLE item (id int PRIMARY KEY, a int, b text UNIQUE)")
            try subject.attach()
            let table = try subject.table("item")
            let seconds =
                Double(ProcessInfo.processInfo.environment["MOORAGE_TORTURE_SECONDS"] ?? "4") ?? 4
            let end = Date().addingTimeInterval(seconds)
            let commits = Locked(0)
            let failures = Locked<[String]>([])
            let group = DispatchGroup()
            for writer in 0..<8 {
                let session = Loan(value: try subject.session())
                try session.value.execute("SET deadlock_timeout TO '5ms'")
                group.enter()
                Thread.detachNewThread {
                    defer { group.leave() }
                    var random = SystemRandomNumberGenerator()
                    while Date() < end {
                        do {
                            try session.value.execute("BEGIN")
                            for _ in 0..<Int.random(in: 1...8, using: &random) {
                                let (id, other) = (Int.random(in: 0..<200), Int.random(in: 0..<200))
                                switch Int.random(in: 0..<8) {
                                case 0...2:
                                    try session.value.execute(
                                        "INSERT INTO item VALUES (\(id), \(writer)) ON CONFLICT (id) DO UPDATE SET a = item.a + 1"
                                    )
                                case 3:
                                    try session.value.execute(
                                        "DELETE FROM item WHERE id BETWEEN \(id) AND \(id + 3)")
                                case 4:
                                    try session.value.execute(
                                        "UPDATE item SET id = \(other) WHERE id = \(id) AND NOT EXISTS (SELECT FROM item WHERE id = \(other))"
                                    )
                                case 5:
                                    try session.value.execute(
                                        "SAVEPOINT s; DELETE FROM item WHERE id = \(id); ROLLBACK TO s"
                                    )
                                default:
                                    try session.value.execute(
                                        "UPDATE item SET a = a + 1 WHERE id % 20 = \(id % 20)")
                                }
                            }
                            if Int.random(in: 0..<10) == 0 {
                                try session.value.execute("ROLLBACK")
                            } else {
                                try session.value.execute("COMMIT")
                                commits.withLock { $0 += 1 }
                            }
                        } catch {
                            // Deadlocks and unique keys are the writers' own; anything else is ours.
                            let state = session.value.lastState ?? ""
                            if state != "40P01", state != "23505" {
                                failures.withLock { $0.append("\(state) \(error)") }
                            }
                            do { try session.value.execute("ROLLBACK") } catch {}
                        }
                    }
                }
            }

            var held: [Key: [Value]] = [:]
            var checkpoint: Checkpoint?
            var rounds = 0
            var isLast = false
            repeat {
                if group.wait(timeout: .now()) == .success { isLast = true }
                // One state of the database: everything beyond the checkpoint, then what the table holds.
                let (next, changed, rows, all) = try subject.snapshot { connection in
                    let next = try connection.currentCheckpoint()
                    var changed: [TrackedRow] = []
                    let query: TrackingQuery =
                        checkpoint.map { .beyond(since: $0, within: nil) }
                        ?? .fromNothing(copiedAt: nil, within: nil)
                    var after: TrackingPosition?
                    while true {
                        let part = try connection.trackedRows(
                            table, in: .everything, query, after: after, limit: 7)
                        changed += part
                        guard let last = part.last, part.count == 7 else { break }
                        after = TrackingPosition(version: last.version ?? 0, key: last.key)
                    }
                    let rows = try connection.rows(
                        table, keys: changed.map(\.key), in: [.everything])
                    let all = try connection.run("SELECT id, a FROM item", [])
                    return (next, changed, rows, all)
                }
                for row in changed { held[row.key] = nil }
                for row in rows { held[table.description.key(of: row)] = row }
                checkpoint = next
                rounds += 1
                let central = Set(all.map { [$0[0], $0[1]] })
                let local = Set(held.values.map { [$0[0], $0[1]] })
                #expect(central == local, "round \(rounds)")
                if central != local { break }
            } while !isLast
            group.wait()
            #expect(failures.withLock { $0 } == [])
            print(
                "torture: \(commits.withLock { $0 }) commits, \(rounds) rounds of reading in \(seconds) s"
            )
        }
    }
}

/// A session handed to the one thread that uses it.
private struct Loan: @unchecked Sendable { let value: PostgresSession }
