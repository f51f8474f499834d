import Foundation
import GRDB
import MoorageCore
import MoorageHub
import MoorageSQLite
import MoorageSupport
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

@Suite(.ownThreads) struct `Subscriptions` {
    private static let schema = """
        CREATE TABLE product (id INTEGER NOT NULL PRIMARY KEY, name TEXT);
        CREATE TABLE project (id INTEGER NOT NULL PRIMARY KEY, name TEXT);
        CREATE TABLE task (
          id INTEGER NOT NULL PRIMARY KEY, project INTEGER NOT NULL REFERENCES project(id),
          title TEXT)
        """

    /// A hub with ten projects of ten tasks, which come on request, and many other rows.
    private final class Centre {
        let database: SQLiteDatabase
        let hub: Hub

        init(products: Int = 2) async throws {
            database = SQLiteDatabase(queue: try DatabaseQueue())
            try database.execute(
                """
                \(`Subscriptions`.schema);
                CREATE TABLE seat (project INTEGER NOT NULL, person TEXT NOT NULL);
                INSERT INTO seat SELECT value, 'ann' FROM json_each('[1, 2, 3, 42]');
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)
                INSERT INTO project SELECT i, 'p' FROM n;
                INSERT INTO task SELECT 10 * project.id + value, project.id, 't'
                FROM project, json_each('[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]');
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(products))
                INSERT INTO product SELECT i, 'x' FROM n
                """)
            var configuration = HubConfiguration()
            configuration.scopes = ScopeSettings(
                rules: [
                    "project": [ScopeRule(.column(kind: "project", "id"))],
                    "task": [ScopeRule(.through(["project"]))],
                ],
                holdings: [
                    "project": .query(ScopeQuery("SELECT project FROM seat WHERE person = :sub"))
                ], onRequest: ["project"])
            hub = Hub(database: database, configuration: configuration)
            _ = try await hub.attach(tables: ["product", "project", "task"])
        }

        func ann() -> DirectConnection { hub.connection(for: Principal(subject: "ann")) }
    }

    private let clock = ManualClock()

    private func device(
        _ hub: ReplicaHub, options: ReplicaOptions = ReplicaOptions()
    ) async throws -> (DatabaseQueue, Replica) {
        let queue = try DatabaseQueue()
        try await queue.write { try $0.execute(sql: Self.schema) }
        let replica = try await Replica(
            database: queue, hub: hub,
            tables: [.table("product"), .table("project"), .table("task")], options: options,
            clock: clock)
        return (queue, replica)
    }

    private func ids(_ table: String, _ queue: DatabaseQueue) async throws -> [Int64] {
        try await queue.read {
            try Int64.fetchAll($0, sql: "SELECT id FROM \(table) ORDER BY id")
        }
    }

    private func states(_ replica: Replica) async throws -> [String: Subscription.State] {
        Dictionary(
            try await replica.subscriptions.fetch().map { ($0.scope, $0.state) },
            uniquingKeysWith: { $1 })
    }

    @Test func `bring the rows of a scope, and take them away`() async throws {
        let centre = try await Centre()
        let (queue, replica) = try await device(.direct(centre.ann()))
        try await replica.sync()
        #expect(try await ids("project", queue) == [])
        try await replica.subscribe(to: "project/42", priority: .high)
        try await replica.subscribe(to: "project/1")
        #expect(try await states(replica) == ["project/42": .loading, "project/1": .loading])
        try await replica.sync()
        #expect(try await states(replica) == ["project/42": .complete, "project/1": .complete])
        #expect(try await ids("project", queue) == [1, 42])
        #expect(try await ids("task", queue) == Array(10...19) + Array(420...429))

        try await queue.write { db in
            try db.execute(sql: "UPDATE task SET title = 'mine' WHERE id = 420")
        }
        try await replica.unsubscribe(from: "project/42")
        try await replica.sync()
        #expect(try await ids("task", queue) == Array(10...19))
        #expect(try await ids("product", queue) == [1, 2])
        #expect(try await states(replica) == ["project/1": .complete])
        let title = try centre.database.perform {
            try $0.run("SELECT title FROM task WHERE id = 420", [])
        }
        #expect(title == [[.text("mine")]])
        #expect(try await replica.verify().isEmpty)
    }

