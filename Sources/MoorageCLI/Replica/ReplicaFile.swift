#if Server
    import Foundation
    import GRDB
    import Logging
    import Moorage
    import MoorageConfiguration
    import MoorageCore
    import MoorageSupport
    import MoorageWire

    /// A replica's file, with what the commands do to it.
    struct ReplicaFile {
        let path: String

        /// Makes the file a replica, or continues an interrupted clone.
        ///
        /// - Parameters:
        ///   - address: The hub's, for the file to remember; `nil` for a hub without one.
        ///   - tables: Empty for those of an interrupted clone, else for all of the hub.
        func clone(
            from hub: HubAccess, at address: String?, tables: [String],
            progress: @escaping @Sendable (CloneProgress) -> Void
        ) async throws -> Replica {
            let isNew = !FileManager.default.fileExists(atPath: path)
            let contents = try await isNew ? Contents() : Self.contents(of: open())
            guard contents.isCloning || contents.tables.isEmpty else {
                throw CommandFailure.alreadyReplica(path)
            }
            let tables = try await Self.tables(tables, of: contents, at: hub.connection)
            if !isNew, !contents.isCloning, let table = try await firstTable(of: tables) {
                throw CommandFailure.tableInFile(table, path)
            }
            let remembering = Locked<Task<Void, Never>?>(nil)
            do {
                let replica = try await Replica.clone(
                    into: try open(), from: hub.hub, tables: tables, options: Self.quietly
                ) { state in
                    // A page arrived, so this is the file's hub. If the clone breaks off, the file
                    // names it. After the clone it is stored again, and a failure counts then.
                    if let address {
                        remembering.withLock {
                            $0 = $0 ?? Task { try? await remember(hub: address) }
                        }
                    }
                    progress(state)
                }
                await remembering.withLock { $0 }?.value
                return replica
            } catch {
                await remembering.withLock { $0 }?.value
                if isNew { removeIfEmpty() }
                throw error
            }
        }

        /// The tables to clone.
        private static func tables(
            _ names: [String], of contents: Contents, at hub: any HubConnection
        ) async throws -> [String] {
            if names.isEmpty, !contents.tables.isEmpty { return contents.tables }
            let schema = try await hub.schema().schema
            let known = schema.tables.map { $0.names[0] }
            guard !known.isEmpty else { throw CommandFailure.hubWithoutTables }
            for name in names where schema.table(knownAs: name) == nil {
                throw CommandFailure.tableNotAtHub(name, among: known)
            }
            return names.isEmpty ? known : names
        }

        /// The first of the tables that the file has.
        private func firstTable(of tables: [String]) async throws -> String? {
            try await open().read { db in
                try tables.first { try db.tableExists($0) }
            }
        }

        /// Removes the empty file of a clone that failed before any row arrived.
        private func removeIfEmpty() {
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            guard attributes?[.size] as? Int == 0 else { return }
            try? FileManager.default.removeItem(atPath: path)
        }

        /// A command prints its failure itself.
        static var quietly: ReplicaOptions {
            var options = ReplicaOptions()
            options.logger = Logger(label: "moorage.replica") { _ in SwiftLogNoOpLogHandler() }
            return options
        }

        /// Opens the replica in the file.
        ///
        /// - Parameter options: Those of a command that works on after a failure have a logger.
        func replica(
            _ hub: HubAccess, _ options: ReplicaOptions = Self.quietly
        ) async throws -> Replica {
            guard FileManager.default.fileExists(atPath: path) else {
                throw CommandFailure.noReplicaFile(path)
            }
            guard FileManager.default.isWritableFile(atPath: path) else {
                throw CommandFailure.readOnlyFile(path)
            }
            let database = try open()
            let contents = try await Self.contents(of: database)
            guard !contents.isCloning else {
                throw CommandFailure.incompleteClone(path, hub: contents.hub)
            }
            guard !contents.tables.isEmpty else { throw CommandFailure.notReplica(path) }
            return try await Replica(
                database: database, hub: hub.hub, tables: contents.tables.map { .table($0) },
                options: options)
        }

        /// What a file says of itself.
        private struct Contents {
            /// The tables that it syncs; empty if it is no replica.
            var tables: [String] = []
            var isCloning = false
            /// The address of the hub that it was last synced with.
            var hub: String?
        }

        private static func contents(of database: DatabaseQueue) async throws -> Contents {
            try await database.read { db in
                guard try db.tableExists("_moorage_table") else { return Contents() }
                return Contents(
                    tables: try String.fetchAll(
                        db, sql: "SELECT name FROM _moorage_table ORDER BY name"),
                    isCloning: try value("clone", in: db) != nil,
                    hub: try value("address", in: db))
            }
        }

        /// A value of the replica's metadata.
        static func value(_ name: String, in db: Database) throws -> String? {
            try String.fetchOne(
                db, sql: "SELECT value FROM _moorage_meta WHERE name = ?", arguments: [name])
        }

        // MARK: The hub's address

        /// The hub that the file was last synced with; `nil` when the file does not name it.
        func rememberedHub() async throws -> String? {
            guard FileManager.default.fileExists(atPath: path) else { return nil }
            return try await Self.contents(of: open()).hub
        }

        /// Stores the address as the user gave it. An address that the command line accepts
        /// contains no secret.
        func remember(hub address: String) async throws {
            var text = address
            if case .sqlite(let path)? = try? DatabaseAddress(address) {
                text = "sqlite:" + URL(filePath: path).path
            }
            try await open().write { [text] db in
                if try Self.value("address", in: db) == text { return }
                try db.execute(
                    sql: """
                        INSERT INTO _moorage_meta(name, value) VALUES('address', ?)
                        ON CONFLICT(name) DO UPDATE SET value = excluded.value
                        """, arguments: [text])
            }
        }

        /// Whether the file belongs to the hub of this id. One that has not met its hub belongs to
        /// none yet.
        func belongs(to hub: String) async throws -> Bool {
            let known = try await open().read { try Self.value("hub", in: $0) }
            return known?.hasSameBytes(as: hub) ?? false
        }

        /// The tables that the file syncs.
        func tableNames() async throws -> [String] {
            try await Self.contents(of: open()).tables
        }

        private func open() throws -> DatabaseQueue {
            try DatabaseQueue(openingAt: path)
        }
    }
#endif
