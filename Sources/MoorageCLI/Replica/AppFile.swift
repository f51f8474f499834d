#if Server
    import Foundation
    import GRDB
    import Moorage
    import MoorageConfiguration
    import MoorageCore
    import MoorageHub
    import MoorageSQLite
    import MoorageWire

    /// An app's SQLite file, with the tables that its migrations made. Commands only read it.
    struct AppFile {
        let path: String

        /// What prevents the app from syncing these tables, as sentences.
        func differences(from schema: SchemaDescription) async throws -> [String] {
            let found = try await open().read { try LocalSchemaCheck.compare($0, with: schema) }
            guard found.tableCount > 0 else { throw CommandFailure.noTableInApp(path) }
            return found.differences
        }

        /// The app's own tables as a hub would sync them, without those of Moorage and GRDB.
        func tables() async throws -> SchemaAnswer {
            let hub = Hub(database: SQLiteDatabase(queue: try open()))
            let answer = try await hub.schemaOfAllTables()
            return SchemaAnswer(
                hub: answer.hub,
                schema: SchemaDescription(
                    tables: answer.schema.tables.filter { Self.isOfApp($0.name) }),
                suspended: answer.suspended.filter { Self.isOfApp($0.name) },
                details: answer.details.filter { Self.isOfApp($0.key.text) })
        }

        private static func isOfApp(_ name: String) -> Bool {
            let name = name.lowercased()
            return name != "grdb_migrations"
                && !["moorage_", "_moorage_"].contains(where: name.hasPrefix)
        }

        private func checkExists() throws(CommandFailure) {
            guard FileManager.default.fileExists(atPath: path) else {
                throw CommandFailure.unreadableFile(path)
            }
        }

        private func open() throws -> DatabaseQueue {
            try checkExists()
            return try DatabaseQueue(openingAt: path, readonly: true)
        }
    }
#endif
