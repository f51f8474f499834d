import Foundation
import Logging
import MoorageCore
import MoorageHub
import MoorageSQLite
import MoorageServer

/// A server with a rule in Swift: an order that was shipped is not changed any more.
@main struct CustomServer {
    static func main() async throws {
        let keepShipped = MergeHandler("keepShipped") { question in
            question.theirs["shipped_date"] == .null ? .mine : .reject("The order was shipped.")
        }
        let hub = Hub(
            database: try SQLiteDatabase(path: "northwind.db"),
            configuration: HubConfiguration(rules: [
                "orders": TableRules(rule: .handler(keepShipped))
            ]))
        try await hub.checkConfiguration()
        let secret = ProcessInfo.processInfo.environment["MOORAGE_SECRET"] ?? ""
        let server = try HubServer(
            hub: hub, health: { HealthReport(isReachable: true) },
            configuration: HubServer.Configuration(
                listen: ListenAddress("127.0.0.1:8080"), secret: SharedSecret(secret)),
            logger: Logger(label: "custom-server"))
        try await server.run()
    }
}
