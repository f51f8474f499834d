public import MoorageHub

/// A central database that lends each connection of another one behind a double of it.
public struct ForwardingDatabase: CentralDatabase {
    private let base: any CentralDatabase
    private let wrap: @Sendable (any CentralConnection) throws -> any CentralConnection

    /// - Parameters:
    ///   - base: The database that lends the connections.
    ///   - wrap: Makes the double of a connection that is about to be lent. An error that it throws
    ///     goes to whoever asked for the connection.
    public init(
        _ base: any CentralDatabase,
        _ wrap: @escaping @Sendable (any CentralConnection) throws -> any CentralConnection
    ) {
        self.base = base
        self.wrap = wrap
    }

    public func withConnection<Result: Sendable>(
        _ work: @escaping @Sendable (any CentralConnection) throws -> Result
    ) async throws -> Result {
        try await base.withConnection { [wrap] in try work(wrap($0)) }
    }

    public func perform<Result>(_ work: (any CentralConnection) throws -> Result) throws -> Result {
        try base.perform { try work(wrap($0)) }
    }
}
