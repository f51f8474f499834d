import MoorageCore
import MoorageHub
import TestSupport
import Testing

@testable import MoorageMySQL

@Suite(.ownThreads, .enabled(if: !MySQLServer.all.isEmpty))
struct `A statement of a cancelled task` {
    /// One connection, so that the next work would get the same one.
    private static let options = MySQLDatabase.Options(maximumConnections: 1)

    private func session(_ database: MySQLDatabase) async throws -> [[Value]] {
        try await database.withConnection { try $0.run("SELECT connection_id()", []) }
    }

    @Test(arguments: MySQLServer.usual)
    func `ends at the server, with its transaction and its connection`(
        server: MySQLServer
    ) async throws {
        try await server.withDatabase(options: Self.options) { subject in
            let owner = try subject.session()
            try owner.plain("CREATE TABLE t (id INT PRIMARY KEY) ENGINE = InnoDB")
            let database = subject.mysql
            let first = try await session(database)
            let begun = AsyncStream.makeStream(of: Void.self)
            let task = Task {
                try await database.withConnection { connection in
                    try connection.begin(.write)
                    _ = try connection.run("INSERT INTO t VALUES (1)", [])
                    begun.continuation.yield()
                    // Killed, SLEEP alone answers as if it had ended.
                    let error = #expect(throws: CancellationError.self) {
                        _ = try connection.run("INSERT INTO t SELECT 2 + sleep(86400)", [])
                        _ = try connection.run("INSERT INTO t VALUES (3)", [])
                    }
                    // Nothing tries again, as after a lock that others have.
                    connection.rollback()
                    #expect(throws: CancellationError.self) { try connection.begin(.write) }
                    if let error { throw error }
                }
            }
            for await _ in begun.stream { break }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try await session(database) != first)
            #expect(try owner.rows("SELECT count(*) FROM t") == [["0"]])
        }
    }

    /// A killed `SLEEP` or `GET_LOCK` gives its statement another value, and not always an error.
    @Test(arguments: MySQLServer.usual, ["sleep(86400)", "coalesce(get_lock('busy', 86400), 7)"])
    func `commits nothing that the interruption made of it`(
        server: MySQLServer, slow: String
    ) async throws {
        try await server.withDatabase(options: Self.options) { subject in
            let owner = try subject.session()
            try owner.plain("CREATE TABLE t (id INT PRIMARY KEY) ENGINE = InnoDB")
            _ = try owner.rows("SELECT get_lock('busy', 1)")
            let database = subject.mysql
            let begun = AsyncStream.makeStream(of: Void.self)
            let task = Task {
                try await database.withConnection { connection in
                    try connection.begin(.write)
                    begun.continuation.yield()
                    _ = try connection.run("INSERT INTO t VALUES (\(slow))", [])
                    try connection.commit()
                }
            }
            for await _ in begun.stream { break }
            try await Task.sleep(for: .milliseconds(300))
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try owner.rows("SELECT id FROM t") == [])
        }
    }
}
