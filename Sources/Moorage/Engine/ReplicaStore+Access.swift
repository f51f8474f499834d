import GRDB

extension ReplicaStore {
    /// Reads the file, on a reader of the database if it has any. The app's writes never wait for
    /// it.
    func reading<Result: Sendable>(
        _ database: any DatabaseWriter,
        _ body: @escaping @Sendable (Database, ReplicaStore) throws -> Result
    ) async throws -> Result {
        do {
            return try await readingPlainly(database, body)
        } catch {
            throw SyncDriver.readable(error)
        }
    }

    /// The same, and throws what reading throws.
    func readingPlainly<Result: Sendable>(
        _ database: any DatabaseWriter,
        _ body: @escaping @Sendable (Database, ReplicaStore) throws -> Result
    ) async throws -> Result {
        if database is DatabasePool { return try await database.read { try body($0, self) } }
        // It has no readers, and its `read` ends the process if the app has closed it.
        return try await database.writeWithoutTransaction { db in
            try db.returning(.deferred) { try body(db, self) }
        }
    }

    /// Writes to the file on the database's own queue, and converts errors.
    func access<Result: Sendable>(
        _ database: any DatabaseWriter,
        _ body: @escaping @Sendable (Database, ReplicaStore) throws -> Result
    ) async throws -> Result {
        do {
            return try await database.writeWithoutTransaction { try body($0, self) }
        } catch {
            throw SyncDriver.readable(error)
        }
    }
}
