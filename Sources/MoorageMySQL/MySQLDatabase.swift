public import MoorageHub

/// The connector to MariaDB 10.6 and newer and MySQL 8.0.22 and newer, on libmariadb.
///
/// Its clock is numbered (docs/reference/hub.md, Versions and checkpoints). Triggers record in a
/// queue which rows were written. A numbering step, one at a time, gives committed changes the next
/// number. It then derives what the tracking tables say (docs/decisions/0036). The clock is exact,
/// because a queue's row becomes visible together with its change in every snapshot.
public final class MySQLDatabase: CentralDatabase {
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
        /// How long one statement may run; `nil` sets no limit. MySQL limits those that only read.
        public var statementTimeout: Duration?
        /// How long a statement waits for a row's lock, in whole seconds, at least one.
        public var lockTimeout: Duration
        /// How long a step of attaching waits for a table's lock, in whole seconds, at least one.
        /// The owner's writers never queue behind it for longer.
        public var stepLockTimeout: Duration
        /// Whether to write rows as arrays of arguments, where the server can. Otherwise one
        /// statement writes many rows.
        public var bindsArrays: Bool

        /// The defaults are those of `moorage serve`. They are also in
        /// docs/reference/configuration.md.
        public init(
            maximumConnections: Int = 8, maximumWaiters: Int = 1_000,
            acquireTimeout: Duration = .seconds(30), maximumLifetime: Duration = .seconds(1800),
            statementTimeout: Duration? = nil,
            lockTimeout: Duration = .seconds(10), stepLockTimeout: Duration = .seconds(1),
            bindsArrays: Bool = true
        ) {
            self.maximumConnections = maximumConnections
            self.maximumWaiters = maximumWaiters
            self.acquireTimeout = acquireTimeout
            self.maximumLifetime = maximumLifetime
            self.statementTimeout = statementTimeout
            self.lockTimeout = lockTimeout
            self.stepLockTimeout = stepLockTimeout
            self.bindsArrays = bindsArrays
        }
    }

    private let pool: ConnectionPool<MySQLConnection>

    /// Opens no connection yet. Work opens connections when it needs them.
    ///
    /// - Parameter url: `mysql://user:password@host:port/database`, or `mariadb://…`, with the
    ///   options `tls` (`preferred`, `required`, `verified`, `disabled`), `ca` (a file of
    ///   certificates) and `socket`.
    /// - Throws: ``CentralError`` of kind `failed` when the URL cannot be read. Its message never
    ///   repeats the URL, which may contain a password.
    public init(url: String, options: Options = Options()) throws {
        let address = try MySQLAddress(url: url)
        pool = ConnectionPool(
            maximumConnections: options.maximumConnections,
            maximumWaiters: options.maximumWaiters, acquireTimeout: options.acquireTimeout,
            maximumLifetime: options.maximumLifetime
        ) { MySQLConnection(address: address, options: options) }
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
