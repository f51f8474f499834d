import Foundation
import MoorageCore
import MoorageHub
import MooragePostgres
import MoorageSQLite
import MoorageWire

/// A central database with such a table, and a hub on it.
struct ScopedCentral {
    let items: ScopedItems
    let hub: Hub
    let schemaVersion: String
    private let database: any CentralDatabase

    /// - Parameter configuration: Its scopes are those of the table.
    init(
        _ items: ScopedItems, _ configuration: HubConfiguration, in folder: URL
    ) async throws {
        let path = folder.appending(path: "\(UUID().uuidString).db").path
        let database = try SQLiteDatabase(path: path)
        try database.execute(items.sqlite)
        try await self.init(items, configuration, database)
    }

    init(
        _ items: ScopedItems, _ configuration: HubConfiguration, on scratch: PostgresScratch
    ) async throws {
        let link = try PostgresLink(scratch.url)
        try link.run(items.postgres)
        try await self.init(items, configuration, try PostgresDatabase(url: scratch.url))
        try link.run("VACUUM ANALYZE")
    }

    private init(
        _ items: ScopedItems, _ configuration: HubConfiguration, _ database: any CentralDatabase
    ) async throws {
        self.items = items
        self.database = database
        hub = Hub(database: database, configuration: configuration)
        _ = try await hub.attach()
        schemaVersion = try hub.currentSchema().schema.version
    }

    /// Changes a row as one of the owner's programs does.
    func change(_ key: Int64) throws {
        try database.perform { connection in
            _ = try connection.run(
                "UPDATE item SET note = ? WHERE id = ?",
                [.text("changed \(UInt64.random(in: 0 ... .max))"), .integer(key)])
        }
    }
}
