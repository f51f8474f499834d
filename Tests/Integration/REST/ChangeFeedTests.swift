import Foundation
import GRDB
import MoorageCore
import MoorageHub
import MoorageREST
import MoorageSupport
import MoorageTesting
import TestSupport
import Testing

@Suite(.ownThreads) struct `Changes by REST on each database` {
    private static let schema = [
        """
        CREATE TABLE customer (
          id INTEGER NOT NULL PRIMARY KEY, owner VARCHAR(20), name VARCHAR(40) NOT NULL)
        """,
        """
        CREATE TABLE purchase (
          id VARCHAR(20) NOT NULL PRIMARY KEY, customer INTEGER NOT NULL, freight DECIMAL(20,2),
          FOREIGN KEY (customer) REFERENCES customer (id))
        """,
        "CREATE TABLE product (id INTEGER NOT NULL PRIMARY KEY, name VARCHAR(40))",
        """
        INSERT INTO customer VALUES
          (1, 'ann', 'A'), (2, 'bob', 'B'), (3, 'ann', 'C'), (4, NULL, 'D')
        """,
        "INSERT INTO purchase VALUES ('a', 1, 9.80), ('B', 2, NULL), ('c', 2, 1)",
        "INSERT INTO product VALUES (1, 'p'), (2, 'q')",
    ]

    private static func run(
        _ kind: CentreKind, _ test: @escaping @Sendable (World, RESTService) async throws -> Void
    ) async throws {
        var configuration = HubConfiguration()
        configuration.scopes = ScopeSettings(
            rules: [
                "customer": [ScopeRule(.column(kind: "owner", "owner"))],
                "purchase": [ScopeRule(.through(["customer"]))],
            ], holdings: ["owner": .claim("owners")])
        try await World.run(
            kind, schema: TortureDialect(kind: kind).preparation + schema,
            configuration: configuration
        ) { world in
            try await test(world, RESTService(hub: world.hub))
        }
    }

    @Test(arguments: CentreKind.available)
    func `come in order, move with their scopes, and end with deletes`(kind: CentreKind)
        async throws
    {
        try await Self.run(kind) { world, service in
            var ann = ReplayedFeed(service, "ann")
            var both = ReplayedFeed(service, "ann", "bob")
            (ann.tables, both.tables) = ("customer,purchase", "purchase,customer")
            #expect(
                try await ann.readAll() == [
                    "insert customer 1", "insert customer 3", "insert purchase a",
                ])
            try await both.readAll()
            for statement in [
                "UPDATE customer SET name = 'x' WHERE id = 3",
                "UPDATE product SET name = 'x'", "UPDATE customer SET owner = 'bob' WHERE id = 1",
                "INSERT INTO purchase VALUES ('d', 3, 2.50)",
            ] {
                try world.centre.execute(statement)
                // Each gets a place of its own.
                var other = ReplayedFeed(service, "eve")
                try await other.readPage()
            }
            #expect(
                try await ann.readAll() == [
                    "update customer 3", "delete purchase a", "delete customer 1",
                    "insert purchase d",
                ])
            #expect(
                try await both.readAll() == [
                    "update customer 3", "update customer 1", "update purchase a",
                    "insert purchase d",
                ])
            try world.centre.execute(
                "DELETE FROM purchase WHERE customer = 3; DELETE FROM customer WHERE id = 3")
            #expect(try await ann.readAll() == ["delete purchase d", "delete customer 3"])
            #expect(try await both.readAll() == ["delete purchase d", "delete customer 3"])
        }
    }

    /// On PostgreSQL its version is older than some that the program has read.
    @Test(arguments: CentreKind.available.filter { $0 != .sqlite })
    func `have all of a transaction that began before others and commits after them`(
        kind: CentreKind
    ) async throws {
        try await Self.run(kind) { world, service in
            var feed = ReplayedFeed(service, names: ["ann", "bob"], limit: 1)
            try await feed.readAll()
            let late = try world.centre.openSession()
            try late.run("BEGIN")
            try late.run("UPDATE customer SET name = 'late' WHERE id = 1")
            try late.run("DELETE FROM purchase WHERE id = 'a'")
            for id in [2, 3] {
                try world.centre.execute("UPDATE customer SET name = 'x' WHERE id = \(id)")
                #expect(try await feed.readAll() == ["update customer \(id)"])
            }
            try world.centre.execute("UPDATE product SET name = 'x'")
            // One window is open when the transaction ends.
            #expect(try await feed.readPage().hasMore)
            try late.run("COMMIT")
            let rest = try await feed.readAll()
            #expect(Set(rest).isSuperset(of: ["update customer 1", "delete purchase a"]))
            #expect(try await feed.rows == feed.visible())
        }
    }

    /// Pages are read while others write, so what they bring need not be one state. In the end no
    /// change is missing.
    @Test(arguments: CentreKind.available)
    func `are the rows when they are replayed, whoever writes meanwhile`(kind: CentreKind)
        async throws
    {
        try await Self.run(kind) { world, service in
            let writers = try (1...3).map { number in
                try FeedWriter(number, world.centre.openSession(), kind).start()
            }
            let isOver = Locked(false)
            let readers = [
                (["ann"], 3), (["bob"], 1_000), (["ann", "bob"], 7), (["ann", "bob"], 100),
            ].map { names, limit in
                Task {
                    var feed = ReplayedFeed(service, names: names, limit: limit)
                    while !isOver.withLock({ $0 }) { try await feed.readPage() }
                    try await feed.readAll()
                    return feed
                }
            }
            for writer in writers { try await writer.value }
            isOver.withLock { $0 = true }
            for reader in readers {
                let feed = try await reader.value
                let visible = try await feed.visible()
                #expect(feed.rows == visible)
            }
        }
    }
}

