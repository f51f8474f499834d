import Foundation
import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

/// The owner's indexes, keys and triggers.
@Suite(.ownThreads) struct `A doctor's look at tables` {
    private static let indexed = CentreKind.available.filter { $0 != .mariadb }

    private static let tree = [
        "CREATE TABLE customer (id TEXT NOT NULL PRIMARY KEY, area TEXT)",
        """
        CREATE TABLE orders (
          id TEXT NOT NULL PRIMARY KEY, customer TEXT REFERENCES customer(id), due DATE)
        """,
        """
        CREATE TABLE friend (
          id TEXT NOT NULL PRIMARY KEY, customer TEXT REFERENCES customer(id), person TEXT)
        """,
    ]

    private static func scoped() -> HubConfiguration {
        var configuration = HubConfiguration()
        configuration.scopes = ScopeSettings(rules: [
            "customer": [
                ScopeRule(.column(kind: "area", "area")),
                ScopeRule(.members(of: "friend", kind: "person", "person")),
            ],
            "orders": [ScopeRule(.through(["customer"]))],
            "friend": [ScopeRule(.through(["customer"]))],
        ])
        return configuration
    }

    // MARK: Indexes

    /// InnoDB makes these indexes by itself.
    @Test(arguments: indexed)
    func `misses the index of a foreign key`(kind: CentreKind) async throws {
        // An index whose first column is another one does not help.
        let useless = "CREATE INDEX orders_due ON orders (due, customer)"
        try await Patient.run(kind, Self.tree + [useless], in: .anotherSchemaToo) { patient in
            let found = try await patient.cure(.foreignKeyWithoutIndex)
            #expect(found.map(\.table) == ["friend", "orders"])
            #expect(found.allSatisfy { $0.severity == .warning })
        }
    }

    @Test(arguments: CentreKind.available)
    func `is content with an index that begins with the foreign key`(kind: CentreKind) async throws
    {
        let indexes = [
            "CREATE INDEX orders_customer ON orders (customer, due)",
            "CREATE UNIQUE INDEX friend_customer ON friend (customer, person)",
        ]
        try await Patient.run(kind, Self.tree + indexes) { patient in
            let found = try await patient.findings(.foreignKeyWithoutIndex)
            #expect(found == [])
        }
    }

