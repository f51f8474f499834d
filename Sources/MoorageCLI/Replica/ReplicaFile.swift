#if Server
    import Foundation
    import GRDB
    import Moorage
    import MoorageConfiguration
    import MoorageCore
    import MoorageWire

    /// A replica's file, with what the commands do to it.
    struct ReplicaFile {
        let path: String

        /// Makes the file a replica, or continues an interrupted clone.
        func clone(
            from hub: HubAccess, tables: [String],
            progress: @escaping @Sendable (CloneProgress) -> Void
        ) async throws -> Replica {
            var tables = tables
            if tables.isEmpty {
                tables = try await hub.connection.schema().schema.tables.map(\.name)
            }
            guard !tables.isEmpty else { throw CommandFailure.hubWithoutTables }
            let isNew = !FileManager.default.fileExists(atPath: path)
            do {
                return try await Replica.clone(
                    into: try open(), from: hub.hub, tables: tables, progress: progress)
            } catch {
                if isNew { removeIfEmpty() }
                throw error
            }
        }

        /// Removes the empty file of a clone that failed before any row arrived.
        private func removeIfEmpty() {
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            guard attributes?[.size] as? Int == 0 else { return }
            try? FileManager.default.removeItem(atPath: path)
        }

        /// Opens the replica in the file.
        func replica(_ hub: HubAccess) async throws -> Replica {
            guard FileManager.default.fileExists(atPath: path) else {
                throw CommandFailure.noReplicaFile(path)
            }
            guard FileManager.default.isWritableFile(atPath: path) else {
                throw CommandFailure.readOnlyFile(path)
            }
            let database = try open()
            let (isCloning, tables) = try await database.read { db in
                guard try db.tableExists("_moorage_table") else { return (false, [String]()) }
                return (
                    try Bool.fetchOne(
                        db,
                        sql:
                            "SELECT count(*) FROM _moorage_meta WHERE name = 'clone' AND value IS NOT NULL"
                    )
                        ?? false,
                    try String.fetchAll(db, sql: "SELECT name FROM _moorage_table ORDER BY name")
                )
            }
            guard !tables.isEmpty else { throw CommandFailure.notReplica(path) }
            guard !isCloning else { throw CommandFailure.incompleteClone(path) }
            return try await Replica(
                database: database, hub: hub.hub, tables: tables.map { .table($0) })
        }

        // MARK: The hub's address

        /// The hub that the file was last synced with; `nil` when the file does not name it.
        func rememberedHub() async throws -> String? {
            guard FileManager.default.fileExists(atPath: path) else { return nil }
            return try await open().read { db in
                guard try db.tableExists("_moorage_meta") else { return nil }
                return try String.fetchOne(
                    db, sql: "SELECT value FROM _moorage_meta WHERE name = 'address'")
            }
        }

        /// Stores the address as the user gave it. An address that the command line accepts
        /// contains no secret.
        func remember(hub address: String) async throws {
            var address = address
            if case .sqlite(let path)? = try? DatabaseAddress(address) {
                address = "sqlite:" + URL(filePath: path).path
            }
            let text = address
            try await open().write { db in
                let known = try String.fetchOne(
                    db, sql: "SELECT value FROM _moorage_meta WHERE name = 'address'")
                if known == text { return }
                try db.execute(
                    sql: """
                        INSERT INTO _moorage_meta(name, value) VALUES('address', ?)
                        ON CONFLICT(name) DO UPDATE SET value = excluded.value
                        """, arguments: [text])
            }
        }

        /// The tables that the file syncs.
        func tableNames() async throws -> [String] {
            try await open().read {
                try String.fetchAll($0, sql: "SELECT name FROM _moorage_table ORDER BY name")
            }
        }

        private func open() throws -> DatabaseQueue {
            var configuration = Configuration()
            configuration.busyMode = .timeout(10)
            do {
                return try DatabaseQueue(path: path, configuration: configuration)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_NOTADB {
                throw CommandFailure.notDatabase(path)
            } catch {
                throw CommandFailure.unopenableFile(path)
            }
        }
    }
#endif
