import MoorageHub

/// A database that tells a test of each connection before it is lent.
struct WatchedDatabase: CentralDatabase {
    private let base: any CentralDatabase
    private let willLend: @Sendable () throws -> Void

    /// - Parameter willLend: What it throws goes to whoever asked for the connection.
    init(_ base: any CentralDatabase, _ willLend: @escaping @Sendable () throws -> Void) {
        self.base = base
        self.willLend = willLend
    }

    func withConnection<Result: Sendable>(
        _ work: @escaping @Sendable (any CentralConnection) throws -> Result
    ) async throws -> Result {
        try willLend()
        return try await base.withConnection(work)
    }

    func perform<Result>(_ work: (any CentralConnection) throws -> Result) throws -> Result {
        try willLend()
        return try base.perform(work)
    }
}
