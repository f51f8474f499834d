import Foundation
package import GRDB
import GRDBSQLite
public import MoorageHub

/// A SQLite file as the central database (docs/reference/hub.md, Versions and checkpoints: a
/// numbered clock).
///
/// One connection on its own queue serves all work, because SQLite has one writer anyway. Other
/// programs may use the file at the same time. Its journal mode stays as the owner set it.
public final class SQLiteDatabase: CentralDatabase {
    private let queue: DatabaseQueue
    private let cache = ConnectionCache()

    /// Opens a file, and creates it when it is missing.
    ///
    /// - Throws: ``CentralError`` of kind `unavailable`, or `failed` for a file that is no SQLite
    ///   database.
    public convenience init(path: String) throws {
        var configuration = Configuration()
        configuration.label = "moorage.central"
        configuration.busyMode = .timeout(5)
        configuration.foreignKeysEnabled = true
        do {
            self.init(queue: try DatabaseQueue(path: path, configuration: configuration))
        } catch let error as DatabaseError where error.resultCode == .SQLITE_NOTADB {
            throw CentralError.notDatabase(path)
        } catch {
            throw CentralError.cannotOpen(path)
        }
    }

    /// A database in memory, for tests.
    public convenience init() throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = true
        self.init(queue: try DatabaseQueue(configuration: configuration))
    }

    /// Uses a connection that the caller created and may continue to use.
    package init(queue: DatabaseQueue) { self.queue = queue }

    public func withConnection<Result: Sendable>(
        _ work: @escaping @Sendable (any CentralConnection) throws -> Result
    ) async throws -> Result {
        let interruption = Interruption()
        defer { interruption.end() }
        do {
            return try await withTaskCancellationHandler {
                try await queue.writeWithoutTransaction { [cache] in
                    try Self.lend($0, cache, interruption, to: work)
                }
            } onCancel: {
                interruption.begin()
            }
        } catch {
            // The statement of a task that is cancelled was interrupted.
            try Task.checkCancellation()
            throw error
        }
    }

    public func perform<Result>(_ work: (any CentralConnection) throws -> Result) throws -> Result {
        try queue.writeWithoutTransaction { try Self.lend($0, cache, nil, to: work) }
    }

    /// The owner's own SQL on the same database, for tests and for programs that embed a hub.
    public func execute(_ sql: String) throws {
        try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
    }

    private static func lend<Result>(
        _ database: Database, _ cache: ConnectionCache, _ interruption: Interruption?,
        to work: (any CentralConnection) throws -> Result
    ) throws -> Result {
        guard let handle = database.sqliteConnection else { throw CentralError.closed }
        let connection = SQLiteConnection(database, handle, cache: cache)
        // GRDB treats a transaction that is left open as a programmer's error, and stops.
        defer { connection.rollback() }
        guard let interruption else { return try work(connection) }
        return try interruption.covering(handle) { try work(connection) }
    }
}
