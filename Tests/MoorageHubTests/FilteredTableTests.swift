import MoorageCore
import MoorageHub
import MoorageTesting
import MoorageWire
import TestSupport
import Testing

@Suite(.ownThreads) struct `Filtered tables` {
    private static let schema = """
        CREATE TABLE product (
          id INTEGER NOT NULL PRIMARY KEY, name TEXT, discontinued BOOLEAN NOT NULL, region TEXT,
          weight DOUBLE, photo BLOB);
        CREATE TABLE price (
          id INTEGER NOT NULL PRIMARY KEY, product INTEGER NOT NULL REFERENCES product(id));
        """

    private static func settings(_ text: String) throws -> ScopeSettings {
        let filter = try RowFilter(text)
        var holdings: [String: ScopeHolding] = [:]
        if let parameter = filter.parameter { holdings[parameter.kind] = parameter.holding }
        return ScopeSettings(
            rules: [
                "product": filter.applied(to: []), "price": [ScopeRule(.through(["product"]))],
            ], holdings: holdings)
    }

    private func bench(_ text: String, rights: RightSettings = RightSettings()) throws -> HubBench {
        let bench = try HubBench(
            schema: Self.schema, scopes: try Self.settings(text), rights: rights)
        try bench.sql(
            """
            INSERT INTO product (id, name, discontinued, region) VALUES
              (1, 'a', 0, 'EU'), (2, 'b', 1, 'EU'), (3, 'c', 0, 'US'), (4, 'd', 0, NULL);
            INSERT INTO price VALUES (10, 1), (20, 2), (30, 3), (40, 4);
            """)
        return bench
    }

    private func user(
        _ bench: HubBench, _ number: Int, _ claims: [String: [String]] = [:]
    ) throws -> ScriptedReplica {
        let replica = try ScriptedReplica(bench, number)
        replica.principal = Principal(subject: "user\(number)", claims: claims)
        return replica
    }

    private func ids(_ replica: ScriptedReplica, _ table: String) -> [Int64] {
        (replica.rows[table] ?? [:]).keys.compactMap {
            if case .integer(let id) = $0.values[0] { id } else { nil }
        }.sorted()
    }

    @Test func `give everyone the rows for which the filter is true`() throws {
        let bench = try bench("discontinued = 0 AND region <> 'US'")
        let ann = try user(bench, 1)
        try ann.exchange()
        // Nobody knows whether NULL is the US.
        #expect(ids(ann, "product") == [1] && ids(ann, "price") == [10])
        try bench.sql(
            "UPDATE product SET discontinued = 1 - discontinued; UPDATE price SET id = id + 1")
        try ann.exchange()
        #expect(ids(ann, "product") == [2] && ids(ann, "price") == [21])
        #expect(ann.beginnings == 0)
    }

    @Test func `give each user the rows of the user's claim`() throws {
        let bench = try bench("discontinued = FALSE AND region = :region")
        let (ann, bob) = (
            try user(bench, 1, ["region": ["EU"]]), try user(bench, 2, ["region": ["US"]])
        )
        try ann.exchange()
        try bob.exchange()
        #expect(ids(ann, "product") == [1] && ids(ann, "price") == [10])
        #expect(ids(bob, "product") == [3] && ids(bob, "price") == [30])
        try bench.sql("UPDATE product SET region = 'US' WHERE id < 3")
        try ann.exchange()
        try bob.exchange()
        #expect(ids(ann, "product").isEmpty && ids(ann, "price").isEmpty)
        #expect(ids(bob, "product") == [1, 3] && ids(bob, "price") == [10, 30])
        // What a user may not see is not told when it changes.
        try bench.sql("UPDATE product SET name = 'x' WHERE id = 2")
        let pages = bob.pages(try bob.exchange())
        #expect(pages.flatMap(\.removals).isEmpty && pages.flatMap(\.tables).isEmpty)
    }

    @Test(
        arguments: [
            ([:], []), (["region": []], []), (["region": ["EU", "US"]], [1, 3]),
            (["region": ["eu"]], []), (["region": ["EU' OR 'a' = 'a"]], []), (["region": [""]], []),
            (["Region": ["EU"], "region.x": ["EU"]], []),
        ] as [([String: [String]], [Int64])])
    func `give nothing for a claim that is missing or names no row`(
        claims: [String: [String]], expected: [Int64]
    ) throws {
        let bench = try bench("NOT discontinued AND region IN (:region)")
        let user = try user(bench, 1, claims)
        try user.exchange()
        #expect(ids(user, "product") == expected)
        let nobody = try ScriptedReplica(bench, 2)
        try nobody.exchange()
        #expect(ids(nobody, "product").isEmpty && ids(nobody, "price").isEmpty)
    }

    @Test func `take the user's name for the parameter sub`() throws {
        let bench = try bench("region = :sub")
        try bench.sql("UPDATE product SET region = 'user1' WHERE id = 2")
        let ann = try user(bench, 1, ["sub": ["EU"]])
        try ann.exchange()
        #expect(ids(ann, "product") == [2])
    }

