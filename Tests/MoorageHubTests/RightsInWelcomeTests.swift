import MoorageCore
import MoorageHub
import MoorageSQLite
import MoorageWire
import TestSupport
import Testing

@Suite(.ownThreads) struct `Rights in the welcome` {
    private static let schema = """
        CREATE TABLE orders (id TEXT NOT NULL PRIMARY KEY, employee TEXT, note TEXT);
        CREATE TABLE wage (id TEXT NOT NULL PRIMARY KEY, amount INTEGER);
        CREATE TABLE prices (id TEXT NOT NULL PRIMARY KEY, amount INTEGER);
        """

    private static let settings = RightSettings(tables: [
        "orders": [
            "clerk": TableRights(insert: true, update: true, columns: ["note"]), "boss": .all,
            "*": TableRights(),
        ],
        "wage": ["boss": .all],
    ])

    /// The rights of one welcome, for a replica that knows a version of them.
    private func rights(
        _ hub: Hub, of roles: [String], knowing version: String? = nil, tables: [TableColumns] = []
    ) throws -> RightsAnswer? {
        var request = ExchangeRequest(
            replica: "00000000-0000-4000-8000-000000000001", hub: nil, sentAt: 1, tables: tables,
            cursor: .start, schemaVersion: nil, batch: nil, limits: PageLimits())
        request.rightsVersion = version
        var welcomes: [Welcome] = []
        let ann = Principal(subject: "ann", claims: ["roles": roles])
        try hub.exchange(request, for: ann) { (frame: Frame) in
            if case .welcome(let welcome) = frame { welcomes.append(welcome) }
        }
        return try #require(welcomes.first).rights
    }

    private func listed(_ answer: RightsAnswer?) -> [String: TableRightsAnswer] {
        Dictionary((answer?.tables ?? []).map { ($0.table, $0) }) { first, _ in first }
    }

    @Test func `come once, and again when the user's roles have changed`() throws {
        let bench = try HubBench(schema: Self.schema, rights: Self.settings)
        let clerk = try #require(try rights(bench.hub, of: ["clerk", "unknown"]))
        #expect(
            listed(clerk) == [
                "orders": TableRightsAnswer(
                    table: "orders", insert: .only(["note"]), update: .only(["note"]),
                    mayDelete: false, mayMove: true),
                "wage": TableRightsAnswer(
                    table: "wage", insert: nil, update: nil, mayDelete: false, mayMove: false),
            ])
        #expect(try rights(bench.hub, of: ["clerk"], knowing: clerk.version) == nil)
        let boss = try #require(try rights(bench.hub, of: ["boss"], knowing: clerk.version))
        #expect(boss.tables == [] && boss.version != clerk.version)
        #expect(try rights(bench.hub, of: ["boss", "clerk"], knowing: boss.version) == nil)
        #expect(try rights(bench.hub, of: ["clerk"], knowing: boss.version) == clerk)
    }

    @Test func `come again when the configuration has changed`() throws {
        let bench = try HubBench(schema: Self.schema, rights: Self.settings)
        let before = try #require(try rights(bench.hub, of: ["clerk"]))
        var configuration = HubConfiguration()
        configuration.rights = Self.settings
        let same = Hub(database: bench.database, configuration: configuration)
        #expect(try rights(same, of: ["clerk"], knowing: before.version) == nil)
        configuration.rights.tables["orders"]?["clerk"]?.delete = true
        let other = Hub(database: bench.database, configuration: configuration)
        let after = try #require(try rights(other, of: ["clerk"], knowing: before.version))
        #expect(listed(after)["orders"]?.mayDelete == true)
    }

    @Test func `do not depend on the tables that a replica asks for`() throws {
        let bench = try HubBench(schema: Self.schema, rights: Self.settings)
        let wage = TableColumns(name: "wage", columns: ["id", "amount"])
        let answer = try rights(bench.hub, of: ["clerk"], tables: [wage])
        #expect(try answer == rights(bench.hub, of: ["clerk"]))
    }

    @Test func `list nothing at a hub that limits nobody, or where the schema says it`() throws {
        let plain = try HubBench(schema: Self.schema)
        let open = try rights(plain.hub, of: [])
        let columns = ["orders": ColumnSettings(hidden: ["employee"], downOnly: ["note"])]
        let down = try HubBench(
            schema: Self.schema, directions: ["prices": .down, "wage": .downReverting],
            columns: columns, rights: RightSettings(tables: ["prices": ["boss": .all]]))
        let closed = try rights(down.hub, of: [])
        #expect(open?.tables == [] && open == closed)
    }

    @Test func `tell who may take a row out of their scopes`() throws {
        var settings = Self.settings
        settings.tables["orders"]?["mover"] = TableRights(
            update: true, columns: ["employee"], move: true)
        let bench = try HubBench(
            schema: Self.schema,
            scopes: ScopeSettings(
                rules: ["orders": [ScopeRule(.column(kind: "employee", "employee"))]],
                holdings: ["employee": .claim("sub")]),
            rights: settings)
        #expect(try listed(rights(bench.hub, of: ["boss"]))["orders"]?.mayMove == false)
        #expect(try listed(rights(bench.hub, of: ["boss", "mover"]))["orders"] == nil)
        #expect(try listed(rights(bench.hub, of: ["mover"]))["orders"]?.mayMove == true)
    }
}
