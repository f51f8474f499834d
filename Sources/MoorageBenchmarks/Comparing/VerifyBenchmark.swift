import Foundation
import GRDB
import Moorage
import MoorageAsyncHTTP
import MoorageHub
import MooragePostgres
import MoorageSQLite

/// `verify` of a table, against the clone that brought it: from the same hub, over the same way.
struct VerifyBenchmark {
    let plan: Plan
    let folder: URL

    func run(_ report: Report) async throws {
        let items = Item.rows(plan.rows, seed: 2)
        let central = folder.appending(path: "central.db").path
        try RawSQLite(central).run(Item.sqliteSchema)
        try RawSQLite(central).insert(items)
        let hub = Hub(database: try SQLiteDatabase(path: central))
        _ = try await hub.attach()
        try await compare(report, "hub on SQLite in process", .direct(hub))
        try await PostgresScratch.with(report, orNote: "no verify against PostgreSQL") { scratch in
            let link = try PostgresLink(scratch.url)
            try link.run(Item.postgresSchema)
            try link.upsert(items)
            let direct = Hub(database: try PostgresDatabase(url: scratch.url))
            _ = try await direct.attach()
            try link.run("VACUUM ANALYZE")
            try await compare(report, "hub on PostgreSQL in process", .direct(direct))
            #if Server
                let process = try ServerProcess(database: scratch.url)
                defer { process.stop() }
                try await compare(
                    report, "over HTTP, server on PostgreSQL",
                    .direct(
                        HTTPHubConnection(
                            url: process.url, secret: ServerProcess.secret,
                            transport: AsyncHTTPTransport())))
            #endif
        }
    }

    private func compare(_ report: Report, _ way: String, _ hub: ReplicaHub) async throws {
        func path() -> String { folder.appending(path: "\(UUID().uuidString).db").path }
        let replica = try await Replica.clone(
            into: try DatabasePool(path: path()), from: hub, tables: ["item"])
        let clone = Contender(name: "clone") { _ in
            let database = try DatabasePool(path: path())
            return { _ = try await Replica.clone(into: database, from: hub, tables: ["item"]) }
        }
        let verify = Contender(name: "verify") { _ in
            {
                guard try await replica.verify().isEmpty else {
                    throw BenchmarkFailure("The replica differs from the hub.")
                }
            }
        }
        try await report.group(
            "verify, \(way)", rows: plan.rows, repetitions: plan.repetitions, [clone, verify])
    }
}