    @Test func `let a device write only rows that its user may see`() throws {
        let bench = try bench("NOT discontinued AND region = :region")
        let ann = try user(bench, 1, ["region": ["EU"]])
        try ann.exchange()
        func row(_ id: Int64, _ discontinued: Int64, _ region: String) -> [Value] {
            [.integer(id), .text("n"), .integer(discontinued), .text(region), .null, .null]
        }
        #expect(try ann.push(ann.insert("product", row(5, 0, "EU"))) == [.applied])
        let refused = [
            ann.insert("product", row(6, 1, "EU")), ann.insert("product", row(7, 0, "US")),
            ann.update("product", .integer(1), set: ["discontinued": (.integer(0), .integer(1))]),
        ]
        for change in refused {
            guard case .refused(let refusal)? = try ann.push(change).first else {
                Issue.record("taken: \(change)")
                continue
            }
            #expect(refusal.code == .permission)
        }
        #expect(try bench.rows("SELECT count(*) FROM product WHERE id > 5") == [[.integer(0)]])
    }

    @Test func `let a row leave with the right to move, and take it from the device`() throws {
        let mover = TableRights(update: true, move: true)
        let bench = try bench(
            "NOT discontinued", rights: RightSettings(tables: ["product": ["*": mover]]))
        let ann = try user(bench, 1)
        try ann.exchange()
        #expect(ids(ann, "product") == [1, 3, 4])
        let away = ann.update(
            "product", .integer(1), set: ["discontinued": (.integer(0), .integer(1))])
        #expect(try ann.push(away) == [.applied])
        #expect(ids(ann, "product") == [3, 4] && ids(ann, "price") == [30, 40])
    }

    @Test(arguments: [
        ("discontinued = 1", false), ("NOT discontinued = 0", false),
        ("discontinued = 0 AND region = :region", false), (" ( discontinued  =  0.0 ) ", true),
    ])
    func `serve nobody while the filter is another one than at the attach`(
        text: String, isSame: Bool
    ) throws {
        let bench = try bench("discontinued = 0")
        var configuration = HubConfiguration()
        configuration.scopes = try Self.settings(text)
        let hub = Hub(database: bench.database, configuration: configuration)
        if isSame {
            #expect(throws: Never.self) { _ = try hub.currentSchema() }
        } else {
            let error = #expect(throws: HubError.self) { _ = try hub.currentSchema() }
            #expect(error?.code == .configuration)
            #expect(error?.message.contains("moorage attach") == true)
        }
    }

    @Test(arguments: [
        ("missing = 1", "missing"), ("Region = 'EU'", "Region"), ("region = 5", "single quotes"),
        ("discontinued = 2", "TRUE"), ("discontinued > 0", "IN"), ("id = 1.5", "whole number"),
        ("id = 9223372036854775808", "whole number"), ("id = 'x'", "whole number"),
        ("weight = 1", "exactly equal"), ("weight > 'x'", "number"), ("photo = 'x'", "IS NULL"),
        ("id", "whole number"), ("missing = :region", "missing"), ("weight = :region", "weight"),
    ])
    func `are refused where the filter does not fit the schema`(
        text: String, words: String
    ) throws {
        let settings = try Self.settings(text)
        let error = #expect(throws: HubError.self) {
            try HubBench(schema: Self.schema, scopes: settings)
        }
        #expect(error?.code == .configuration)
        #expect(error?.message.contains("product") == true, "\(error?.message ?? "")")
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    }

    @Test func `are refused where a column is generated`() throws {
        let rules = try RowFilter("upper = 'A'").applied(to: [])
        let error = #expect(throws: HubError.self) {
            try HubBench(
                schema: """
                    CREATE TABLE product (
                      id INTEGER NOT NULL PRIMARY KEY, name TEXT,
                      upper TEXT GENERATED ALWAYS AS (upper(name)) STORED)
                    """, scopes: ScopeSettings(rules: ["product": rules]))
        }
        #expect(error?.message.contains("generated") == true, "\(error?.message ?? "")")
    }

    @Test func `are refused with a parameter beside another rule`() throws {
        var settings = try Self.settings("discontinued = 0")
        settings.rules["product"] = try RowFilter("region = :region").applied(
            to: [ScopeRule(.everyone)])
        let error = #expect(throws: HubError.self) {
            try HubBench(schema: Self.schema, scopes: settings)
        }
        #expect(error?.message.contains("parameter") == true)
    }

    @Test func `are refused where rows below could arrive without them`() throws {
        var settings = try Self.settings("discontinued = 0")
        settings.rules["price"] = nil
        let error = #expect(throws: HubError.self) {
            try HubBench(schema: Self.schema, scopes: settings)
        }
        #expect(error?.message.contains("price") == true)
    }
}
