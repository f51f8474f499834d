#if Server
    import Foundation
    import GRDB
    import Logging
    import Moorage
    import MoorageUI

    // The Swift code of README.md and docs/guides, as an app compiles it. `GuideTests` compares.

    private struct Session {
        func token(refreshing: Bool) async throws -> String { "token" }
    }

    private struct Order: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "orders"
        var orderID: Int64
    }

    private func openReadme(secret: String) async throws {
        let database = try DatabasePool(path: "app.db")
        let replica = try await Replica.open(  // at each launch; makes the tables in a new file
            database: database,
            hub: .http(URL(string: "https://sync.example.org")!, secret: secret),
            tables: [.table("customers"), .table("orders"), .table("order_details")])

        await replica.start()  // sends soon after each commit, receives live, waits while offline

        try await database.write { db in  // write as always
            try db.execute(sql: "UPDATE customers SET city = 'Lindvik' WHERE customer_id = '00017'")
        }
        for await status in replica.statuses() {
            print(status)
        }
    }

    private func launch(url: URL, secret: String) async throws -> Replica {
        let hub = ReplicaHub.http(url, secret: secret)
        let tables: [ReplicaTable] = [.table("customers"), .table("orders")]
        let database = try DatabasePool(path: "app.db")
        let replica = try await Replica.open(database: database, hub: hub, tables: tables)
        return replica
    }

    private struct Customer: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "customers"
        let id: Int64
    }

    private func open(database: DatabasePool, url: URL, secret: String) async throws -> Replica {
        struct Customer: Codable, FetchableRecord, PersistableRecord {
            static let databaseTableName = "customers"
            let customer_id: String
            let city: String?
        }
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { db in
            try db.create(table: "customers") { table in
                table.primaryKey("customer_id", .text)
                table.column("city", .text)
            }
        }
        #if DEBUG
            migrator.eraseDatabaseOnSchemaChange = true
        #endif
        let replica = try await Replica.open(
            database: database, hub: .http(url, secret: secret),
            tables: [.table(Customer.self, firstContact: .upload)], migrator: migrator)
        return replica
    }

    private func openAll(database: DatabasePool, url: URL, secret: String) async throws -> Replica {
        let replica = try await Replica.open(database: database, hub: .http(url, secret: secret))
        return replica
    }

    private func run(_ replica: Replica, _ database: DatabasePool) async throws {
        await replica.start()

        replica.isInFront = false
        replica.isInFront = true
        replica.wake()

        try await database.write { db in
            try db.execute(sql: "UPDATE customers SET city = 'Lindvik' WHERE customer_id = '00017'")
        }
    }

    private enum Screen {
        @MainActor func line(_ state: ReplicaState) -> String {
            switch state.headline {
            case .upToDate: "Up to date."
            case .working(let fraction):
                fraction.map { "Syncing: \(Int($0 * 100)) %." } ?? "Syncing."
            case .offline(let since): since.map { "Offline since \($0)." } ?? "Offline."
            case .signInRequired: "Sign in again."
            case .updateRequired: "Update the app."
            case .attention(let count): "\(count) things need your attention."
            }
        }
    }

    private func show(_ replica: Replica) async {
        for await status in replica.statuses() {
            print(status.headline, status.pendingCount)
        }
    }

    private func signIn(url: URL, session: Session) -> ReplicaHub {
        let hub = ReplicaHub.http(
            url,
            credentials: .token { refused in
                try await session.token(refreshing: refused != nil)
            })
        return hub
    }

    private final class Control {
        var isHidden = false
        var isEnabled = true
    }

    private func limit(
        _ replica: Replica, _ deleteButton: Control, _ priceField: Control
    ) async throws {
        let rights = try await replica.rights(on: "orders")
        deleteButton.isHidden = !rights.mayDelete
        priceField.isEnabled = rights.mayUpdate(column: "price")
    }

    private func follow(
        _ replica: Replica, _ database: DatabasePool, _ deleteButton: Control
    ) async throws {
        let observation = ValueObservation.tracking { db in try replica.rights(db, on: "orders") }
        for try await rights in observation.removeDuplicates().values(in: database) {
            deleteButton.isHidden = !rights.mayDelete
        }
    }

    private func subscribe(_ replica: Replica) async throws {
        try await replica.subscribe(
            to: "project/42", priority: .high, timeToLive: .seconds(7 * 86_400))

        for try await subscriptions in replica.subscriptions.values() {
            for subscription in subscriptions {
                switch subscription.state {
                case .loading: print("\(subscription.scope) is on its way.")
                case .complete: print("\(subscription.scope) is here.")
                case .unavailable: print("\(subscription.scope) is not for this user.")
                }
            }
        }

        try await replica.unsubscribe(from: "project/42")
    }

    private func review(_ replica: Replica) async throws {
        for refused in try await replica.refusedChanges.fetch() {
            print("\(refused.table): \(refused.message)")
            try await replica.retry(refused)  // writes the change again, on the row as it is now
            // or: try await replica.dismiss(refused)
        }

        for conflict in try await replica.overruledChanges.fetch() {
            print(
                conflict.table, conflict.base ?? [:], conflict.mine ?? [:], conflict.theirs ?? [:])
            try await replica.reapply(conflict)  // writes my values as a new change
            // or: try await replica.dismiss(conflict)
        }
    }

    private func show(_ customer: Customer, beside other: Customer) {}

    private func compare(_ replica: Replica) async throws {
        for conflict in try await replica.overruledChanges.fetch()
        where conflict.table == "customers" {
            guard let mine = conflict.mine, let theirs = conflict.theirs else { continue }
            show(try Customer(row: Row(mine)), beside: try Customer(row: Row(theirs)))
        }
    }

    private enum Marks {
        struct OrderLine: Decodable, FetchableRecord {
            var order: Order
            var rowState: RowState?  // nil: the row is synced
        }

        func mark(_ database: DatabasePool) async throws {
            let states = Order.rowState(key: ["order_id"])
            let request = Order.annotated(with: states).asRequest(of: OrderLine.self)
            let observation = ValueObservation.tracking(request.fetchAll)
            for try await lines in observation.values(in: database) {
                for line in lines {
                    switch line.rowState {
                    case nil, .synced: print(line.order.orderID)
                    case .pending, .inFlight: print(line.order.orderID, "is on its way")
                    case .refused(let code): print(line.order.orderID, code.rawValue)
                    case .overruled, .deferred, .withheld: print(line.order.orderID, "has news")
                    }
                }
            }
        }
    }

    private enum Review {
        @MainActor func show(_ model: ConflictsModel) {
            guard model.list.isLoaded else { return }
            for conflict in model.list.entries {
                for field in conflict.fields {
                    print(field.column, field.mine ?? .null, field.theirs ?? .null)
                }
            }
        }

        @MainActor func decide(_ conflict: OverruledChange, in model: ConflictsModel) async {
            await model.keepMine(conflict)  // or keepTheirs, keepResult, save
            if let failure = model.list.failure { print(failure.localizedDescription) }
        }
    }

    // MARK: Version two

    private func openVersionTwo(
        database: DatabasePool, url: URL, secret: String
    ) async throws -> Replica {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { db in
            try db.create(table: "site") { table in
                table.primaryKey("id", .text)
                table.column("name", .text).notNull()
            }
        }
        migrator.registerMigration("v2") { db in
            try db.alter(table: "site") { table in
                table.rename(column: "name", to: "title")
                table.add(column: "mood", .text)
            }
            try db.create(table: "photo") { table in
                table.primaryKey("id", .text)
                table.column("site", .text).references("site")
            }
        }

        var options = ReplicaOptions()
        options.device = DeviceDescription(appVersion: "2.0")
        let replica = try await Replica.open(
            database: database, hub: .http(url, secret: secret),
            tables: [.table("site", renamed: ["name": "title"]), .table("photo")],
            migrator: migrator, options: options)
        return replica
    }

    private func fillByEditing(_ database: DatabasePool) async throws {
        try await database.write { db in
            try db.execute(sql: "UPDATE site SET mood = 'unknown' WHERE mood IS NULL")
        }
    }

    private func followOpenOrders(_ replica: Replica) async throws {
        let openOrders = Order.filter(Column("status") == "open")
        for try await orders in replica.values(openOrders, within: .seconds(3)) {
            switch orders.freshness {
            case .local: print(orders.value.count, "orders on this device")
            case .fresh(let time): print(orders.value.count, "orders as of", time)
            case .stale(let reason): print(orders.value.count, "orders, maybe old:", reason)
            }
        }
    }

    private func showSuspended(_ replica: Replica) async {
        for await status in replica.statuses() {
            for table in status.suspendedTables {
                print("\(table.name): \(table.reason) \(table.pendingCount) changes wait.")
            }
            if status.phase == .updateRequired { print("Update the app.") }
        }
    }

    // MARK: Background

    private enum Background {
        final class Sync: Sendable {
            let replica: Replica
            let lifeCycle: ReplicaLifeCycle

            init(_ replica: Replica) {
                self.replica = replica
                lifeCycle = ReplicaLifeCycle(replica)
            }
        }

        func launched(_ sync: Sync) {
            sync.lifeCycle.enteredForeground()
        }

        func paused(_ sync: Sync) async {
            // The system gives this program ten seconds.
            await sync.lifeCycle.enteredBackground(within: .seconds(10))
        }

        func openDatabase(at path: String) throws -> DatabasePool {
            var configuration = Configuration()
            configuration.observesSuspensionNotifications = true
            return try DatabasePool(path: path, configuration: configuration)
        }

        func options(group: URL) -> ReplicaOptions {
            var options = ReplicaOptions()
            options.runLock = group.appendingPathComponent("sync.lock")
            return options
        }

        func receivedNotification(_ sync: Sync) async -> Bool {
            switch await sync.lifeCycle.handlePush(within: .seconds(25)) {
            case .newData: return true
            case .noData, .failed: return false
            }
        }
    }

    // MARK: Support

    private struct Support {
        func report(_ replica: Replica) async throws -> String {
            try await replica.diagnostics().json()
        }

        func explain(_ change: PendingChange, _ replica: Replica) async throws {
            for reason in try await replica.pendingReasons(of: change.key, in: change.table) {
                switch reason {
                case .needsRow(let table, _, _): print("It waits for a row of \(table).")
                case .offline(let since, _): print("No connection since \(since).")
                default: print(reason)
                }
            }
        }

        func logged() -> ReplicaOptions {
            var options = ReplicaOptions()
            options.logger = Logger(label: "sync")  // of swift-log
            return options
        }
    }

    // MARK: Records

    /// What `moorage generate swift` makes, as far as the guide uses it.
    private struct Shop {
        struct Customer: Codable, FetchableRecord, PersistableRecord {
            static let databaseTableName = "customers"
            var id: Int64
        }

        struct Order: Codable, FetchableRecord, PersistableRecord {
            static let databaseTableName = "orders"
            enum Status: String, Codable, DatabaseValueConvertible { case open, closed }
            enum Columns {
                static let status = Column("status")
                static let placedAt = Column("placed_at")
            }
            enum ForeignKeys {
                static let customer = GRDB.ForeignKey(["customer_id"], to: ["id"])
            }
            static var customer: BelongsToAssociation<Order, Customer> {
                belongsTo(Customer.self, using: ForeignKeys.customer).forKey("customer")
            }
            var status: Status
        }

        func openOrders(_ database: DatabasePool) async throws -> [Order] {
            try await database.read { db in
                try Order
                    .filter { $0.status == Order.Status.open }
                    .including(required: Order.customer)
                    .order { $0.placedAt.desc }
                    .fetchAll(db)
            }
        }
    }
#endif
