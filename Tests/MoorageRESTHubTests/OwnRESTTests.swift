import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageRESTHub
import MoorageSupport
import TestSupport
import Testing

/// A row of our own hub's REST interface, whose members have the names of columns.
private struct Errand: Codable, FetchableRecord, PersistableRecord, Sendable, Uploadable {
    static let databaseTableName = "task"
    static let path = "v1/tables/task"
    static let rest = RESTSettings(
        ids: .server, fetching: .pages(items: "rows", cursor: "after"),
        lostAnswers: .idempotencyKey)

    var id: Int64
    var title: String
    var done: Bool
    var price: Double?
}

@Suite(.ownThreads) struct `The REST interface of our own hub` {
    private static let central = """
        CREATE TABLE task(
          id INTEGER PRIMARY KEY, title TEXT NOT NULL CHECK (title <> ''),
          done BOOLEAN NOT NULL DEFAULT 0, price REAL, origin TEXT NOT NULL DEFAULT 'here');
        INSERT INTO task(title) VALUES ('One'), ('Two'), ('Three');
        """

    private func device(_ server: OwnREST) async throws -> (DatabaseQueue, Replica) {
        let database = try DatabaseQueue()
        try await database.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE task(
                      id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL,
                      done BOOLEAN NOT NULL DEFAULT 0, price DOUBLE)
                    """)
        }
        let hub = RESTHub(
            URL(string: "http://localhost:8080")!, [Errand.self], in: database, transport: server)
        return (database, try await hub.replica(options: Device.options))
    }

    private func titles(_ database: DatabaseQueue) async throws -> [String] {
        try await database.read {
            try String.fetchAll($0, sql: "SELECT title FROM task ORDER BY id")
        }
    }

    @Test func `is an API like any other`() async throws {
        let server = try await OwnREST(Self.central)
        let (database, replica) = try await device(server)
        try await replica.sync()
        #expect(try await titles(database) == ["One", "Two", "Three"])
        try await database.write { db in
            try db.execute(sql: "UPDATE task SET done = 1, price = 2.5 WHERE id = 1")
            try db.execute(sql: "DELETE FROM task WHERE id = 2")
            try db.execute(sql: "INSERT INTO task(id, title) VALUES (70, 'Four'), (71, '')")
        }
        try server.sql("UPDATE task SET title = 'Uno' WHERE id = 1")
        try await replica.sync()
        #expect(
            try server.rows("SELECT id, title, done, price, origin FROM task ORDER BY id") == [
                [.integer(1), .text("Uno"), .integer(1), .real(2.5), .text("here")],
                [.integer(3), .text("Three"), .integer(0), .null, .text("here")],
                [.integer(4), .text("Four"), .integer(0), .null, .text("here")],
            ])
        #expect(try await titles(database) == ["Uno", "Three", "Four"])
        let refused = try await replica.refusedChanges.fetch()
        #expect(refused.map(\.code) == [.check])
        #expect(replica.status.isCaughtUp)
        try server.sql("DELETE FROM task WHERE id = 3")
        try await replica.sync()
        #expect(try await titles(database) == ["Uno", "Four"])
        #expect(try await replica.verify().isEmpty)
    }

    @Test func `carries out a new row once`() async throws {
        let server = try await OwnREST(Self.central)
        let (database, replica) = try await device(server)
        try await database.write { try $0.execute(sql: "INSERT INTO task(title) VALUES ('Four')") }
        server.losing.withLock { $0 = "POST" }
        await #expect(throws: ReplicaError.self) { try await replica.sync() }
        try await replica.sync()
        #expect(try server.rows("SELECT title FROM task WHERE id > 3") == [[.text("Four")]])
        #expect(try await titles(database) == ["One", "Two", "Three", "Four"])
        #expect(server.log.withLock { $0.filter { $0.hasPrefix("POST") }.count } == 2)
    }

    @Test func `says when a row is another one`() async throws {
        let server = try await OwnREST(Self.central)
        let (database, replica) = try await device(server)
        try await replica.sync()
        try await database.write {
            try $0.execute(sql: "UPDATE task SET title = 'Mine' WHERE id = 1")
        }
        try server.sql("UPDATE task SET title = 'Theirs' WHERE id = 1")
        try await replica.sync()
        #expect(try await titles(database) == ["Theirs", "Two", "Three"])
        let conflict = try await replica.overruledChanges.fetch().first
        #expect(conflict?.mine == ["title": .text("Mine")])
    }
}
