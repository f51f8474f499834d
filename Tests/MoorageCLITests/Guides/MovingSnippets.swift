#if Server
    import Foundation
    import GRDB
    import Moorage

    // The Swift code of docs/guides on several processes, users, and apps that come from another
    // product. `GuideTests` compares.

    private struct Session {
        func end() async {}
    }

    // MARK: Several processes

    private enum Extensions {
        func openShared(at path: String) throws -> DatabasePool {
            var configuration = Configuration()
            configuration.busyMode = .timeout(5)
            configuration.observesSuspensionNotifications = true
            return try DatabasePool(path: path, configuration: configuration)
        }

        func openForWidget(at path: String) throws -> DatabasePool? {
            guard FileManager.default.fileExists(atPath: path) else { return nil }
            var configuration = Configuration()
            configuration.readonly = true
            return try DatabasePool(path: path, configuration: configuration)
        }

        func share(_ text: String, in database: DatabasePool) async throws {
            try await database.write { db in
                try db.execute(
                    sql: "INSERT INTO note (id, text) VALUES (?, ?)", arguments: [TextUUID(), text])
            }
        }

        func send(
            _ database: DatabasePool, to hub: ReplicaHub, tables: [ReplicaTable]
        ) async throws {
            let replica = try await Replica(database: database, hub: hub, tables: tables)
            try await replica.catchUp(within: .seconds(5))
        }
    }

    // MARK: Users

    private struct Users {
        let hub: ReplicaHub
        let tables: [ReplicaTable]

        func signOut(_ replica: Replica, archive: URL) async throws {
            try? await replica.catchUp(within: .seconds(10))
            await replica.stop()
            try await replica.startOver(archivingTo: archive.path)
            if try await isSent(archive) { try FileManager.default.removeItem(at: archive) }
        }

        func isSent(_ archive: URL) async throws -> Bool {
            let file = try DatabaseQueue(path: archive.path)
            let status = try await Replica(database: file, hub: hub, tables: tables).status
            return status.pendingCount == 0 && status.refusedCount == 0
        }

        func options(_ session: Session) -> ReplicaOptions {
            var options = ReplicaOptions()
            options.willWipe = { await session.end() }
            return options
        }
    }

    // MARK: From other products

    private enum FromRealm {
        struct Trip: Codable, FetchableRecord, PersistableRecord {
            var id: String  // the 24 characters of the ObjectId
            var title: String
            var startsAt: Date?
        }

        struct Stop: Codable, FetchableRecord, PersistableRecord {
            var id: String  // "<trip>/<position>": the same on each device
            var trip: String
            var position: Int
            var place: String
        }

        func open(
            _ database: DatabasePool, hub: ReplicaHub,
            oldTrips: @escaping @Sendable () throws -> [(trip: Trip, stops: [Stop])]
        ) async throws -> Replica {
            var migrator = DatabaseMigrator()
            migrator.registerMigration("v1") { db in
                try db.create(table: "trip") { table in
                    table.primaryKey("id", .text)
                    table.column("title", .text).notNull()
                    table.column("startsAt", .datetime)
                }
                try db.create(table: "stop") { table in
                    table.primaryKey("id", .text)
                    table.column("trip", .text).notNull().references("trip", onDelete: .cascade)
                    table.column("position", .integer).notNull()
                    table.column("place", .text).notNull()
                }
            }
            migrator.registerMigration("rows of Realm") { db in
                for (trip, stops) in try oldTrips() {
                    try trip.insert(db)
                    for stop in stops { try stop.insert(db) }
                }
            }
            return try await Replica.open(
                database: database, hub: hub,
                tables: [
                    .table(Trip.self, firstContact: .upload),
                    .table(Stop.self, firstContact: .upload),
                ], migrator: migrator)
        }
    }

    private enum FromSQLiteData {
        func open(
            _ database: any DatabaseWriter, hub: ReplicaHub, user: String,
            migrator: DatabaseMigrator
        ) async throws -> Replica {
            var migrator = migrator  // the one that the app has
            migrator.registerMigration("owner") { db in
                try db.alter(table: "remindersLists") { table in
                    table.add(column: "ownerID", .text)
                }
                try db.execute(
                    sql: "UPDATE remindersLists SET ownerID = ?", arguments: [user])
                try db.create(table: "shares") { table in
                    table.primaryKey {
                        table.column("remindersListID", .text)
                            .references("remindersLists", onDelete: .cascade)
                        table.column("userID", .text)
                    }
                }
            }
            return try await Replica.open(
                database: database, hub: hub,
                tables: [
                    .table("remindersLists", firstContact: .upload),
                    .table("reminders", firstContact: .upload),
                    .table("shares"),
                ], migrator: migrator)
        }
    }

    private enum FromPowerSync {
        func ask(_ replica: Replica) async throws {
            try await replica.subscribe(
                to: "list/42", priority: .high, timeToLive: .seconds(86_400))
        }
    }

    private enum FromFirestore {
        func move(
            _ amount: Int, from: String, to: String, _ replica: Replica, _ database: DatabasePool
        ) async throws {
            try await database.write { db in
                try replica.group(db) {
                    try db.execute(
                        sql: "UPDATE account SET amount = amount - ? WHERE id = ?",
                        arguments: [amount, from])
                    try db.execute(
                        sql: "UPDATE account SET amount = amount + ? WHERE id = ?",
                        arguments: [amount, to])
                }
            }
        }
    }
#endif
