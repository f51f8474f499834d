import GRDB
import MoorageCore
import TestSupport
import Testing

@testable import Moorage

@Suite(.ownThreads) struct `A subscription in a file that is wiped` {
    @Test func `is forgotten, even if nothing else is in the file`() throws {
        let queue = try DatabaseQueue()
        let file = ReplicaFile(tables: Shop.tables())
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: Shop.sql)
            try file.open(db, newID: "0f0e0d0c-0b0a-4908-8706-050403020100")
            _ = try file.subscribe(
                db, to: "area/n", priority: .high, timeToLive: nil,
                now: DeviceTime(milliseconds: 0))
            #expect(try file.subscriptions(db).map(\.scope) == ["area/n"])
            try file.wipe(db)
            #expect(try file.subscriptions(db).isEmpty)
        }
    }
}
