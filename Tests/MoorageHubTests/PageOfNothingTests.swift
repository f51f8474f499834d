import Logging
import MoorageCore
import MoorageSQLite
import MoorageWire
import TestSupport
import Testing

@testable import MoorageHub

/// The page for a replica that is already up to date. It equals the page that a read would give.
@Suite(.ownThreads) struct `A page of nothing` {
    private let bench: HubBench

    init() throws {
        bench = try HubBench()
        for row in 0..<3 {
            try bench.sql("INSERT INTO customer (id, name) VALUES ('row \(row)', 'x')")
        }
    }

    /// - Parameter rows: Rows of one page.
    private func pull(
        _ connection: any CentralConnection, signedAs signature: String? = nil, rows: Int = 1_000
    ) throws -> Pull {
        try connection.numberChanges()
        let state = try HubStateReader(
            HubConfiguration(), logger: Logger(label: "hub") { _ in SwiftLogNoOpLogHandler() }
        ).state(connection)
        let tables = state.attached.tables.compactMap {
            RequestedTable(
                TableColumns(
                    name: $0.name, columns: $0.description.columns.map(\.name)),
                in: state.attached)
        }
        return Pull(
            connection: connection, epoch: state.facts.epoch, tables: tables, suspended: [],
            signatures: Dictionary(
                uniqueKeysWithValues: tables.map {
                    (Identifier($0.attached.name), signature ?? $0.restricted.signature)
                }),
            scopes: .everyones, signer: nil, limits: PageLimits(maximumRows: rows))
    }

    /// The cursor of a replica that has everything.
    private func caughtUp(_ pull: Pull) throws -> SyncCursor {
        var page: Page
        var cursor = SyncCursor.start
        repeat {
            page = try pull.page(after: cursor, answering: [])
            cursor = page.cursor
        } while !page.isCaughtUp
        return cursor
    }

    @Test func `is the page that would be read`() throws {
        try bench.database.perform { connection in
            let pull = try pull(connection)
            let cursor = try caughtUp(pull)
            let checkpoint = try #require(cursor.checkpoint)
            let page = pull.pageOfNothing(after: cursor, at: checkpoint)
            #expect(try page == pull.page(after: cursor, answering: []))
            #expect(page?.isCaughtUp == true)
        }
    }

    @Test func `is none for who stands elsewhere`() throws {
        let cursor = try bench.database.perform { try caughtUp(pull($0)) }
        try bench.sql("INSERT INTO customer (id, name) VALUES ('one more', 'x')")
        try bench.database.perform { connection in
            let now = try caughtUp(pull(connection))
            let checkpoint = try #require(now.checkpoint)
            #expect(checkpoint != cursor.checkpoint)
            #expect(try pull(connection).pageOfNothing(after: cursor, at: checkpoint) == nil)
            #expect(try pull(connection).pageOfNothing(after: .start, at: checkpoint) == nil)
        }
    }

    @Test func `is none for who has other columns, or is owed a row`() throws {
        try bench.database.perform { connection in
            let cursor = try caughtUp(pull(connection))
            let checkpoint = try #require(cursor.checkpoint)
            #expect(
                try pull(connection, signedAs: "other").pageOfNothing(after: cursor, at: checkpoint)
                    == nil)
            let ahead = SyncCursor(
                epoch: cursor.epoch, checkpoint: checkpoint, complete: cursor.complete,
                tables: cursor.tables,
                ahead: [RowName(table: "customer", key: RowKey([.text("row 1")]))])
            #expect(try pull(connection).pageOfNothing(after: ahead, at: checkpoint) == nil)
        }
    }

    @Test func `is none in the middle of a scan`() throws {
        try bench.database.perform { connection in
            let first = try pull(connection, rows: 1).page(after: .start, answering: [])
            let upperBound = try #require(first.cursor.scan?.upperBound)
            #expect(try pull(connection).pageOfNothing(after: first.cursor, at: upperBound) == nil)
        }
    }
}
