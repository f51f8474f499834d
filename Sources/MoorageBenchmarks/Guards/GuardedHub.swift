import Foundation
import GRDB
import MoorageHub
import MoorageSQLite

/// A hub on a SQLite file with rows from a seed, whose connection can be counted.
struct GuardedHub {
    let hub: Hub
    let database: SQLiteDatabase
    let connection: OpaquePointer
    /// The owner's own connection.
    let owner: RawSQLite

    init(
        _ folder: URL, rows: [Item], configuration: HubConfiguration = HubConfiguration()
    ) async throws {
        let path = folder.appending(path: "\(UUID().uuidString).db").path
        owner = try RawSQLite(path)
        try owner.run(Item.sqliteSchema)
        try owner.insert(rows)
        var settings = Configuration()
        settings.foreignKeysEnabled = true
        settings.busyMode = .timeout(5)
        let queue = try DatabaseQueue(path: path, configuration: settings)
        connection = try queue.handle()
        database = SQLiteDatabase(queue: queue)
        hub = Hub(database: database, configuration: configuration)
        _ = try await hub.attach()
    }
}
