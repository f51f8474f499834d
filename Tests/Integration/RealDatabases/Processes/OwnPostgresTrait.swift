import Testing

/// Gives a suite a PostgreSQL server of its own for as long as it runs.
struct OwnPostgresTrait: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard OwnPostgres.programs != nil else { return try await function() }
        let server = try await OwnPostgres.make()
        do {
            try await OwnPostgres.$current.withValue(server) { try await function() }
        } catch {
            try await server.server.remove()
            throw error
        }
        try await server.server.remove()
    }
}

extension Trait where Self == OwnPostgresTrait {
    static var ownPostgres: Self { Self() }
}
