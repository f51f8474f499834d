import Foundation
import GRDB
import Moorage
import MoorageUI

/// All that this app knows of sync: the local file, its replica, and what a person decides.
struct HubLink {
    let replica: Replica
    let sales: SalesApp

    init(file: String, hub: String, secret: String?) async throws {
        guard let url = URL(string: hub) else { throw AppError("'\(hub)' is no address.") }
        var configuration = Configuration()
        // Another command may write while `watch` does.
        configuration.busyMode = .timeout(5)
        let database = try DatabasePool(path: file, configuration: configuration)
        // It makes a new file's tables, all that the hub has. An older file needs no hub to open.
        replica = try await Replica.open(database: database, hub: .http(url, secret: secret))
        sales = SalesApp(database: database)
    }

    /// The headline, and what waits.
    var statusLine: String {
        let status = replica.status
        var texts = ReplicaTexts()
        // Between two commands nothing syncs the file.
        if status.phase == .stopped { texts.offline = "Not running" }
        let parts = [
            texts.title(status.headline), texts.detail(status),
            status.overruledCount > 0 ? "conflicts: \(status.overruledCount)" : nil,
        ]
        return parts.compactMap { $0 }.joined(separator: " · ")
    }

    /// Stays in sync until the program ends, and prints what happens.
    func watch() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await replica.run() }
            group.addTask {
                var last = ""
                for await _ in replica.statuses() where statusLine != last {
                    last = statusLine
                    show(last)
                }
            }
            group.addTask {
                var known: Set<OrderSummary>?
                for try await orders in sales.followOrders() {
                    for order in orders where known?.contains(order) == false { show("\(order)") }
                    known = Set(orders)
                }
            }
            try await group.next()
        }
    }

    // MARK: What a person decides

    func printConflicts() async throws {
        for conflict in try await replica.overruledChanges.fetch() {
            print("\(conflict.id)  \(conflict.table) \(conflict.key.displayText)")
            for field in conflict.fields {
                let (mine, theirs) = (field.mine?.displayText, field.theirs?.displayText)
                print("   \(field.column): mine \(mine ?? "–"), theirs \(theirs ?? "–")")
            }
        }
    }

    func conflict(_ number: String) async throws -> OverruledChange {
        let conflicts = try await replica.overruledChanges.fetch()
        guard let conflict = conflicts.first(where: { "\($0.id)" == number }) else {
            throw AppError("There is no conflict \(number).")
        }
        return conflict
    }

    func printRefused() async throws {
        for refused in try await replica.refusedChanges.fetch() {
            print("\(refused.table) \(refused.key.displayText): \(refused.message)")
        }
    }
}

/// Prints a line at once, also into a pipe.
private func show(_ line: String) {
    print(line)
    fflush(nil)
}
