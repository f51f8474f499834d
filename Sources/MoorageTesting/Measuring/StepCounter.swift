package import GRDB
import GRDBSQLite

/// What SQLite does for a piece of work, in steps of its virtual machine: the same on every machine, and
/// in every load.
package enum StepCounter {
    /// - Parameter queue: The only connection that the work uses.
    package static func steps(of queue: DatabaseQueue, _ work: () throws -> Void) rethrows -> Int {
        let count = UnsafeMutablePointer<Int>.allocate(capacity: 1)
        count.initialize(to: 0)
        defer { count.deallocate() }
        queue.writeWithoutTransaction { db in
            sqlite3_progress_handler(
                db.sqliteConnection, 1,
                { target in
                    target?.assumingMemoryBound(to: Int.self).pointee += 1
                    return 0
                }, UnsafeMutableRawPointer(count))
        }
        defer {
            queue.writeWithoutTransaction {
                sqlite3_progress_handler($0.sqliteConnection, 0, nil, nil)
            }
        }
        try work()
        return count.pointee
    }
}
