#if Server
    import GRDB
    import Moorage
    import MoorageHub

    /// A device with the notes of a ``WebhookHub``, as the relay's README describes it.
    struct PushDevice {
        let database: DatabaseQueue
        let replica: Replica

        init(_ hub: Hub) async throws {
            database = try DatabaseQueue()
            try await database.write {
                try $0.execute(
                    sql: "CREATE TABLE note (id INTEGER NOT NULL PRIMARY KEY, text TEXT)")
            }
            replica = try await Replica(
                database: database, hub: .direct(hub.connection), tables: [.table("note")])
            _ = try await replica.sync()
        }

        func id() async throws -> String { try await replica.id() }

        /// Makes a change that the hub refuses.
        func beRefused() async throws {
            try await database.write {
                try $0.execute(sql: "INSERT INTO note VALUES (1, 'bad')")
            }
            _ = try await replica.sync()
        }
    }
#endif
