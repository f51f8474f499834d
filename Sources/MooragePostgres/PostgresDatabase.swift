public import MoorageHub

/// The connector to PostgreSQL 13 and newer, on libpq.
///
/// Its clock is the snapshot (docs/reference/hub.md, Versions and checkpoints). A version is the
/// writing transaction, and a checkpoint is `pg_current_snapshot()`. Both are exact, because the
/// server itself says which transactions a snapshot shows. The connector needs the primary server,
/// because the snapshots of a hot standby do not know running transactions.
public final class PostgresDatabase: CentralDatabase {
    /// What can be set; every value has a default.
    public struct Options: Sendable {
        /// The maximum number of open connections, each with its own thread.
        public var maximumConnections: Int
        /// How many pieces of work may wait for a free connection. One more fails at once.
        public var maximumWaiters: Int
        /// How long work waits for a free connection before it fails as `unavailable`.
        public var acquireTimeout: Duration
        /// A connection older than this is closed and opened again before its next use.
        public var maximumLifetime: Duration
        /// How long one statement may run; `nil` sets no limit.
        public var statementTimeout: Duration?
        /// How long a statement waits for a lock; `nil` sets no limit.
        public var lockTimeout: Duration?
        /// How long a step of attaching waits for a lock. The owner's writers never queue behind it
        /// for longer.
        public var stepLockTimeout: Duration

        /// The defaults are those of `moorage serve`. They are also in
        /// docs/reference/configuration.md.
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

    /// Opens no connection yet. Work opens connections when it needs them.
    ///
    /// - Parameter url: `postgres://user:password@host:port/database?…`, as libpq reads it, with
    ///   two more options. `schema` is the schema whose tables are synced (`public`). `pooling` is
    ///   `transaction` where a pooler gives each transaction another session, and `session` where
    ///   each connection keeps its own. Without it the connector finds out.
    /// - Throws: ``CentralError`` of kind `failed` when the URL cannot be read. Its message never
    ///   repeats the URL, which may contain a password.
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
