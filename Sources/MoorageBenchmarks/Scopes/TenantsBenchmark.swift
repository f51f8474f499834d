import Foundation
import MoorageCore
import MoorageHub
import MooragePostgres
import MoorageSQLite
import MoorageSupport
import MoorageWire

/// What one tenant's exchange costs beside the others in the same table: a row that somebody changes,
/// and the exchange that brings it.
struct TenantsBenchmark {
    let plan: Plan
    let folder: URL

    private static let rowsEach = 1_000
    private static let exchanges = 200

    /// A thousand tenants where a million rows are asked for.
    private var counts: [Int] { plan.rows >= 1_000_000 ? [10, 100, 1_000] : [10, 100] }

    func run(_ report: Report) async throws {
        var contenders: [Contender] = []
        for count in counts {
            let path = folder.appending(path: "tenants-\(count).db").path
            let database = try SQLiteDatabase(path: path)
            try database.execute(
                """
                CREATE TABLE item(id INTEGER PRIMARY KEY, tenant INTEGER NOT NULL, note TEXT);
                CREATE INDEX item_tenant ON item(tenant);
                WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < \(count * Self.rowsEach - 1))
                INSERT INTO item SELECT i, i % \(count), 'note ' || i FROM n;
                """)
            contenders.append(try await contender(count, database))
        }
        try await group(report, "SQLite", contenders)
        guard let server = PostgresScratch.serverURL else {
            return report.note("MOORAGE_TEST_POSTGRES is not set: no tenants in PostgreSQL.")
        }
        contenders = []
        var scratches: [PostgresScratch] = []
        defer { for scratch in scratches { try? scratch.remove() } }
        for count in counts {
            let scratch = try PostgresScratch(server)
            scratches.append(scratch)
            let link = try PostgresLink(scratch.url)
            try link.run(
                """
                CREATE TABLE item(id bigint PRIMARY KEY, tenant bigint NOT NULL, note text);
                CREATE INDEX item_tenant ON item(tenant);
                INSERT INTO item SELECT i, i % \(count), 'note ' || i
                  FROM generate_series(0, \(count * Self.rowsEach - 1)) AS i;
                """)
            contenders.append(try await contender(count, try PostgresDatabase(url: scratch.url)))
            try link.run("VACUUM ANALYZE")
        }
        try await group(report, "PostgreSQL", contenders)
    }

    private func group(_ report: Report, _ name: String, _ contenders: [Contender]) async throws {
        try await report.group(
            "exchanges of one tenant of \(Self.rowsEach) rows, \(name)", rows: Self.exchanges,
            repetitions: plan.repetitions, contenders)
    }

    private func contender(
        _ count: Int, _ database: any CentralDatabase
    ) async throws -> Contender {
        var configuration = HubConfiguration()
        configuration.scopes = ScopeSettings(
            rules: ["item": [ScopeRule(.column(kind: "tenant", "tenant"))]],
            holdings: ["tenant": .claim("tenant")])
        let hub = Hub(database: database, configuration: configuration)
        _ = try await hub.attach()
        let device = try TenantDevice(hub, of: 7)
        return Contender(name: "\(count) tenants") { _ in
            return {
                for number in 0..<Self.exchanges {
                    let id = Int64(7 + count * (number % Self.rowsEach))
                    try database.perform { connection in
                        _ = try connection.run(
                            "UPDATE item SET note = ? WHERE id = ?",
                            [.text("changed \(UInt64.random(in: 0 ... .max))"), .integer(id)])
                    }
                    guard try device.exchange() == 1 else {
                        throw BenchmarkFailure("The exchange did not bring the row.")
                    }
                }
            }
        }
    }
}

/// A device of one tenant, of which nothing but the cursor is kept.
private final class TenantDevice {
    private let hub: Hub
    private let principal: Principal
    private let schema: String
    private let replica = UUID().uuidString.lowercased()
    private var cursor = SyncCursor.start

    init(_ hub: Hub, of tenant: Int) throws {
        self.hub = hub
        principal = Principal(subject: "user \(tenant)", claims: ["tenant": [String(tenant)]])
        schema = try hub.currentSchema().schema.version
        while try !exchangeOnce().isCaughtUp {}
    }

    /// - Returns: How many rows came.
    func exchange() throws -> Int { try exchangeOnce().rows }

    private func exchangeOnce() throws -> (rows: Int, isCaughtUp: Bool) {
        let request = ExchangeRequest(
            replica: replica, hub: nil, sentAt: DeviceTime(.now),
            tables: [TableColumns(name: "item", columns: ["id", "tenant", "note"])],
            cursor: cursor, schemaVersion: schema, batch: nil, limits: PageLimits())
        var rows = 0
        var isCaughtUp = false
        try hub.exchange(request, for: principal) { frame in
            guard case .page(let page) = frame else { return }
            rows += page.tables.reduce(0) { $0 + $1.rows.count }
            isCaughtUp = page.isCaughtUp
            cursor = page.cursor
        }
        return (rows, isCaughtUp)
    }
}