    @Test(.enabled(if: PostgresFixture.isThere))
    func `takes no half-made index for one, and no name that is taken`() async throws {
        try await Patient.run(.postgres, Self.tree, in: .anotherSchemaToo) { patient in
            try patient.centre.execute("INSERT INTO customer VALUES ('a', NULL)")
            try patient.centre.execute("INSERT INTO orders VALUES ('1', 'a'), ('2', 'a')")
            let owner = try patient.centre.openSession()
            // The statement fails because of the existing rows, and leaves an invalid index with
            // this name.
            #expect(throws: (any Error).self) {
                try owner.run(
                    "CREATE UNIQUE INDEX CONCURRENTLY orders_customer_idx ON orders (customer)")
            }
            try owner.run("CREATE INDEX ON friend (customer) WHERE customer IS NOT NULL")
            // Sequences and indexes share one namespace.
            try patient.centre.execute("CREATE SEQUENCE orders_customer_idx2")
            let found = try await patient.cure(.foreignKeyWithoutIndex)
            #expect(found.map(\.table) == ["orders"])
        }
    }

    @Test(.enabled(if: PostgresFixture.isThere))
    func `gives a partitioned table an index that it can have`() async throws {
        let schema = [
            "CREATE TABLE customer (id uuid PRIMARY KEY)",
            """
            CREATE TABLE visit (
              id uuid, day date, customer uuid REFERENCES customer, PRIMARY KEY (id, day))
            PARTITION BY RANGE (day)
            """,
            "CREATE TABLE visit_2024 PARTITION OF visit FOR VALUES FROM ('2024-01-01') TO ('2025-01-01')",
        ]
        try await Patient.run(.postgres, schema, in: .anotherSchemaToo) { patient in
            try await patient.cure(.foreignKeyWithoutIndex)
            _ = try await patient.hub.attach()
            #expect(try await patient.findings().worst == [])
        }
    }

    @Test(arguments: CentreKind.available)
    func `misses the indexes over which scopes are found`(kind: CentreKind) async throws {
        try await Patient.run(
            kind, Self.tree, in: .anotherSchemaToo, configuration: Self.scoped()
        ) { patient in
            let found = try await patient.findings(.scopeWithoutIndex)
            #expect(found.worst.map(\.table) == (kind == .mariadb ? [] : ["friend", "orders"]))
            #expect(found.filter { $0.severity == .note }.map(\.table) == ["customer", "friend"])
            try await patient.cure(.scopeWithoutIndex)
            #expect(try await patient.findings(.foreignKeyWithoutIndex) == [])
        }
    }

    // MARK: Keys

    @Test(arguments: CentreKind.available)
    func `says which integer keys will collide`(kind: CentreKind) async throws {
        let schema = [
            "CREATE TABLE orders (id INTEGER NOT NULL PRIMARY KEY, note TEXT)",
            // Its key is the key of its order.
            "CREATE TABLE invoice (orders INTEGER NOT NULL PRIMARY KEY REFERENCES orders(id), sum INTEGER)",
            "CREATE TABLE tag (id TEXT NOT NULL PRIMARY KEY)",
        ]
        try await Patient.run(kind, schema) { patient in
            let found = try await patient.findings(.integerKeyCollides)
            #expect(found.map(\.table) == ["orders"])
            #expect(found.first?.message.contains("keyBlock") == true)
            var ruled = patient
            ruled.configuration.rules["orders"] = TableRules(keyBlock: 1000)
            #expect(try await ruled.findings(.integerKeyCollides) == [])
            var oneWay = patient
            oneWay.configuration.directions["orders"] = .down
            #expect(try await oneWay.findings(.integerKeyCollides) == [])
        }
    }

    @Test(.enabled(if: PostgresFixture.isThere))
    func `sees that a sequence is behind the keys`() async throws {
        let schema = [
            "CREATE TABLE \"Order line\" (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, n int)",
            "INSERT INTO \"Order line\" (n) VALUES (1), (2)",
        ]
        try await Patient.run(.postgres, schema, in: .anotherSchemaToo) { patient in
            #expect(try await patient.findings(.sequenceBehind) == [])
            try patient.centre.execute("INSERT INTO \"Order line\" VALUES (3, 3), (70, 4)")
            try await patient.cure(.sequenceBehind)
            try patient.centre.execute("INSERT INTO \"Order line\" (n) VALUES (5)")
            #expect(try patient.centre.text("SELECT max(id) FROM \"Order line\"") == "71")
        }
    }

    @Test(arguments: CentreKind.available.filter { $0 != .sqlite })
    func `sees that a narrow key comes to its end`(kind: CentreKind) async throws {
        let serial = kind == .postgres ? "smallserial" : "smallint NOT NULL AUTO_INCREMENT"
        let schema = [
            "CREATE TABLE a (id \(serial) PRIMARY KEY, n int)",
            "INSERT INTO a VALUES (16000, 1)",
            "CREATE TABLE b (id int NOT NULL PRIMARY KEY)", "INSERT INTO b VALUES (20000)",
        ]
        try await Patient.run(kind, schema, in: .anotherSchemaToo) { patient in
            #expect(try await patient.findings(.keyRunsOut) == [])
            try patient.centre.execute("INSERT INTO a VALUES (16500, 2)")
            if kind == .postgres {
                try patient.centre.execute(
                    "CREATE TABLE c (id uuid PRIMARY KEY, a smallint REFERENCES a(id))")
            }
            _ = try await patient.hub.attach()
            let found = try await patient.cure(.keyRunsOut)
            #expect(found.map(\.table) == ["a"])
            try patient.centre.execute("INSERT INTO a VALUES (5000000000, 3)")
            // The table is still tracked.
            let findings = try await patient.findings()
            #expect(findings.filter { $0.severity == .problem } == [])
        }
    }

    // MARK: Triggers

    private static let shop = [
        "CREATE TABLE product (id TEXT NOT NULL PRIMARY KEY, stock INTEGER NOT NULL)",
        "CREATE TABLE sale (id TEXT NOT NULL PRIMARY KEY, product TEXT, email TEXT)",
        "CREATE TABLE loose (sale TEXT)",
    ]

    @Test(arguments: CentreKind.available)
    func `tells of triggers that write what is synced`(kind: CentreKind) async throws {
        let triggers: [String]
        switch kind {
        case .postgres:
            triggers = [
                """
                CREATE FUNCTION take() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN
                  UPDATE public.product SET stock = stock - 1 WHERE id = NEW.product; RETURN NULL;
                END $$
                """,
                "CREATE TRIGGER take AFTER INSERT ON sale FOR EACH ROW EXECUTE FUNCTION take()",
                """
                CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN INSERT INTO loose VALUES ('UPDATE product'); RETURN NULL; END $$
                """,
                "CREATE TRIGGER note AFTER INSERT ON sale FOR EACH ROW EXECUTE FUNCTION note()",
            ]
        case .sqlite, .mariadb:
            let each = kind == .mariadb ? "FOR EACH ROW" : ""
            triggers = [
                """
                CREATE TRIGGER take AFTER INSERT ON sale \(each)
                BEGIN UPDATE Product SET stock = stock - 1 WHERE id = NEW.product; END
                """.replacing("Product", with: kind == .sqlite ? "Product" : "product"),
                """
                CREATE TRIGGER note AFTER INSERT ON sale \(each)
                BEGIN INSERT INTO loose VALUES ('UPDATE product'); END
                """,
            ]
        }
        try await Patient.run(kind, Self.shop + triggers, in: .anotherSchemaToo) { patient in
            for _ in 0..<2 {
                let found = try await patient.findings(.triggerEchoes)
                #expect(found.map(\.table) == ["sale"])
                #expect(found.map(\.severity) == [.note])
                #expect(found.first?.message.contains("take") == true)
                #expect(found.first?.message.contains("product") == true)
                #expect(found.first?.message.contains("_moorage_applying") == true)
                // After the attach, our own triggers exist too.
                _ = try await patient.hub.attach(tables: ["product", "sale"])
            }
            let found = try await patient.findings(.triggerEchoes)
            // The owner decides that devices do the trigger's work.
            let choice = try #require(found.first?.repair.statements.first)
            let drop = try #require(choice.split(separator: ": ", maxSplits: 1).last)
            try patient.centre.execute(String(drop).replacing("`", with: "\""))
            #expect(try await patient.findings(.triggerEchoes) == [])
        }
    }

    @Test(arguments: CentreKind.available.filter { $0 != .sqlite })
    func `tells of triggers that change the row itself`(kind: CentreKind) async throws {
        let triggers: [String] =
            kind == .postgres
            ? [
                """
                CREATE FUNCTION lower_case() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN NEW.email := lower(NEW.email); RETURN NEW; END $$
                """,
                """
                CREATE FUNCTION look() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN IF NEW.email = '' THEN RAISE 'no'; END IF; RETURN NEW; END $$
                """,
                """
                CREATE TRIGGER lower_case BEFORE INSERT OR UPDATE ON sale
                FOR EACH ROW EXECUTE FUNCTION lower_case()
                """,
                "CREATE TRIGGER look BEFORE INSERT ON sale FOR EACH ROW EXECUTE FUNCTION look()",
                "CREATE RULE skip AS ON DELETE TO product DO INSTEAD NOTHING",
            ]
            : [
                """
                CREATE TRIGGER lower_case BEFORE INSERT ON sale FOR EACH ROW SET NEW.email = lower(NEW.email)
                """,
                """
                CREATE TRIGGER look BEFORE INSERT ON sale FOR EACH ROW
                BEGIN IF NEW.email = '' THEN SIGNAL SQLSTATE '45000'; END IF; END
                """,
            ]
        try await Patient.run(kind, Self.shop + triggers) { patient in
            let found = try await patient.findings(.triggerEchoes)
            #expect(found.map(\.table) == (kind == .postgres ? ["product", "sale"] : ["sale"]))
            #expect(found.last?.message.contains("lower_case") == true)
            if kind == .postgres {
                try patient.centre.execute("ALTER TABLE sale DISABLE TRIGGER lower_case")
                try patient.centre.execute("ALTER TABLE product DISABLE RULE skip")
                #expect(try await patient.findings(.triggerEchoes) == [])
            }
        }
    }
}