/// A program that replays pages of changes.
private struct ReplayedFeed: Sendable {
    private let service: RESTService
    private let user: Principal
    private let limit: Int
    /// Names with commas; `nil` for all tables.
    var tables: String?
    private var position: String?
    /// By table and key, each row as its JSON.
    private(set) var rows: [String: String] = [:]

    init(_ service: RESTService, _ names: String...) {
        self.init(service, names: names, limit: 100)
    }

    init(_ service: RESTService, names: [String], limit: Int) {
        self.service = service
        self.limit = limit
        user = Principal(
            subject: names.joined(separator: "-"), claims: ["owners": names])
    }

    private func get(_ path: String, _ query: String) async throws -> JSON {
        guard let route = try RESTService.route(method: "GET", path: path) else { return .null }
        let request = RESTRequest(method: "GET", path: path, query: query)
        let response = try await service.respond(to: request, route: route, for: user)
        let json = try JSON(parsing: response.body)
        guard response.status == 200 else { throw Refused(answer: "\(json)") }
        return json
    }

    private struct Refused: Error { let answer: String }

    /// - Returns: The changes as texts, and whether there are more.
    @discardableResult
    mutating func readPage() async throws -> (texts: [String], hasMore: Bool) {
        let since = position.map { "&since=\($0)" } ?? ""
        let names = tables.map { "&tables=\($0)" } ?? ""
        let page = try await get("/v1/changes", "limit=\(limit)\(since)\(names)")
        guard case .array(let changes)? = page["changes"], case .string(let next)? = page["next"],
            case .bool(let hasMore)? = page["more"]
        else { throw Refused(answer: "\(page)") }
        var texts: [String] = []
        for change in changes {
            let (table, key) = (change["table"].text, change["key"].texts)
            rows["\(table) \(key.joined(separator: ","))"] = change["row"].map { "\($0)" }
            texts.append("\(change["op"].text) \(table) \(key.joined(separator: ","))")
        }
        position = next
        return (texts, hasMore)
    }

    @discardableResult
    mutating func readAll() async throws -> [String] {
        var texts: [String] = []
        while true {
            let page = try await readPage()
            texts += page.texts
            if !page.hasMore { return texts }
        }
    }

    /// The rows that lists show, in the same form.
    func visible() async throws -> [String: String] {
        var rows: [String: String] = [:]
        for table in ["customer", "purchase", "product"] {
            let list = try await get("/v1/tables/\(table)", "limit=1000")
            for row in list["rows"].elements { rows["\(table) \(row["id"].text)"] = "\(row)" }
        }
        return rows
    }
}

extension JSON? {
    fileprivate var text: String {
        switch self {
        case .string(let text)?, .number(let text)?: text
        default: ""
        }
    }

    fileprivate var elements: [JSON] {
        if case .array(let elements)? = self { elements } else { [] }
    }

    fileprivate var texts: [String] { elements.map { Optional($0).text } }
}

/// One of the owner's programs, on a thread and a connection of its own.
private final class FeedWriter: @unchecked Sendable {
    // `@unchecked`: all of it belongs to the writer's thread.
    private static let transactions = 60

    private let session: any OwnerSession
    private let dialect: TortureDialect
    private var random: SeededGenerator
    private let number: Int

    init(_ number: Int, _ session: any OwnerSession, _ kind: CentreKind) {
        self.number = number
        self.session = session
        dialect = TortureDialect(kind: kind)
        random = SeededGenerator(seed: UInt64(number))
    }

    func start() -> Task<Void, any Error> {
        Task {
            try await withCheckedThrowingContinuation { continuation in
                Thread.detachNewThread { [self] in
                    continuation.resume(
                        with: Result { for _ in 0..<Self.transactions { try transaction() } })
                }
            }
        }
    }

    private func transaction() throws {
        do {
            try session.run(dialect.begin(isUnusual: random.chance(20)))
            for _ in 0..<Int.random(in: 1...4, using: &random) { try session.run(statement()) }
            if random.chance(30) { Thread.sleep(forTimeInterval: 0.005) }
            try session.run(random.chance(10) ? "ROLLBACK" : "COMMIT")
        } catch let error as any OwnerFailure where error.isExpected {
            // A deadlock may have ended the transaction already.
            do { try session.run("ROLLBACK") } catch is DatabaseError {}
        }
        Thread.sleep(forTimeInterval: 0.002)
    }

    private func statement() -> String {
        let customer = Int.random(in: 1...8, using: &random)
        let purchase = Int.random(in: 1...30, using: &random)
        let owner = ["'ann'", "'bob'", "NULL"].randomElement(using: &random) ?? "NULL"
        return switch Int.random(in: 0..<9, using: &random) {
        case 0:
            dialect.insertOrIgnore("customer", "VALUES (\(customer), \(owner), 'w\(number)')")
        case 1: "UPDATE customer SET owner = \(owner) WHERE id = \(customer)"
        case 2: "UPDATE customer SET name = 'w\(number)-\(purchase)' WHERE id = \(customer)"
        case 3, 4:
            dialect.insertOrIgnore(
                "purchase", "SELECT 'p\(purchase)', id, 1.5 FROM customer WHERE id = \(customer)")
        case 5:
            "UPDATE purchase SET freight = \(number).\(purchase) WHERE id = 'p\(purchase)'"
        case 6: "DELETE FROM purchase WHERE id = 'p\(purchase)'"
        case 7: "UPDATE product SET name = 'w\(number)-\(purchase)'"
        default:
            "DELETE FROM purchase WHERE customer = \(customer); DELETE FROM customer WHERE id = \(customer)"
        }
    }
}
