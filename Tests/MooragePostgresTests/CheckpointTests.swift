import MoorageCore
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

    /// One statement after the other; each session writes rows of its own and waits for nobody. At
    /// night many write at once (`Checkpoints beside many writers`).
    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func `a reader between the statements of open transactions misses nothing`(seed: UInt64) throws
    {
        try PostgresServer.withDatabase { subject in
            try subject.session().execute(WrittenItems.schema)
            try subject.attach()
            let reader = CheckpointReader(subject, try subject.table("item"))
            let writers = try (0..<4).map { _ in try subject.session() }
            var random = SeededGenerator(seed: seed)
            var open: Set<Int> = []
            var found = 0
            for step in 0..<200 {
                let number = random.below(writers.count)
                let writer = writers[number]
                if open.insert(number).inserted { try writer.execute("BEGIN") }
                switch random.below(6) {
                case 0:
                    try writer.execute(random.once(in: 4) ? "ROLLBACK" : "COMMIT")
                    open.remove(number)
                default:
                    let ids = (number * 50)..<(number * 50 + 50)
                    try writer.execute(
                        WrittenItems.statement(in: ids, by: number, using: &random))
                }
                let isWhole = try reader.follow()
                #expect(isWhole, "seed \(seed), step \(step)")
                found = max(found, reader.count)
            }
            #expect(found > 0)
        }
    }
}
