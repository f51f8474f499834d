import Foundation

/// A database of our own on the server that `MOORAGE_TEST_POSTGRES` names.
struct PostgresScratch {
    let url: String
    private let server: String
    private let name: String

    static var serverURL: String? { ProcessInfo.processInfo.environment["MOORAGE_TEST_POSTGRES"] }

    init(_ server: String) throws {
        self.server = server
        name = "moorage_bench_\(UInt32.random(in: 0 ... .max))"
        guard var parts = URLComponents(string: server) else {
            throw BenchmarkFailure("MOORAGE_TEST_POSTGRES is no URL.")
        }
        parts.path = "/\(name)"
        guard let url = parts.string else {
            throw BenchmarkFailure("MOORAGE_TEST_POSTGRES is no URL.")
        }
        self.url = url
        try PostgresLink(server).run("CREATE DATABASE \(name)")
    }

    /// Makes a database for some work, and removes it afterwards, also after a failure.
    ///
    /// - Parameter missing: What is not measured where there is no server; the report says so then.
    /// - Returns: Whether there was a server.
    @discardableResult
    static func with(
        _ report: Report, orNote missing: String,
        _ body: (PostgresScratch) async throws -> Void
    ) async throws -> Bool {
        guard let serverURL else {
            report.note("MOORAGE_TEST_POSTGRES is not set: \(missing).")
            return false
        }
        let scratch = try PostgresScratch(serverURL)
        do {
            try await body(scratch)
        } catch {
            try scratch.remove()
            throw error
        }
        try scratch.remove()
        return true
    }

    func remove() throws {
        try PostgresLink(server).run("DROP DATABASE IF EXISTS \(name) WITH (FORCE)")
    }
}
