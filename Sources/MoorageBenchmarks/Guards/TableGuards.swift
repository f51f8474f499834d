import Foundation
import GRDB
import Moorage

/// What a device does once for each of its tables, and for each row that it compares.
struct TableGuards {
    let folder: URL

    var all: [Guard] { [opening, idle, verifying] }

    private static let sizes = (small: 20, large: 120)

    private var opening: Guard {
        Guard(name: "table, opened again", sizes: Self.sizes) { size in
            let tables = try await ManyTables(folder, size)
            let queue = try DatabaseQueue(path: tables.path)
            return GuardedWork(connections: [try queue.handle()]) {
                _ = try await tables.open(queue)
            }
        }
    }

    /// The second sync: what the first one looks up of the schema is known.
    private var idle: Guard {
        Guard(name: "table, nothing to sync", sizes: Self.sizes) { size in
            let tables = try await ManyTables(folder, size)
            let queue = try DatabaseQueue(path: tables.path)
            let replica = try await tables.open(queue)
            _ = try await replica.sync()
            return GuardedWork(connections: [try queue.handle()]) {
                _ = try await replica.sync()
            }
        }
    }

    /// Hub and device together; the steps are the device's.
    private var verifying: Guard {
        Guard(name: "row verified") { size in
            let central = try await GuardedHub(folder, rows: Item.rows(size, seed: 9))
            let queue = try DatabaseQueue(
                path: folder.appending(path: "\(UUID().uuidString).db").path)
            let replica = try await Replica.clone(
                into: queue, from: .direct(central.hub), tables: ["item"])
            return GuardedWork(connections: [try queue.handle()]) {
                guard try await replica.verify().isEmpty else {
                    throw BenchmarkFailure("The replica differs from the hub.")
                }
            }
        }
    }
}