    @Test func `to what a user may not see say so, and go on asking`() async throws {
        let centre = try await Centre()
        let (queue, replica) = try await device(.direct(centre.ann()))
        for scope in ["project/7", "project/1000", "project/1"] {
            try await replica.subscribe(to: scope)
        }
        try await replica.sync()
        #expect(
            try await states(replica) == [
                "project/7": .unavailable, "project/1000": .unavailable, "project/1": .complete,
            ])
        try centre.database.execute("INSERT INTO seat VALUES (7, 'ann')")
        try await replica.sync()
        #expect(try await states(replica)["project/7"] == .complete)
        #expect(try await ids("project", queue) == [1, 7])
    }

    @Test func `end after their time, which a second call begins anew`() async throws {
        let centre = try await Centre()
        let (queue, replica) = try await device(.direct(centre.ann()))
        try await replica.subscribe(to: "project/1", timeToLive: .seconds(60))
        try await replica.subscribe(to: "project/2", timeToLive: .seconds(60))
        try await replica.sync()
        clock.advance(.seconds(40))
        try await replica.subscribe(to: "project/2", timeToLive: .seconds(60))
        clock.advance(.seconds(30))
        // Only an exchange ends it.
        #expect(try await replica.subscriptions.fetch().count == 2)
        try await replica.sync()
        let left = try await replica.subscriptions.fetch()
        #expect(left.map(\.scope) == ["project/2"] && left[0].timeToLive == .seconds(60))
        #expect(left[0].endsAt == clock.now().addingTimeInterval(30))
        #expect(try await ids("project", queue) == [2])
        // No subscription outlives its time because a clock was set back.
        clock.advance(.seconds(-1_000))
        try await replica.sync()
        #expect(
            try await replica.subscriptions.fetch()[0].endsAt
                == clock.now().addingTimeInterval(60))
        clock.advance(.seconds(60))
        try await replica.sync()
        #expect(try await replica.subscriptions.fetch().isEmpty)
        #expect(try await ids("project", queue) == [])
    }

    @Test func `of high priority are whole before the rest has come`() async throws {
        let centre = try await Centre(products: 2_000)
        // A page of 50 rows in each exchange, and three exchanges.
        let cut = CutHub(centre.ann(), after: 3)
        var options = ReplicaOptions()
        options.maximumRowsPerPage = 50
        options.maximumPagesPerExchange = 1
        let (queue, replica) = try await device(.direct(cut), options: options)
        try await replica.subscribe(to: "project/42", priority: .high)
        try await replica.subscribe(to: "project/1", priority: .low)
        await #expect(throws: ReplicaError.self) { try await replica.sync() }
        #expect(try await ids("task", queue) == Array(420...429))
        #expect(try await ids("product", queue).count < 200)
        #expect(
            try await states(replica) == ["project/42": .complete, "project/1": .loading])
        // The scan under way reads in another order than this.
        try await replica.subscribe(to: "project/1", priority: .high)
        try await replica.subscribe(to: "project/2", priority: .high)
        #expect(try await states(replica)["project/1"] == .loading)
        #expect(try await states(replica)["project/2"] == .loading)
        cut.allow(1_000)
        try await replica.sync()
        #expect(try await ids("product", queue).count == 2_000)
        #expect(try await states(replica)["project/1"] == .complete)
        #expect(try await replica.verify().isEmpty)
    }

    @Test func `that ended leave changes that a restored hub forgot on the list`() async throws {
        let centre = try await Centre()
        let (queue, replica) = try await device(.direct(centre.ann()))
        try await replica.subscribe(to: "project/1")
        try await replica.sync()
        try await queue.write { db in
            try db.execute(
                sql:
                    "UPDATE task SET title = 'mine' WHERE id = 10; INSERT INTO task VALUES(5, 1, 'new')"
            )
        }
        try await replica.sync()
        try await replica.unsubscribe(from: "project/1")
        try await replica.sync()
        #expect(try await ids("task", queue) == [])
        // The owner restores a backup from before the two changes.
        try centre.database.execute(
            "UPDATE task SET title = 't' WHERE id = 10; DELETE FROM task WHERE id = 5")
        _ = try await centre.hub.attach(
            tables: ["product", "project", "task"], newEpoch: true)
        try await replica.sync()
        let listed = try await replica.refusedChanges.fetch()
        #expect(
            listed.map(\.kind) == [.update, .insert] || listed.map(\.kind) == [.insert, .update])
        #expect(listed.allSatisfy { $0.code == .recovered })
        #expect(listed.compactMap { $0.after["title"] }.contains(.text("mine")))
        let insert = try #require(listed.first { $0.kind == .insert })
        // The project of the task has to be here, too.
        try await replica.subscribe(to: "project/1")
        try await replica.sync()
        try await replica.retry(insert)
        try await replica.sync()
        let rows = try centre.database.perform {
            try $0.run("SELECT title FROM task WHERE id = 5", [])
        }
        #expect(rows == [[.text("new")]])
    }

    @Test func `reach their observers, and are forgotten with the user`() async throws {
        let centre = try await Centre()
        let (_, replica) = try await device(.direct(centre.ann()))
        try await replica.sync()
        var told = replica.subscriptions.values().makeAsyncIterator()
        #expect(try await told.next() == [])
        try await replica.subscribe(to: "project/3")
        let begun = try await told.another(than: [])
        #expect(begun?.map(\.state) == [.loading])
        try await replica.sync()
        while let next = try await told.next(), next.map(\.state) != [.complete] {}
        try await replica.startOver()
        while let next = try await told.next(), !next.isEmpty {}
        #expect(try await replica.subscriptions.fetch().isEmpty)
    }

    @Test func `that cannot be are refused, and nothing changes`() async throws {
        let centre = try await Centre()
        let (queue, replica) = try await device(.direct(centre.ann()))
        func code(_ scope: String, _ time: Duration? = nil) async -> ReplicaError.Code? {
            await #expect(throws: ReplicaError.self) {
                try await replica.subscribe(to: scope, timeToLive: time)
            }?.code
        }
        #expect(await code("") == .subscriptionInvalid)
        #expect(await code("project/1\0x") == .subscriptionInvalid)
        #expect(await code(String(repeating: "é", count: 151)) == .subscriptionInvalid)
        #expect(await code("project/1", .zero) == .subscriptionInvalid)
        #expect(await code("project/1", .seconds(400_000_000)) == .subscriptionInvalid)
        try await queue.write { db in
            try db.execute(
                sql: """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
                    INSERT INTO _moorage_subscription(scope, priority) SELECT 'x/' || i, 'low' FROM n
                    """)
        }
        #expect(await code("project/1") == .subscriptionInvalid)
        // One that is there can still be changed, and all fit into a request.
        try await replica.subscribe(to: "x/1", priority: .high)
        try await replica.sync()
        #expect(try await replica.subscriptions.fetch(limit: 20_000).count == 10_000)
        try await replica.unsubscribe(from: "x/1")
        try await replica.unsubscribe(from: "x/1")
    }
}

/// A hub that answers so many exchanges, and no more.
private final class CutHub: HubConnection {
    private let hub: DirectConnection
    private let left: Locked<Int>

    init(_ hub: DirectConnection, after count: Int) {
        self.hub = hub
        left = Locked(count)
    }

    func allow(_ count: Int) { left.withLock { $0 = count } }

    func exchange(
        _ request: consuming ExchangeRequest, receive: @Sendable (Frame) async throws -> Void
    ) async throws {
        let isCut = left.withLock { count in
            count -= 1
            return count < 0
        }
        if isCut { throw HubError(.unreachable, "Cut.") }
        try await hub.hub.exchange(request, receive: receive)
    }

    func schema() async throws -> SchemaAnswer { try await hub.hub.schema() }

    func compare(_ request: CompareRequest) async throws -> CompareAnswer {
        try await hub.hub.compare(request)
    }
}
