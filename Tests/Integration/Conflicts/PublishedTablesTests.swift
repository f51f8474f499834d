import Moorage
import MoorageCore
import MoorageHub
import MoorageTesting
import TestSupport
import Testing

/// The oldest published tables of how a sync framework merges conflicts, with their own rows.
@Suite(.ownThreads) struct `The published tables` {
    private static let schema = [
        """
        CREATE TABLE route (
          id INTEGER NOT NULL PRIMARY KEY, name VARCHAR(40), second INTEGER, third INTEGER,
          created TIMESTAMP, updated TIMESTAMP)
        """,
        """
        INSERT INTO route VALUES
          (1, 'Växjö-Kalmar', 0, 0, '2018-04-29 11:21:02', '2018-04-29 11:21:02')
        """,
    ]

    private static let deviceWrites =
        "UPDATE route SET third = 1, updated = '2018-04-29 11:30:00' WHERE id = 1"
    private static let officeWrites =
        "UPDATE route SET third = 2, updated = '2018-04-29 11:45:05' WHERE id = 1"

    struct Case: Sendable, CustomTestStringConvertible {
        let kind: CentreKind
        let rules: TableRules
        let name: String

        var testDescription: String { "\(kind.rawValue), \(name)" }

        /// By day the servers run one rule that compares times and one that does not.
        static let all: [Case] = CentreKind.available.flatMap { kind in
            let cases = [
                Case(kind: kind, rules: .merge(), name: "newest"),
                Case(
                    kind: kind, rules: TableRules(time: "updated"), name: "newest, by its own time"),
                Case(kind: kind, rules: TableRules(rule: .server), name: "server"),
                Case(kind: kind, rules: TableRules(rule: .client), name: "client"),
            ]
            let isWhole = kind == .sqlite || isNightly
            return isWhole ? cases : cases.filter { ["newest", "client"].contains($0.name) }
        }

        var clientWins: Bool { rules.rule == .client }
    }

    private static func run(
        _ test: Case, _ body: @escaping @Sendable (World, Device, Device) async throws -> Void
    ) async throws {
        try await World.run(
            test.kind, schema: schema,
            configuration: HubConfiguration(rules: ["route": test.rules])
        ) { world in
            try await body(world, try await world.clone("A"), try await world.clone("B"))
        }
    }

    private static func third(_ world: World, _ devices: Device...) throws -> Set<String?> {
        let sql = "SELECT third FROM route WHERE id = 1"
        var values: Set<String?> = [try world.centre.text(sql)]
        for device in devices { values.insert(try device.text(sql)) }
        return values
    }

    @Test(arguments: Case.all)
    func `an edit that nobody met stands`(test: Case) async throws {
        try await Self.run(test) { world, a, b in
            try a.execute(Self.deviceWrites)
            #expect(try a.text("SELECT third FROM route") == "1")
            try await world.converge(a, b)
            #expect(try Self.third(world, a, b) == ["1"])
            #expect(try await world.conflicts() == [])
        }
    }

    @Test(arguments: Case.all)
    func `of an older edit and a later one at the centre the rule takes its own`(
        test: Case
    ) async throws {
        try await Self.run(test) { world, a, b in
            try a.execute(Self.deviceWrites)
            try a.makeEditsOlder()
            try world.centre.execute(Self.officeWrites)
            #expect(try a.text("SELECT third FROM route") == "1")
            try await world.converge(a, b)
            #expect(try Self.third(world, a, b) == [test.clientWins ? "1" : "2"])
            let record = try #require(try await world.hub.conflicts().first)
            #expect(record.mine?.contains("\"third\":1") == true)
            #expect(record.theirs?.contains("\"third\":2") == true)
            #expect(record.base?.contains("\"third\":0") == true)
        }
    }

    @Test(arguments: Case.all)
    func `a delete of a row that was updated since brings it back, or takes it from all`(
        test: Case
    ) async throws {
        try await Self.run(test) { world, a, b in
            try a.execute("DELETE FROM route WHERE id = 1")
            try a.makeEditsOlder()
            try world.centre.execute(Self.officeWrites)
            #expect(try a.text("SELECT count(*) FROM route") == "0")
            try await world.converge(a, b)
            #expect(try Self.third(world, a, b) == [test.clientWins ? nil : "2"])
            let record = try #require(try await world.hub.conflicts().first)
            #expect(record.kind == "deleteUpdate" && record.base != nil)
            #expect(record.theirs?.contains("\"third\":2") == true)
        }
    }

    @Test(arguments: Case.all)
    func `an update of a row that is gone is refused, and it stays gone`(
        test: Case
    ) async throws {
        try await Self.run(test) { world, a, b in
            try a.execute(Self.deviceWrites)
            try world.centre.execute("DELETE FROM route WHERE id = 1")
            #expect(try a.text("SELECT third FROM route") == "1")
            try await world.converge(a, b)
            #expect(try Self.third(world, a, b) == [nil])
            #expect(try await a.replica.refusedChanges.fetch().map(\.code) == [.gone])
            let record = try #require(try await world.hub.conflicts().first)
            #expect(record.mine?.contains("\"third\":1") == true && record.reasonCode == "gone")
        }
    }

    @Test(arguments: CentreKind.available)
    func `an update of a row that is gone brings it back whole where the table says so`(
        kind: CentreKind
    ) async throws {
        let test = Case(
            kind: kind, rules: TableRules(updateOfDeleted: .resurrect), name: "resurrect")
        try await Self.run(test) { world, a, b in
            try a.execute(Self.deviceWrites)
            try world.centre.execute("DELETE FROM route WHERE id = 1")
            try await world.converge(a, b)
            try await world.converge(a, b)
            #expect(try Self.third(world, a, b) == ["1"])
            #expect(try world.centre.text("SELECT name FROM route") == "Växjö-Kalmar")
            #expect(try await a.replica.refusedChanges.fetch().isEmpty)
            #expect(try await world.differences(a, b) == [])
        }
    }
}
