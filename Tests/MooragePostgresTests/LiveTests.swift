import Foundation
import MoorageCore
import MoorageHub
import MoorageTesting
import MoorageWire
import TestSupport
import Testing

@testable import MooragePostgres

@Suite(.ownThreads, .enabled(if: PostgresServer.isAvailable)) struct `A live stream from PostgreSQL`
{
    private actor Copy {
        private(set) var rows: [Value: Value] = [:]
        private(set) var isOpen = false

        func receive(_ page: Page) {
            for row in page.tables.flatMap(\.rows) { rows[row[0]] = row[1] }
            for key in page.removals.flatMap(\.keys) { rows[key.values[0]] = nil }
            isOpen = isOpen || page.isCaughtUp
        }
    }

    @Test func `brings commits of sessions that know nothing of the hub, in any order`()
        async throws
    {
        try await PostgresServer.withDatabase { (subject: PostgresSubject) async throws in
            let (first, second) = (try subject.session(), try subject.session())
            try first.execute("CREATE TABLE item (id bigint PRIMARY KEY, note text)")
            var configuration = HubConfiguration()
            configuration.live.interval = .milliseconds(5)
            let hub = Hub(database: subject.database, configuration: configuration)
            _ = try await hub.attach()
            let copy = Copy()
            let request = ExchangeRequest(
                replica: "00000000-0000-4000-8000-000000000001", hub: nil, sentAt: 0,
                tables: [TableColumns(name: "item", columns: ["id", "note"])], cursor: .start,
                schemaVersion: nil, batch: nil, limits: PageLimits(), isLive: true)
            let task = Task {
                try await hub.exchange(request) { frame in
                    if case .page(let page) = frame { await copy.receive(page) }
                }
            }
            try await eventually("it is open") { await copy.isOpen }
            // The one that began first commits last.
            try first.execute("BEGIN; INSERT INTO item VALUES (1, 'early')")
            try second.execute("INSERT INTO item VALUES (2, 'late')")
            try await eventually("the one that began later has come") {
                await copy.rows[.integer(2)] == .text("late")
            }
            #expect(await copy.rows[.integer(1)] == nil)
            try first.execute("COMMIT")
            try await eventually("the one that began first has come") {
                await copy.rows[.integer(1)] == .text("early")
            }
            try second.execute("DELETE FROM item WHERE id = 1; UPDATE item SET note = 'new'")
            try await eventually("removal and update have come") {
                await copy.rows == [.integer(2): .text("new")]
            }
            task.cancel()
            _ = await task.result
        }
    }
}
