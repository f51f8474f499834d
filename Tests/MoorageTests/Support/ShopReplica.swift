import GRDB

@testable import Moorage

/// A replica of the shop that syncs by interval alone, on a clock that only the test moves.
struct ShopReplica {
    let hub = Shop.hub()
    let clock = ManualClock()
    let queue: DatabaseQueue
    let replica: Replica

    init() async throws {
        queue = try DatabaseQueue()
        try await queue.write { try $0.execute(sql: Shop.sql) }
        var options = ReplicaOptions()
        // The end of a live stream would wake the loop.
        options.live = false
        replica = try await Replica(
            database: queue, hub: .direct(hub), tables: Shop.tables(), options: options,
            clock: clock)
    }
}
