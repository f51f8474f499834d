import Foundation
import Moorage

/// The field-sales app of a travelling employee. Every command works on the local file alone, but
/// the first `login`, `sync` and `watch`.
@main enum Northwind {
    private static let usage = """
        usage: northwind [--file northwind-app.db] [--hub http://127.0.0.1:8080] <command>

          login <name>                   be this employee; the first time it copies the data
          orders                         my newest orders
          move <city> <region>           I moved; '-' for a region that has no name
          add-order <customer> <line>…   a line is product:quantity or product:quantity:discount
          sync                           send what waits, and get what others changed
          watch                          stay in sync, and print the orders that change
          status                         whether all is in sync
          conflicts                      my changes that lost against another one
          keep-mine <number>             write my side of a conflict again
          keep-theirs <number>           leave the other side's values
          refused                        my changes that were not accepted

        The hub's shared secret comes from MOORAGE_SECRET.
        """

    static func main() async {
        do {
            var words = Array(CommandLine.arguments.dropFirst())
            let file = option("--file", in: &words) ?? "northwind-app.db"
            let hub = option("--hub", in: &words) ?? "http://127.0.0.1:8080"
            guard let command = command(words) else { throw AppError(usage) }
            let secret = ProcessInfo.processInfo.environment["MOORAGE_SECRET"]
            try await command(HubLink(file: file, hub: hub, secret: secret))
        } catch {
            let message = (error as? any LocalizedError)?.errorDescription ?? "\(error)"
            FileHandle.standardError.write(Data("northwind: \(message)\n".utf8))
            exit(1)
        }
    }

    private static func option(_ name: String, in words: inout [String]) -> String? {
        guard let place = words.firstIndex(of: name), place + 1 < words.count else { return nil }
        defer { words.removeSubrange(place...place + 1) }
        return words[place + 1]
    }

    /// What the words ask for; `nil` if they are no command.
    private static func command(_ words: [String]) -> ((HubLink) async throws -> Void)? {
        let arguments = Array(words.dropFirst())
        switch (words.first, arguments.count) {
        case ("login", 1):
            return { link in
                // A copy that broke off goes on where it stopped.
                if !link.replica.status.hasEverCaughtUp {
                    try await link.replica.catchUp(within: .seconds(60))
                }
                print("Good morning, \(try await link.sales.logIn(arguments[0])).")
            }
        case ("orders", 0): return { for order in try await $0.sales.orders() { print(order) } }
        case ("move", 2):
            let region = arguments[1] == "-" ? nil : arguments[1]
            return { try await $0.sales.move(city: arguments[0], region: region) }
        case ("add-order", 2...):
            return { link in
                let lines = try arguments.dropFirst().map { try OrderLine($0) }
                let id = try await link.sales.addOrder(customer: arguments[0], lines: lines)
                print("Order \(id) is written down; the next sync sends it.")
            }
        case ("sync", 0):
            return { link in
                let summary = try await link.replica.sync()
                print("Sent \(summary.changesPushed), received \(summary.rowsReceived).")
                print(link.statusLine)
            }
        case ("watch", 0): return { try await $0.watch() }
        case ("status", 0): return { print($0.statusLine) }
        case ("conflicts", 0): return { try await $0.printConflicts() }
        case ("keep-mine", 1):
            return { try await $0.replica.reapply($0.conflict(arguments[0])) }
        case ("keep-theirs", 1):
            return { try await $0.replica.keepTheirs($0.conflict(arguments[0])) }
        case ("refused", 0): return { try await $0.printRefused() }
        default: return nil
        }
    }
}

/// What the person at the keyboard can fix.
struct AppError: LocalizedError {
    let errorDescription: String?
    init(_ message: String) { errorDescription = message }
}
