/// Ports for servers that tests start and may start again: below those that the system gives to
/// connections, and to servers on port 0.
enum FreePort {
    private static let range = 20_000..<32_000
    private static let attempts = 5

    /// A port that nobody listens on at the moment.
    private static func find() throws -> Int {
        for _ in 0..<100 {
            let port = Int.random(in: range)
            // It is closed again at once.
            if (try? Socket.listening(on: port)) != nil { return port }
        }
        throw Socket.Failure(description: "no port of \(range) is free")
    }

    /// Starts a server on a free port; on others where a program was faster to take it.
    static func start<Result>(_ start: (Int) async throws -> Result) async throws -> Result {
        for _ in 1..<attempts {
            do { return try await start(find()) } catch is ChildProcess.Failure {}
        }
        return try await start(find())
    }
}
