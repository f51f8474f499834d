import Foundation

/// The command line, read by hand: options first, then one command with its arguments.
struct Command {
    static let usage = """
        usage: northwind [--file northwind-app.db] [--hub http://127.0.0.1:8080] <command>

          login <name>                          be this employee; the first time it copies the data from the hub
          orders                                my orders, newest first
          move <city> <region>                  I moved; '-' for a region that has no name
          add-order <customer> <line>…          an order; a line is product:quantity or product:quantity:discount
          sync                                  send what waits, and get what others changed
          status                                what waits, what was refused, when we last caught up

        The hub's address may stand in NORTHWIND_HUB; the shared secret comes from MOORAGE_SECRET.
        """

    private let file: String
    private let hub: String
    private let name: String
    private let arguments: [String]

    init(_ words: [String]) throws {
        let environment = ProcessInfo.processInfo.environment
        var file = "northwind-app.db"
        var hub = environment["NORTHWIND_HUB"] ?? "http://127.0.0.1:8080"
        var rest = words[...]
        while let word = rest.first, word.hasPrefix("--") {
            rest.removeFirst()
            if word == "--help" { break }
            guard let value = rest.popFirst() else {
                throw AppError("\(word) needs a value.\n\n\(Self.usage)")
            }
            switch word {
            case "--file": file = value
            case "--hub": hub = value
            default: throw AppError("\(word) is no option.\n\n\(Self.usage)")
            }
        }
        self.file = file
        self.hub = hub
        name = rest.popFirst() ?? "help"
        arguments = Array(rest)
    }

    func run() async throws {
        switch (name, arguments.count) {
        case ("help", _): print(Self.usage)
        case ("login", 1): try await login(arguments[0])
        case ("orders", 0): try await app().printOrders()
        case ("move", 2): try await move(city: arguments[0], region: arguments[1])
        case ("add-order", 2...): try await addOrder(arguments[0], arguments.dropFirst())
        case ("sync", 0): try await replica().sync()
        case ("status", 0): try await replica().printStatus()
        case ("login", _), ("orders", _), ("move", _), ("add-order", _), ("sync", _), ("status", _):
            throw AppError("\(name) does not take these arguments.\n\n\(Self.usage)")
        default: throw AppError("\(name) is no command.\n\n\(Self.usage)")
        }
    }

    private func login(_ name: String) async throws {
        let link = try replica()
        if await !link.isComplete() { try await link.copyFromHub() }
        let employee = try await app().logIn(name)
        print("Good morning, \(employee).")
    }

    private func move(city: String, region: String) async throws {
        try await app().move(city: city, region: region == "-" ? nil : region)
        print("You live in \(city) now; your hub learns of it at the next sync.")
    }

    private func addOrder(_ customer: String, _ lines: some Sequence<String>) async throws {
        let id = try await app().addOrder(
            customer: customer, lines: lines.map { try OrderLine($0) })
        print("Order \(id) is written down; it is sent at the next sync.")
    }

    private func app() throws -> SalesApp { SalesApp(database: try LocalFile.open(file)) }
    private func replica() throws -> HubLink { try HubLink(file: file, hub: hub) }
}
