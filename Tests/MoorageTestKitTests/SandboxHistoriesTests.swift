import Foundation
import GRDB
import Moorage
import MoorageHub
import MoorageSupport
import MoorageTestKit
import TestSupport
import Testing

@Suite(.ownThreads) struct `Random histories of an app` {
    private static var histories: SandboxHistories {
        SandboxHistories(tables: Harbour.tables, migrator: Harbour.migrator)
    }

    /// The gate runs some; the night 1,000 and more.
    private static let isNight = ProcessInfo.processInfo.environment["MOORAGE_NIGHTLY"] != nil

    @Test func `of random rows end with equal rows`() async throws {
        let count: UInt64 = Self.isNight ? 1_000 : 60
        let summary = try await Self.histories.run(seeds: 0..<count)
        NightPlan.figures("sandbox: \(summary)")
        #expect(summary.histories == Int(count))
        #expect(summary.edits > Int(count) * 5)
        #expect(summary.refusedEdits > 0)
        #expect(summary.lostSyncs > 0)
        #expect(summary.conflicts > 0)
    }

    /// All rows of all databases at the end, and what the histories contained.
    private static func outcome(
        _ seeds: Range<UInt64>, atOnce: Int
    ) async throws -> ([String], SandboxHistories.Summary) {
        let ends = Locked<[String]>([])
        var plan = histories
        plan.check = { db in
            let rows = try ["berth", "boat"].map { table in
                try Row.fetchAll(db, sql: "SELECT * FROM \(table) ORDER BY id").description
            }
            ends.withLock { $0.append(rows.joined()) }
        }
        let summary = try await plan.run(seeds: seeds, atOnce: atOnce)
        return (ends.withLock { $0.sorted() }, summary)
    }

    @Test func `are the same from the same seed`() async throws {
        let one = try await Self.outcome(5..<15, atOnce: 4)
        let other = try await Self.outcome(5..<15, atOnce: 1)
        #expect(one == other)
        #expect(one.0.count == 40)
        #expect(try await Self.outcome(15..<25, atOnce: 4) != one)
    }

    @Test func `of users have their rights`() async throws {
        var histories = Self.histories
        histories.configuration.rights = RightSettings(tables: [
            "boat": ["skipper": .all, "*": TableRights(read: true)]
        ])
        histories.users = [
            Principal(subject: "ann", claims: ["roles": ["skipper"]]), Principal(subject: "gil"),
        ]
        let summary = try await histories.run(seeds: 0..<20)
        // Guests' edits of boats are refused, and logged.
        #expect(summary.conflicts > 20)
    }

    @Test func `name the lowest seed that fails`() async throws {
        struct Broken: Error {}
        var histories = Self.histories
        histories.check = { db in
            if try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM boat") ?? 0 > 0 { throw Broken() }
        }
        let plan = histories
        let error = await #expect(throws: SandboxError.self) { try await plan.run(seeds: 0..<50) }
        #expect(error?.code == .historyFailed)
        let text = try #require(error?.message)
        let seed = try #require(UInt64(text.split(separator: "seeds: ")[1].prefix { $0.isNumber }))
        let again = await #expect(throws: SandboxError.self) {
            try await plan.run(seeds: seed..<seed + 1)
        }
        #expect(again?.message == text)
        #expect(error?.cause is Broken)
        try await plan.run(seeds: 0..<seed)
    }

    @Test func `say which table no random row fits`() async throws {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { db in
            try db.execute(
                sql: """
                    CREATE TABLE flag (
                      id TEXT NOT NULL PRIMARY KEY, code TEXT NOT NULL CHECK (code IN ('A', 'B')))
                    """)
        }
        let histories = SandboxHistories(tables: [.table("flag")], migrator: migrator)
        let error = await #expect(throws: SandboxError.self) {
            try await histories.run(seeds: 0..<5)
        }
        #expect(error?.code == .tableNotWritten)
    }
}
