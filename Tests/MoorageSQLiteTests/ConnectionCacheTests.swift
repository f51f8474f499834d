import GRDB
import MoorageCore
import MoorageHub
import TestSupport
import Testing

@testable import MoorageSQLite

/// What one piece of work leaves for the next.
@Suite(.ownThreads) struct `What a connection keeps` {
    private func attached(_ queue: DatabaseQueue) throws -> SQLiteDatabase {
        let database = SQLiteDatabase(queue: queue)
        try database.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)")
        try database.perform { connection in
            _ = try Attachment(on: connection, makeID: { "id" }).attach(tables: nil)
        }
        return database
    }

    @Test func `does not keep its owner from closing it`() throws {
        let queue = try DatabaseQueue()
        let database = try attached(queue)
        try database.execute("INSERT INTO t VALUES (1, 'x')")
        try database.perform { try $0.numberChanges() }
        try queue.close()
    }

    @Test func `of the schema lasts until the schema moves`() throws {
        let cache = ConnectionCache()
        var reads = 0
        func read(_ stamp: String, on database: Database) {
            cache.forget(unless: stamp, on: database)
            _ = cache.tracked(at: stamp) {
                reads += 1
                return []
            }
        }
        try DatabaseQueue().writeWithoutTransaction { database in
            for _ in 0..<2 { read("1", on: database) }
            #expect(reads == 1)
            read("2", on: database)
            #expect(reads == 2)
            // Our own steps may be rolled back, and another change may then get the same stamp.
            cache.isSchemaSteady = false
            for _ in 0..<2 { read("3", on: database) }
            #expect(reads == 4)
            cache.beginWork()
            for _ in 0..<2 { read("3", on: database) }
            #expect(reads == 5)
        }
    }

    @Test func `sees a table that was made since`() throws {
        let database = try attached(DatabaseQueue())
        try database.perform { try $0.numberChanges() }
        try database.execute("CREATE TABLE u (id INTEGER PRIMARY KEY)")
        try database.perform { connection in
            _ = try Attachment(on: connection, makeID: { "id" }).attach(tables: nil)
        }
        try database.execute("INSERT INTO u VALUES (1)")
        let unnumbered = try database.perform { connection in
            try connection.numberChanges()
            return try connection.run(
                "SELECT count(*) FROM moorage_track_2_u WHERE version IS NULL", [])
        }
        #expect(unnumbered == [[.integer(0)]])
    }
}
