import MoorageCore
import MoorageHub
import TestSupport
import Testing

@testable import MooragePostgres

/// A transaction that is prepared is over for its session, and not over for anybody else.
@Suite(.ownThreads, .enabled(if: PostgresServer.preparesTransactions))
struct `A prepared transaction` {
    private func prepared(
        _ work: (PostgresSubject, PostgresSession, AttachedTable) throws -> Void
    ) throws {
        try PostgresServer.withDatabase { subject in
            let owner = try subject.session()
            try owner.execute(
                """
                CREATE TABLE item (id int PRIMARY KEY, a int); INSERT INTO item VALUES (1, 1), (2, 2)
                """)
            try subject.attach()
            // A database with one left cannot be dropped.
            defer {
                let left = try? owner.rows(
                    "SELECT format('ROLLBACK PREPARED %L', gid) FROM pg_prepared_xacts WHERE database = current_database()"
                )
                for statement in left ?? [] { try? owner.execute(statement[0] ?? "") }
            }
            try work(subject, owner, try subject.table("item"))
        }
    }

    @Test func `is delivered once it is committed, to who has gone on since`() throws {
        try prepared { subject, owner, table in
            let before = try subject.checkpoint()
            let gid = subject.name
            try owner.execute(
                """
                BEGIN; INSERT INTO item VALUES (3, 3); UPDATE item SET a = 9 WHERE id = 1;
                DELETE FROM item WHERE id = 2; PREPARE TRANSACTION '\(gid)'
                """)
            #expect(try subject.changes(table, since: before) == [])
            let other = try subject.session()
            try other.execute("INSERT INTO item VALUES (4, 4)")
            #expect(try subject.changes(table, since: before) == ["+4"])
            let passed = try subject.checkpoint()
            try other.execute("INSERT INTO item VALUES (5, 5)")
            let later = try subject.checkpoint()
            #expect(try subject.changes(table, since: passed) == ["+5"])
            #expect(try subject.tracked(table) == ["+1", "+2", "+4", "+5"])

            try other.execute("COMMIT PREPARED '\(gid)'")
            #expect(try subject.changes(table, since: later) == ["+1", "-2", "+3"])
            #expect(try subject.changes(table, since: passed) == ["+1", "-2", "+3", "+5"])
            #expect(try subject.changes(table, since: subject.checkpoint()) == [])
        }
    }

    @Test func `that is rolled back leaves nothing`() throws {
        try prepared { subject, owner, table in
            let before = try subject.checkpoint()
            try owner.execute(
                """
                BEGIN; INSERT INTO item VALUES (3, 3); DELETE FROM item WHERE id = 1; TRUNCATE item;
                PREPARE TRANSACTION '\(subject.name)'
                """)
            // TRUNCATE keeps readers out until then.
            try owner.execute("ROLLBACK PREPARED '\(subject.name)'")
            #expect(try subject.changes(table, since: before) == [])
            #expect(try subject.tracked(table) == ["+1", "+2"])
        }
    }

    @Test func `holds no tombstone back for ever`() throws {
        try prepared { subject, owner, table in
            try owner.execute(
                "BEGIN; DELETE FROM item WHERE id = 2; PREPARE TRANSACTION '\(subject.name)'")
            let horizon = try subject.checkpoint()
            func purge(_ checkpoint: Checkpoint) throws -> Int {
                try subject.write { try $0.purgeTombstones(table, within: checkpoint, limit: 10) }
            }
            try owner.execute("COMMIT PREPARED '\(subject.name)'")
            // A cursor at that checkpoint has not heard of it.
            #expect(try purge(horizon) == 0)
            #expect(try purge(subject.checkpoint()) == 1)
        }
    }

    @Test func `in the way of an attach makes it give up, and queues no writer`() throws {
        try prepared { subject, owner, _ in
            try owner.execute(
                "BEGIN; UPDATE item SET a = 5 WHERE id = 1; PREPARE TRANSACTION '\(subject.name)'")
            let impatient = try PostgresDatabase(
                url: PostgresServer.url(database: subject.name),
                options: .init(stepLockTimeout: .milliseconds(20)))
            defer { impatient.close() }
            let error = #expect(throws: CentralError.self) {
                try impatient.perform { connection in
                    try Attachment(on: connection) { "id" }.attach(tables: nil)
                }
            }
            #expect(error?.kind == .conflict)
            // Nobody waits behind it.
            try owner.execute("SET lock_timeout TO '60s'; UPDATE item SET a = 6 WHERE id = 2")
            try owner.execute("COMMIT PREPARED '\(subject.name)'")
            try impatient.perform { connection in
                _ = try Attachment(on: connection) { "id" }.attach(tables: nil)
            }
        }
    }
}
