import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageHub
import MooragePostgres
import MoorageSupport
import MoorageWire

/// A batch into PostgreSQL, against the upsert that one would write by hand, both under the same
/// tracking triggers.
struct PushBenchmark {
    let plan: Plan
    let folder: URL

    func run(_ report: Report) async throws {
        try await PostgresScratch.with(report, orNote: "no push into PostgreSQL") {
            try await run(report, $0)
        }
    }

    private func run(_ report: Report, _ scratch: PostgresScratch) async throws {
        let link = try PostgresLink(scratch.url)
        try link.run(Item.postgresSchema)
        let base = Item.rows(plan.rows, seed: 3)
        try link.upsert(base)
        let database = try PostgresDatabase(url: scratch.url)
        let hub = Hub(database: database)
        _ = try await hub.attach()
        try link.run("VACUUM ANALYZE")
        try await inserts(report, link, hub)
        try await updates(report, link, hub, Array(base.prefix(plan.changes)))
    }

    private func inserts(_ report: Report, _ link: PostgresLink, _ hub: Hub) async throws {
        let pusher = Pusher(hub: hub)
        func fresh(_ repetition: Int, _ way: UInt64) -> [Item] {
            Item.rows(plan.changes, seed: 1_000 + UInt64(repetition) * 10 + way)
        }
        let replica = try await replica(hub)
        try await report.group(
            "push of inserts into PostgreSQL", rows: plan.changes, repetitions: plan.repetitions,
            [
                Contender(name: "hand-written upsert with unnest") { repetition in
                    let items = fresh(repetition, 0)
                    return { try link.upsert(items) }
                },
                Contender(name: "one batch through the hub, to its outcomes") { repetition in
                    let items = fresh(repetition, 1)
                    return try pusher.push(
                        items.map { (.text($0.id), .insert($0.values)) })
                },
                Contender(name: "`sync()` of a replica, to the end") { repetition in
                    _ = try await replica.sync()
                    let items = fresh(repetition, 2)
                    try RawSQLite(replicaPath).insert(items)
                    return { _ = try await replica.sync() }
                },
            ])
    }

    private func updates(
        _ report: Report, _ link: PostgresLink, _ hub: Hub, _ base: [Item]
    ) async throws {
        let pusher = Pusher(hub: hub)
        var current = base
        /// The rows with two columns changed; the next repetition begins there.
        func edited() -> (before: [Item], after: [Item]) {
            let before = current
            for index in current.indices {
                var item = current[index]
                swap(&item.name, &item.note)
                item.name += "!"
                item.quantity += 1
                current[index] = item
            }
            return (before, current)
        }
        try await report.group(
            "push of updates of 3 columns into PostgreSQL", rows: plan.changes,
            repetitions: plan.repetitions,
            [
                Contender(name: "hand-written upsert with unnest") { _ in
                    let (_, after) = edited()
                    return { try link.upsert(after) }
                },
                Contender(name: "one batch through the hub, to its outcomes") { _ in
                    let (before, after) = edited()
                    return try pusher.push(
                        zip(before, after).map { before, after in
                            let (old, new) = (before.values, after.values)
                            return (
                                old[0],
                                .update(
                                    [1, 2, 3].map {
                                        ColumnEdit(column: $0, old: old[$0], new: new[$0])
                                    })
                            )
                        })
                },
            ])
    }

    private var replicaPath: String { folder.appending(path: "pusher.db").path }

    private func replica(_ hub: Hub) async throws -> Replica {
        try await Replica.clone(
            into: try DatabasePool(path: replicaPath), from: .direct(hub), tables: ["item"])
    }
}

/// Sends batches as a replica would, and stops at their outcomes.
private final class Pusher {
    private let hub: Hub
    private let replica = UUID().uuidString.lowercased()
    private var number: Int64 = 0

    init(hub: Hub) { self.hub = hub }

    private struct Done: Error {}

    func push(_ changes: [(key: Value, operation: Change.Operation)]) throws -> () async throws
        -> Void
    {
        number += 1
        let now = DeviceTime(.now)
        let batch = Batch(
            number: number, nonce: "bench-\(number)", preparedAt: now, tables: [Item.table],
            changes: changes.map {
                Change(
                    table: "item", key: RowKey([$0.key]), operation: $0.operation, editedAt: now)
            })
        let request = ExchangeRequest(
            replica: replica, hub: nil, sentAt: now, tables: [Item.table], cursor: .start,
            schemaVersion: nil, batch: batch, limits: PageLimits())
        // What arrives at a hub is bytes: reading them is part of the work.
        let body = request.block()
        let hub = hub
        return { try Self.send(body, to: hub) }
    }

    private static func send(_ body: [UInt8], to hub: Hub) throws {
        do {
            try hub.exchange(try ExchangeRequest(decoding: body)) { (frame: Frame) in
                guard case .outcomes(let outcomes) = frame else { return }
                guard outcomes.status == .applied,
                    outcomes.outcomes.allSatisfy({ $0.kind == .applied })
                else { throw BenchmarkFailure("The batch was not applied.") }
                throw Done()
            }
        } catch is Done {
            return
        }
    }
}
