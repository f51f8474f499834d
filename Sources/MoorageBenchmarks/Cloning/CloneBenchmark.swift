import Foundation
import GRDB
import Moorage
import MoorageAsyncHTTP
import MoorageHub
import MooragePostgres
import MoorageSQLite

/// The first copy of a table, against inserting the same rows with the C API in key order.
struct CloneBenchmark {
    let plan: Plan
    let folder: URL

    func run(_ report: Report) async throws {
        let items = Item.rows(plan.rows, seed: 2)
        let ordered = items.sorted { $0.id < $1.id }
        let central = folder.appending(path: "central.db").path
        try RawSQLite(central).run(Item.sqliteSchema)
        try RawSQLite(central).insert(items)
        let hub = Hub(database: try SQLiteDatabase(path: central))
        _ = try await hub.attach()
        let near = [
            raw("inserts with the C API, key order", ordered),
            raw("inserts with the C API, random order", items),
            clone("clone, hub on SQLite in process", from: .direct(hub)),
        ]
        let hasServer = try await PostgresScratch.with(
            report, orNote: "no clone over HTTP from PostgreSQL"
        ) { scratch in
            let link = try PostgresLink(scratch.url)
            try link.run(Item.postgresSchema)
            try link.upsert(items)
            try link.run("ANALYZE")
            let direct = Hub(database: try PostgresDatabase(url: scratch.url))
            _ = try await direct.attach()
            var far = [clone("clone, hub on PostgreSQL in process", from: .direct(direct))]
            #if Server
                let process = try ServerProcess(database: scratch.url)
                defer { process.stop() }
                far.append(
                    clone(
                        "clone over HTTP, server on PostgreSQL",
                        from: .direct(
                            HTTPHubConnection(
                                url: process.url, secret: ServerProcess.secret,
                                transport: AsyncHTTPTransport()))))
            #endif
            try await compare(report, near + far)
        }
        if !hasServer { try await compare(report, near) }
    }

    private func compare(_ report: Report, _ contenders: [Contender]) async throws {
        try await report.group(
            "clone", rows: plan.rows, repetitions: plan.repetitions, contenders)
    }

    private func path() -> String { folder.appending(path: "\(UUID().uuidString).db").path }

    /// 10,000 rows a transaction, SQLite's own 2 MB of cache, no triggers.
    private func raw(_ name: String, _ items: [Item]) -> Contender {
        Contender(name: name) { _ in
            let file = try RawSQLite(path())
            try file.run(Item.sqliteSchema)
            return { try file.insert(items, rowsPerTransaction: 10_000) }
        }
    }

    private func clone(_ name: String, from hub: ReplicaHub) -> Contender {
        Contender(name: name) { _ in
            let database = try DatabasePool(path: path())
            return {
                _ = try await Replica.clone(into: database, from: hub, tables: ["item"])
            }
        }
    }
}
