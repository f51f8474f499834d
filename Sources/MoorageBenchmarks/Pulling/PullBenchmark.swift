import Foundation
import GRDB
import Moorage
import MoorageHub
import MoorageSQLite

/// What a device's own work is when a hub's changes come in, against the same rows upserted with the C API
/// into the same file, past the same triggers.
struct PullBenchmark {
    let plan: Plan
    let folder: URL

    /// A tenth of the rows change.
    private var changes: Int { max(1, plan.rows / 10) }

    func run(_ report: Report) async throws {
        let base = Item.rows(plan.rows, seed: 5)
        let central = folder.appending(path: "pull-central.db").path
        let owner = try RawSQLite(central)
        try owner.run(Item.sqliteSchema)
        try owner.insert(base.sorted { $0.id < $1.id })
        let hub = Hub(database: try SQLiteDatabase(path: central))
        _ = try await hub.attach()
        let recorded = RecordedHub(hub)
        let path = folder.appending(path: "pull-device.db").path
        let replica = try await Replica.clone(
            into: try DatabasePool(path: path), from: .direct(recorded), tables: ["item"])
        let raw = try RawSQLite(path)
        var number = 0
        /// Other values in a tenth of the rows, in the order in which a page brings them.
        func changed() -> [Item] {
            number += 1
            return Item.shuffled(base, seed: UInt64(number)).prefix(changes)
                .sorted { $0.id < $1.id }.map { item in
                    var item = item
                    item.name = "\(item.name) \(number)"
                    item.quantity += Int64(number)
                    return item
                }
        }
        try await report.group(
            "changes onto \(plan.rows) rows, the device's own work", rows: changes,
            repetitions: plan.repetitions,
            [
                Contender(name: "upserts with the C API, guarded triggers") { _ in
                    let items = changed()
                    return { try raw.upsertGuarded(items, rowsPerTransaction: 5_000) }
                },
                Contender(name: "`sync()` of a replica, the answer in memory") { _ in
                    try owner.upsert(changed())
                    try await recorded.record { _ = try await replica.sync() }
                    return { _ = try await replica.sync() }
                },
            ])
    }
}
