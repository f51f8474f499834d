/// A connector: how the hub reaches one central database.
///
/// The hub decides, the connector reads and writes. This contract hides how databases differ.
/// `ConnectorConformance` in `MoorageTesting` checks what a connector must do.
public protocol CentralDatabase: Sendable {
    /// Runs synchronous work on a connection's own thread, never on a thread that Swift's tasks
    /// share.
    ///
    /// The connection is lent for the duration of the work. Afterwards it has no open transaction.
    ///
    /// - Throws: What the work throws; ``CentralError`` of kind `unavailable` when no connection
    ///   becomes free in time; `CancellationError` if the task is cancelled while it waits for one.
    ///   A connector may also interrupt the statement of such a task, and throws that error then.
    func withConnection<Result: Sendable>(
        _ work: @escaping @Sendable (any CentralConnection) throws -> Result
    ) async throws -> Result

    /// The same on the calling thread, which waits: for tools, and for tests that run without
    /// tasks.
    func perform<Result>(_ work: (any CentralConnection) throws -> Result) throws -> Result
}
