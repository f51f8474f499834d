import Foundation
import GRDB
import MoorageCore
import MoorageHub
import MoorageSQLite
import MoorageSupport
import MoorageTesting
import MoorageWire
import TestSupport
import Testing

/// How much SQLite works for one tenant's change and the exchange that brings it, beside few
/// tenants and beside many. The tests count steps of its virtual machine, not time.
@Suite(.ownThreads) struct `The cost of one tenant` {
    @Test(arguments: [true, false])
    func `does not depend on the others`(isScoped: Bool) throws {
        let few = try Tenants(count: 4, isScoped: isScoped).steps()
        let many = try Tenants(count: 60, isScoped: isScoped).steps()
        for (name, steps) in few {
            let others = try #require(many[name])
            // The index of a larger table may have one more level, but no more than that.
            #expect(steps > 0 && others <= steps + steps / 10, "\(name): \(steps), then \(others)")
        }
    }
}

private final class Tenants {
    private static let rowsEach = 30
    private let count: Int
    private let queue: DatabaseQueue
    private let hub: Hub
    private let replica = UUID().uuidString.lowercased()
    private let schema: String
    private var cursor = SyncCursor.start
    private var limits = PageLimits()
    private let isScoped: Bool

    init(count: Int, isScoped: Bool) throws {
        self.count = count
        self.isScoped = isScoped
        var settings = Configuration()
        settings.foreignKeysEnabled = true
        queue = try DatabaseQueue(configuration: settings)
        try queue.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    CREATE TABLE item (
                      id INTEGER PRIMARY KEY NOT NULL, tenant INTEGER NOT NULL, code TEXT UNIQUE,
                      note TEXT);
                    CREATE TABLE line (
                      item INTEGER NOT NULL REFERENCES item(id)
                        ON UPDATE CASCADE ON DELETE CASCADE,
                      number INTEGER NOT NULL, note TEXT, PRIMARY KEY (item, number));
                    CREATE TABLE tag (
                      name TEXT COLLATE NOCASE PRIMARY KEY NOT NULL, tenant INTEGER NOT NULL, note TEXT);
                    WITH RECURSIVE n(i) AS (
                      SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < \(count * Self.rowsEach - 1))
                    INSERT INTO item SELECT i, i % \(count), 'c' || i, 'note' FROM n;
                    INSERT INTO line SELECT id, 1, 'note' FROM item;
                    INSERT INTO tag SELECT 'Tag' || id, tenant, 'note' FROM item;
                    """)
        }
        var configuration = HubConfiguration()
        if isScoped {
            configuration.scopes = ScopeSettings(
                rules: [
                    "item": [ScopeRule(.column(kind: "tenant", "tenant"))],
                    "line": [ScopeRule(.through(["item"]))],
                    "tag": [ScopeRule(.column(kind: "tenant", "tenant"))],
                ], holdings: ["tenant": .claim("tenant")])
        }
        let database = SQLiteDatabase(queue: queue)
        hub = Hub(database: database, configuration: configuration)
        try database.perform { connection in
            _ = try Attachment(on: connection, scopes: configuration.scopes) { UUID().uuidString }
                .attach(tables: nil)
        }
        schema = try hub.currentSchema().schema.version
        while try !exchange() {}
    }

    /// The steps of each change, and of the exchange after it.
    func steps() throws -> [String: Int] {
        let changes = [
            "UPDATE item SET note = 'changed' WHERE id = \(count)",
            "UPDATE item SET code = 'c' WHERE id = \(count)",
            "UPDATE item SET id = -1 WHERE id = 0",
            "INSERT INTO item VALUES (-2, 0, 'd', 'new')",
            "INSERT INTO line VALUES (-2, 1, 'new')",
            "UPDATE line SET note = 'changed' WHERE item = \(2 * count)",
            "UPDATE line SET item = \(3 * count), number = 2 WHERE item = \(2 * count)",
            "UPDATE item SET tenant = 1 WHERE id = \(3 * count)",
            "UPDATE item SET tenant = 0 WHERE id = \(3 * count)",
            "UPDATE tag SET note = 'changed' WHERE name = 'tag\(2 * count)'",
            "UPDATE tag SET tenant = 1 WHERE name = 'tag\(3 * count)'",
            "REPLACE INTO tag VALUES ('TAG\(4 * count)', 0, 'other')",
            "DELETE FROM line WHERE item = \(4 * count)",
            "DELETE FROM item WHERE id = \(5 * count)",
            "REPLACE INTO item VALUES (\(6 * count), 0, 'c\(7 * count)', 'both')",
        ]
        // What SQLite reads once and then caches does not count.
        try queue.writeWithoutTransaction {
            try $0.execute(sql: "UPDATE item SET note = 'x' WHERE id = 0")
        }
        _ = try exchange()
        var steps: [String: Int] = [:]
        for (number, change) in changes.enumerated() {
            let kind = "\(number) \(change.prefix { $0 != "=" && $0 != "(" })"
            steps[kind] = try StepCounter.steps(of: queue) {
                try queue.writeWithoutTransaction { try $0.execute(sql: change) }
            }
            steps["the exchange after \(kind)"] = try StepCounter.steps(of: queue) {
                _ = try exchange()
            }
        }
        // Without scopes, a first copy has more rows.
        guard isScoped else { return steps }
        cursor = .start
        limits.maximumRows = 20
        steps["a first copy in pages"] = try StepCounter.steps(of: queue) {
            while try !exchange() {}
        }
        return steps
    }

    private func exchange() throws -> Bool {
        let request = ExchangeRequest(
            replica: replica, hub: nil, sentAt: DeviceTime(.now),
            tables: [
                TableColumns(name: "item", columns: ["id", "tenant", "code", "note"]),
                TableColumns(name: "line", columns: ["item", "number", "note"]),
                TableColumns(name: "tag", columns: ["name", "tenant", "note"]),
            ],
            cursor: cursor, schemaVersion: schema, batch: nil, limits: limits)
        var isCaughtUp = false
        try hub.exchange(request, for: Principal(subject: "ann", claims: ["tenant": ["0"]])) {
            guard case .page(let page) = $0 else { return }
            isCaughtUp = page.isCaughtUp
            cursor = page.cursor
        }
        return isCaughtUp
    }
}
