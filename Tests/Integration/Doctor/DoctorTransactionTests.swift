import MoorageHub
import TestSupport
import Testing

@Suite(.ownThreads, .enabled(if: PostgresFixture.isThere))
struct `A doctor's look at transactions` {
    @Test func `names one that has been open for long on PostgreSQL`() async throws {
        try await LongTransaction.isNamed(on: .postgres)
    }
}

extension Alone {
    /// InnoDB renews its list of transactions only if no session on the server read it for 0.1 s.
    /// The doctors of other tests would keep the list old.
    @Suite(.ownThreads, .enabled(if: MariaDBFixture.isThere))
    struct `A doctor's look at transactions` {
        @Test func `names one that has been open for long on MariaDB`() async throws {
            try await LongTransaction.isNamed(on: .mariadb)
        }
    }
}

/// A session of the owner's that begins a transaction and does not end it.
private enum LongTransaction {
    private static let schema = [
        "CREATE TABLE note (id TEXT NOT NULL PRIMARY KEY, body TEXT)",
        "INSERT INTO note VALUES ('a', 'x')",
    ]

    static func isNamed(on kind: CentreKind) async throws {
        try await Patient.run(kind, schema) { patient in
            let session = try patient.centre.openSession()
            let id = try session.number(
                kind == .postgres ? "SELECT pg_backend_pid()" : "SELECT connection_id()")
            // A doctor looks at the whole server, where other tests have transactions too.
            func own(_ findings: [Finding]) -> [Finding] {
                findings.filter { $0.code == .longTransaction && $0.message.contains(" \(id) ") }
            }
            func found() async throws -> [Finding] {
                if kind == .mariadb { try await Task.sleep(for: .milliseconds(150)) }
                return try await own(patient.findings(longTransaction: .zero))
            }
            let start = ContinuousClock.now
            try session.run("BEGIN")
            try session.run("UPDATE note SET body = 'y'")
            var first: [Finding] = []
            try await eventually("the transaction is found") {
                first = try await found()
                return !first.isEmpty
            }
            #expect(first.count == 1)
            let usual = try await own(patient.hub.doctor())
            // By default the limit is one minute. A minute can only have passed on a machine that
            // paused.
            #expect(usual == [] || ContinuousClock.now - start >= .seconds(60))
            try await patient.repair(first)
            // The server ends the transaction asynchronously.
            try await eventually("the transaction is gone") { try await found().isEmpty }
            #expect(throws: (any Error).self) { try session.run("UPDATE note SET body = 'z'") }
        }
    }
}
