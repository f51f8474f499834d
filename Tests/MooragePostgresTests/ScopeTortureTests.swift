import Foundation
import MoorageCore
import MoorageHub
import MoorageTesting
import TestSupport
import Testing

@testable import MooragePostgres

/// Many programs move rows, what hangs below them, and their members at once.
@Suite(.ownThreads, .enabled(if: PostgresServer.isAvailable))
struct `Scopes under concurrent writers` {
    private static let isNightly = ProcessInfo.processInfo.environment["MOORAGE_NIGHTLY"] != nil

    @Test(arguments: 1...3)
    func `stay what the rules say, also above READ COMMITTED`(seed: Int) throws {
        let count = Self.isNightly ? 1_000 : 30
        var attached = WriterCount()
        try PostgresServer.withDatabase { subject in
            let world = try ScopedWorld(subject, seed: UInt64(seed), isAttached: true)
            attached = try write(subject, seed: seed, transactions: count)
            try world.check()
        }
        var plain = WriterCount()
        try PostgresServer.withDatabase { subject in
            _ = try ScopedWorld(subject, seed: UInt64(seed), isAttached: false)
            plain = try write(subject, seed: seed, transactions: count)
        }
        print("writers with scopes: \(attached); without Moorage: \(plain)")
        #expect(attached.committed > count)
        #expect(attached.unexpected.isEmpty, "\(attached.unexpected.prefix(3))")
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

    private func write(
        _ subject: PostgresSubject, seed: Int, transactions: Int
    ) throws -> WriterCount {
        let total = WriterTotal()
        let threads = try (0..<6).map { number in
            let session = try subject.openSession()
            let writer = Writer(
                session: session, random: SeededGenerator(seed: UInt64(seed * 100 + number)))
            let done = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                var writer = writer
                for _ in 0..<transactions { writer.transaction() }
                total.add(writer.count)
                done.signal()
            }
            return done
        }
        for thread in threads { thread.wait() }
        return total.count
    }
}

private struct WriterCount: CustomStringConvertible {
    var committed = 0
    /// Deadlocks, and failures to serialize.
    var conflicts = 0
    var refused = 0
    var unexpected: [String] = []

    var description: String {
        "\(committed) committed, \(conflicts) deadlocks or serialization failures, \(refused) refused"
    }
}

private final class WriterTotal: @unchecked Sendable {
    private let lock = NSLock()
    private var value = WriterCount()

    var count: WriterCount { lock.withLock { value } }

    func add(_ other: WriterCount) {
        lock.withLock {
            value.committed += other.committed
            value.conflicts += other.conflicts
            value.refused += other.refused
            value.unexpected += other.unexpected
        }
    }
}

private struct Writer: @unchecked Sendable {
    let session: any OwnerSession
    var random: SeededGenerator
    var count = WriterCount()

    init(session: any OwnerSession, random: SeededGenerator) {
        self.session = session
        self.random = random
    }

    mutating func transaction() {
        let level = ["READ COMMITTED", "READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"]
            .randomElement(using: &random)
        do {
            try session.execute("BEGIN ISOLATION LEVEL \(level ?? "READ COMMITTED")")
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                try session.execute(ScopedWorld.statement(using: &random))
            }
            let isKept = Int.random(in: 0...5, using: &random) > 0
            try session.execute(isKept ? "COMMIT" : "ROLLBACK")
            count.committed += isKept ? 1 : 0
        } catch {
            try? session.execute("ROLLBACK")
            switch (error as? CentralError)?.kind {
            case .conflict: count.conflicts += 1
            case .refused: count.refused += 1
            default: count.unexpected.append("\(error)")
            }
        }
    }
}
