import Foundation
import MoorageHub
import MooragePostgres

/// Attaching a table that is there already: what a row of a large one costs beside a row of a small one.
struct AttachBenchmark {
    let plan: Plan

    func run(_ report: Report) async throws {
        try await PostgresScratch.with(report, orNote: "no attaching in PostgreSQL") {
            try await run(report, $0)
        }
    }

    private func run(_ report: Report, _ scratch: PostgresScratch) async throws {
        let small = max(1, plan.rows / 10)
        let link = try PostgresLink(scratch.url)
        let hub = Hub(database: try PostgresDatabase(url: scratch.url))
        var times: [Int: [Double]] = [:]
        for _ in 0..<plan.repetitions {
            for rows in [small, plan.rows] {
                try await hub.detach()
                try link.run("DROP TABLE IF EXISTS item")
                try link.run(Item.postgresSchema)
                try link.upsert(Item.rows(rows, seed: 7))
                try link.run("VACUUM ANALYZE item")
                let cost = try await Cost.measure { _ = try await hub.attach() }
                times[rows, default: []].append(cost.wall)
            }
        }
        report.perRow(
            "attach of rows that are there, PostgreSQL (median of \(plan.repetitions))",
            [small, plan.rows].map {
                ("attach", $0, Report.percentile(50, of: times[$0] ?? []))
            })
    }
}
