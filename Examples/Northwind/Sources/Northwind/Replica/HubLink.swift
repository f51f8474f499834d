import Foundation
import GRDB
import Moorage

/// All that this app knows of syncing: the local file and its hub.
struct HubLink {
    /// Every table that the hub syncs and this app wants.
    static let tables = [
        "region", "territories", "categories", "suppliers", "products", "shippers", "customers",
        "employees", "employee_territories", "orders", "order_details", "customer_demographics",
        "customer_customer_demo",
    ]

    private let file: String
    private let hub: ReplicaHub

    init(file: String, hub: String) throws {
        guard let url = URL(string: hub), ["http", "https"].contains(url.scheme) else {
            throw AppError("'\(hub)' is no address of a hub; write http://127.0.0.1:8080.")
        }
        self.file = file
        self.hub = .http(url, secret: ProcessInfo.processInfo.environment["MOORAGE_SECRET"])
    }

    /// Fills a new file from the hub; a copy that was interrupted goes on where it stopped.
    func copyFromHub() async throws {
        let queue = try DatabaseQueue(path: file)
        print("Copying the data from the hub …")
        let replica = try await Replica.clone(into: queue, from: hub, tables: Self.tables)
        print(Self.sentence(replica.status))
    }

    /// Whether the file is a replica with a complete copy.
    func isComplete() async -> Bool {
        guard LocalFile.exists(file) else { return false }
        return await (try? open().status.hasEverCaughtUp) ?? false
    }

    func sync() async throws {
        let replica = try await open()
        let summary = try await replica.sync()
        print(
            "Sent \(summary.changesPushed) changes, received \(summary.rowsReceived) rows, removed \(summary.rowsRemoved)."
        )
        if summary.changesRefused > 0 {
            print("\(summary.changesRefused) changes were refused: northwind status says why.")
        }
        print(Self.sentence(replica.status))
    }

    func printStatus() async throws {
        let replica = try await open()
        print(Self.sentence(replica.status))
        for refused in try await replica.refusedChanges.fetch() {
            print(
                "  refused: \(refused.kind.rawValue) in \(refused.table): \(refused.message)")
        }
        for table in replica.status.suspendedTables { print("  stopped: \(table)") }
    }

    /// Needs no network.
    private func open() async throws -> Replica {
        try await Replica(
            database: LocalFile.open(file), hub: hub, tables: Self.tables.map { .table($0) })
    }

    private static func sentence(_ status: ReplicaStatus) -> String {
        let waiting =
            status.pendingCount == 0
            ? "Nothing waits to be sent" : "\(status.pendingCount) changed rows wait to be sent"
        guard let date = status.lastCaughtUp else { return "\(waiting); the copy is not complete." }
        return "\(waiting); last caught up \(date.formatted(.iso8601))."
    }
}
