public import MoorageHub

/// The connector to PostgreSQL 13 and newer, on libpq.
///
/// Its clock is the snapshot (docs/design.md, 5.2): a version is the writing transaction, a checkpoint is
/// `pg_current_snapshot()`, and both are exact because the server itself says which transactions a
/// snapshot shows. It needs the primary: the snapshots of a hot standby know no running
/// transactions.
public final class PostgresDatabase: CentralDatabase {
    /// What can be set; every value has a default.
    public struct Options: Sendable {
        /// Connections that are open at most, each with a thread of its own.
        public var maximumConnections: Int
        /// How many pieces of work wait at most for a free connection. One more fails at once.
        public var maximumWaiters: Int
        /// How long work waits for a free connection before it fails as `unavailable`.
        public var acquireTimeout: Duration
        /// A connection older than this is closed and opened again before its next use.
        public var maximumLifetime: Duration
        /// How long one statement may run; `nil` sets no limit.
        public var statementTimeout: Duration?
        /// How long a statement waits for a lock; `nil` sets no limit.
        public var lockTimeout: Duration?
        /// How long a step of attaching waits for a lock, so that it never queues the owner's
        /// writers behind it.
        public var stepLockTimeout: Duration

        public init(
            maximumConnections: Int = 8, maximumWaiters: Int = 1_000,
            acquireTimeout: Duration = .seconds(30), maximumLifetime: Duration = .seconds(1800),
            statementTimeout: Duration? = nil,
            lockTimeout: Duration? = .seconds(10), stepLockTimeout: Duration = .seconds(2)
        ) {
            self.maximumConnections = maximumConnections
            self.maximumWaiters = maximumWaiters
            self.acquireTimeout = acquireTimeout
            self.maximumLifetime = maximumLifetime
            self.statementTimeout = statementTimeout
            self.lockTimeout = lockTimeout
            self.stepLockTimeout = stepLockTimeout
        }
    }

    private let pool: ConnectionPool<PostgresConnection>

    /// Opens nothing yet: connections are made when work asks for them.
    ///
    /// - Parameter url: `postgres://user:password@host:port/database?…`, as libpq reads it, and two
    ///   options beside libpq's: `schema`, the schema whose tables are synced (`public`), and `pooling`:
    ///   `transaction` where a pooler gives each transaction another session, `session` where each
    ///   connection keeps its own. Without it the connector finds out.
    /// - Throws: ``CentralError`` of kind `failed` when the URL cannot be read; its message never
    ///   repeats the URL, which may hold a password.
    public init(url: String, options: Options = Options()) throws {
        let address = try PostgresAddress(url: url)
        pool = ConnectionPool(
            maximumConnections: options.maximumConnections,
            maximumWaiters: options.maximumWaiters, acquireTimeout: options.acquireTimeout,
            maximumLifetime: options.maximumLifetime
        ) { PostgresConnection(address: address, options: options) }
    }

    deinit { pool.close() }

    public func withConnection<Result: Sendable>(
        _ work: @escaping @Sendable (any CentralConnection) throws -> Result
    ) async throws -> Result {
        try await pool.withConnection { try work($0) }
    }

    public func perform<Result>(_ work: (any CentralConnection) throws -> Result) throws -> Result {
        try pool.perform { try work($0) }
    }

    /// Refuses work that still waits, and ends every thread and connection when its work is done.
    public func close() { pool.close() }
}
