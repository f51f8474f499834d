import MoorageHub
import MoorageSQLite
import MoorageWire
import TestSupport
import Testing

/// Keys that the configuration names for tables without a primary key.
@Suite(.ownThreads) struct `The key of a table` {
    @Test func `is a mistake where the table is not attached`() async throws {
        let database = try SQLiteDatabase()
        try database.execute("CREATE TABLE item (code INTEGER NOT NULL UNIQUE, note TEXT)")
        func hub(_ keys: [String: [String]]) -> Hub {
            var configuration = HubConfiguration()
            configuration.keys = keys
            return Hub(database: database, configuration: configuration)
        }
        _ = try await hub(["item": ["code"]]).attach()
        try await hub(["item": ["code"]]).checkConfiguration()
        let error = await #expect(throws: HubError.self) {
            try await hub(["itme": ["code"]]).checkConfiguration()
        }
        #expect(error?.code == .configuration)
        #expect(error?.message.contains("itme") == true)
    }
}
