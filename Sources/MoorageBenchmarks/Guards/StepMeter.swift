import GRDB
import GRDBSQLite

/// Counts the steps of SQLite's virtual machine on connections: the same on every machine that has the
/// same SQLite.
final class StepMeter {
    private let connections: [OpaquePointer]
    /// One for each connection: they may work on threads of their own.
    private let counts: UnsafeMutablePointer<Int>

    /// - Parameter connections: They must live until `stop()`.
    init(_ connections: [OpaquePointer]) {
        self.connections = connections
        counts = .allocate(capacity: max(1, connections.count))
        counts.initialize(repeating: 0, count: max(1, connections.count))
        for (index, connection) in connections.enumerated() {
            sqlite3_progress_handler(
                connection, 1,
                { count in
                    count?.assumingMemoryBound(to: Int.self).pointee += 1
                    return 0
                }, counts + index)
        }
    }

    deinit { counts.deallocate() }

    /// - Returns: The steps so far; `nil` of no connection.
    func stop() -> Int? {
        if connections.isEmpty { return nil }
        for connection in connections { sqlite3_progress_handler(connection, 0, nil, nil) }
        return connections.indices.reduce(0) { $0 + counts[$1] }
    }
}

extension DatabaseQueue {
    /// The queue's connection, to be counted.
    func handle() throws -> OpaquePointer {
        guard let handle = writeWithoutTransaction({ $0.sqliteConnection }) else {
            throw BenchmarkFailure("A database is closed.")
        }
        return handle
    }
}
