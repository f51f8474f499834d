import Foundation
import Moorage
import MoorageCore
import MoorageHub
import TestSupport
import Testing

@testable import MoorageMySQL

/// More keys stand in the queues than a reader can list, because others write faster than it numbers.
@Suite(.ownThreads, .serialized, .enabled(if: !MySQLServer.all.isEmpty)) struct `A long queue` {
    private static let settings = ScopeSettings(
        rules: ["t": [ScopeRule(.column(kind: "area", "area"))]],
        holdings: ["area": .claim("area")])

    private static func numbers(_ range: ClosedRange<Int>) -> String {
        range.map { "(\($0), 1, 0)" }.joined(separator: ", ")
    }

    /// What a scan passes over comes with its number; the rest it meets now.
    @Test(arguments: MySQLServer.all, [false, true])
    func `is passed over by a scan, and lets nobody catch up`(server: MySQLServer, isScoped: Bool)
        throws
    {
        try server.withDatabase { subject in
            let owner = try subject.session()
            try owner.plain(
                """
                CREATE TABLE t (id INT PRIMARY KEY, area INT, n INT NOT NULL) ENGINE = InnoDB;
                INSERT INTO t VALUES \(Self.numbers(1...100))
                """)
            try subject.attach(scopes: isScoped ? Self.settings : ScopeSettings())
            try owner.plain("DELETE FROM t WHERE id > 90")
            try subject.database.perform { try $0.numberChanges() }
            try owner.plain(
                """
                UPDATE t SET n = 1 WHERE id <= 40; DELETE FROM t WHERE id = 80;
                INSERT INTO t VALUES \(Self.numbers(1_001...(1_001 + UnnumberedRows.mostKeys)))
                """)
            let scope = isScoped ? Scope("area/1") : .everything
            try subject.database.perform { connection in
                let table = try #require(try connection.attachedTables().first)
                func read(_ query: TrackingQuery) throws -> (keys: Set<Int64>, isPartial: Bool) {
                    let content = try connection.content(
                        table, columns: [0], in: scope, query, after: nil, limit: 100_000)
                    let keys = (0..<content.count).compactMap { row -> Int64? in
                        if case .integer(let key) = content.keys[row][0] { key } else { nil }
                    }
                    return (Set(keys), content.isPartial)
                }
                try connection.begin(.snapshot)
                let checkpoint = try connection.currentCheckpoint()
                let scan = try read(.fromNothing(copiedAt: nil, within: checkpoint))
                #expect(scan.keys == Set(41...90).subtracting([80]))
                #expect(!scan.isPartial)
                #expect(try read(.fromNothing(copiedAt: nil, within: nil)).isPartial)
                #expect(
                    try connection.changedScopes(table, among: [scope], beyond: checkpoint) == [
                        scope
                    ])
                connection.rollback()
                try connection.numberChanges()
                try connection.begin(.snapshot)
                defer { connection.rollback() }
                let rest = try read(.beyond(since: checkpoint, within: nil))
                #expect(rest.keys.isSuperset(of: Array(1...40) + [80, 1_001]))
                #expect(rest.keys.isDisjoint(with: 41...79))
                #expect(!rest.isPartial)
            }
        }
    }

    /// Their list would be more than a packet holds, and so would that of an attach.
    @Test(arguments: MySQLServer.first)
    func `may be one of few keys that are long`(server: MySQLServer) throws {
        try server.withDatabase { subject in
            let owner = try subject.session()
            try owner.plain(
                """
                CREATE TABLE t (id VARCHAR(2700) CHARACTER SET ascii PRIMARY KEY, n INT NOT NULL)
                  ENGINE = InnoDB ROW_FORMAT = DYNAMIC
                """)
            for hundred in 0..<50 {
                let rows = (0..<100).map { "(concat(repeat('x', 2690), \(hundred * 100 + $0)), 0)" }
                try owner.plain("INSERT INTO t VALUES \(rows.joined(separator: ", "))")
            }
            try subject.attach()
            let tracked = "SELECT count(*) FROM moorage_track_1_t WHERE live"
            #expect(try owner.cell(tracked) == "5000")
            try owner.plain("UPDATE t SET n = 1")
            try subject.database.perform { connection in
                let table = try #require(try connection.attachedTables().first)
                try connection.begin(.snapshot)
                defer { connection.rollback() }
                let content = try connection.content(
                    table, columns: [0], in: .everything, .fromNothing(copiedAt: nil, within: nil),
                    after: nil, limit: 10)
                #expect(content.isPartial && content.count == 0)
            }
        }
    }

    @Test func `is numbered by statements that a packet holds`() {
        let alternating = QueueIDs((0..<1_000).map { UInt64.max - 4_000 + $0 * 2 })
        let pairs = QueueIDs((0..<1_000).map { UInt64.max - 4_000 + $0 * 3 / 2 })
        for ids in [alternating, pairs] {
            let size = ids.condition("u.id").utf8.count
            #expect(size <= 1_000 * QueueIDs.bytesEach)
        }
    }

    /// One that goes on by itself until it is ended.
    private final class Writer: @unchecked Sendable {
        private let end = DispatchSemaphore(value: 0)
        private let done = DispatchSemaphore(value: 0)
        private var failure: (any Error)?

        init(_ subject: MySQLSubject, _ statement: String) {
            Thread.detachNewThread { [self] in
                do {
                    let session = try subject.session()
                    while end.wait(timeout: .now()) == .timedOut { try session.plain(statement) }
                } catch { failure = error }
                done.signal()
            }
        }

        func stop() throws {
            end.signal()
            done.wait()
            if let failure { throw failure }
        }
    }

    @Test(arguments: MySQLServer.first)
    func `keeps no device from what others write`(server: MySQLServer) async throws {
        let rows = (1...12_000).map { "(\($0), 0)" }.joined(separator: ", ")
        try await Devices.run(
            server,
            """
            CREATE TABLE p (id INT PRIMARY KEY, n INT NOT NULL) #; INSERT INTO p VALUES \(rows);
            CREATE TABLE news (id INT PRIMARY KEY) #
            """
        ) { devices in
            let a = try await devices.clone("A", ["news", "p"])
            let writers = [0, 1].map {
                Writer(devices.subject, "UPDATE p SET n = n + 1 WHERE id % 2 = \($0)")
            }
            try devices.owner.plain("INSERT INTO news VALUES (1)")
            let synced = a.beginSync()
            var hasCome = false
            for _ in 0..<600 where !hasCome {
                try await Task.sleep(for: .milliseconds(100))
                hasCome = try await a.cell("SELECT count(*) FROM news") == "1"
            }
            #expect(hasCome)
            for writer in writers { try writer.stop() }
            #expect(await synced.value == nil)
            #expect(try await devices.differences(a) == [])
        }
    }
}
