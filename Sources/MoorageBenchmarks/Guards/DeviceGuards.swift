import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageWire

/// A device's own work: rows that come in, and edits that go out.
struct DeviceGuards {
    let folder: URL

    var all: [Guard] { [cloning, pulling, preparing] }

    private static let base = 6_000

    private func queue() throws -> DatabaseQueue {
        try DatabaseQueue(path: folder.appending(path: "\(UUID().uuidString).db").path)
    }

    /// The answers to a clone, in memory.
    private var cloning: Guard {
        Guard(name: "page of a clone, applied") { size in
            let central = try await GuardedHub(folder, rows: Item.rows(size, seed: 2))
            let recorded = RecordedHub(central.hub)
            let queue = try queue()
            func clone() async throws -> Replica {
                try await Replica.clone(into: queue, from: .direct(recorded), tables: ["item"])
            }
            try await recorded.record { _ = try await clone() }
            return GuardedWork(connections: [try queue.handle()]) { _ = try await clone() }
        }
    }

    /// Other values for rows that are there.
    private var pulling: Guard {
        Guard(name: "page onto rows, applied") { size in
            let items = Item.rows(Self.base, seed: 3)
            let central = try await GuardedHub(folder, rows: items)
            let recorded = RecordedHub(central.hub)
            let queue = try queue()
            let replica = try await Replica.clone(
                into: queue, from: .direct(recorded), tables: ["item"])
            try central.owner.update(items.prefix(size))
            try await recorded.record { _ = try await replica.sync() }
            return GuardedWork(connections: [try queue.handle()]) {
                guard try await replica.sync().rowsReceived == size else {
                    throw BenchmarkFailure("Not all rows came.")
                }
            }
        }
    }

    /// A batch from the log of edits, to its bytes.
    private var preparing: Guard {
        Guard(name: "batch from the log") { size in
            let items = Item.rows(Self.base, seed: 4)
            let central = try await GuardedHub(folder, rows: items)
            let queue = try queue()
            _ = try await Replica.clone(into: queue, from: .direct(central.hub), tables: ["item"])
            try RawSQLite(queue.path).update(items.prefix(size))
            let file = ReplicaFile(tables: [.table("item")])
            return GuardedWork(connections: [try queue.handle()]) {
                guard try prepare(file, queue) == size else {
                    throw BenchmarkFailure("Not all edits are in the batch.")
                }
            }
        }
    }

    /// - Returns: How many changes the batch has.
    private func prepare(_ file: ReplicaFile, _ queue: DatabaseQueue) throws -> Int? {
        try queue.writeWithoutTransaction { db in
            var sync = file.sync(ReplicaOptions())
            let step = try sync.proceed(.begin, db, at: 1_790_000_000_000, newID: { "guard" })
            guard case .send(let request, let batch) = step else { return nil }
            _ = request.block(batch: batch)
            return request.batch?.changes.count
        }
    }
}
