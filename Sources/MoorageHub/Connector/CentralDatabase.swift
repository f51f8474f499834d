/// A connector: how the hub reaches one central database.
///
/// The hub decides, the connector reads and writes; whatever databases do differently is behind
/// this contract, and `ConnectorConformance` in `MoorageTesting` says what it must hold to.
public protocol CentralDatabase: Sendable {
    /// Runs synchronous work on a connection's own thread, never on a thread that Swift's tasks
    /// share.
    ///
    /// The connection is lent for the duration of the work and comes back with no transaction open.
    ///
    /// - Throws: What the work throws; ``CentralError`` of kind `unavailable` when no connection
    ///   can be had in time.
    func withConnection<Result: Sendable>(
        _ work: @escaping @Sendable (any CentralConnection) throws -> Result
    ) async throws -> Result

    /// The same on the calling thread, which waits: for tools, and for tests that run without tasks.
    func perform<Result>(_ work: (any CentralConnection) throws -> Result) throws -> Result
}
