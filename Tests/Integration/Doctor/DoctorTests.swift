import Foundation
import MoorageCore
import MoorageHub
import MoorageWire
import NorthwindSample
import TestSupport
import Testing

@Suite(.ownThreads) struct `A doctor` {
    private static let schema = [
        "CREATE TABLE customer (id TEXT NOT NULL PRIMARY KEY, area TEXT, name TEXT)",
        """
        CREATE TABLE orders (
          id TEXT NOT NULL PRIMARY KEY, customer TEXT REFERENCES customer(id) ON DELETE CASCADE,
          note TEXT)
        """,
        "CREATE INDEX orders_customer ON orders (customer)",
        "INSERT INTO customer VALUES ('c1', 'north', 'Ann')",
        "INSERT INTO orders VALUES ('o1', 'c1', 'first')",
    ]

    @Test(arguments: CentreKind.available)
    func `finds nothing wrong with a database that is well`(kind: CentreKind) async throws {
        try await Patient.run(kind, Self.schema, in: .anotherSchemaToo) { patient in
            #expect(try await patient.findings().codes == [.notAttached])
            try await patient.cure(.notAttached)
            #expect(try await patient.findings() == [])
        }
    }

    @Test(arguments: CentreKind.available)
    func `finds no fault in Northwind but what it has`(kind: CentreKind) async throws {
        let sample = NorthwindSample(seed: 4, size: 1)
        let schema =
            NorthwindSample.schema(for: kind.dialect) + sample.statements(for: kind.dialect)
        try await Patient.run(kind, schema) { patient in
            let before = try await patient.findings()
            #expect(before.filter { $0.severity == .problem } == [])
            _ = try await patient.hub.attach()
            let after = try await patient.findings()
            #expect(after.filter { $0.severity == .problem } == [])
            #expect(before.filter { $0.code != .notAttached } == after)
            #expect(after.filter { $0.code == .keyCollation } == [])
        }
    }

    /// Devices declare no foreign key to texts that the centre does not compare by bytes.
    @Test(arguments: CentreKind.available)
    func `hands out Northwind with all that refers to something`(kind: CentreKind) async throws {
        try await Patient.run(kind, NorthwindSample.schema(for: kind.dialect)) { patient in
            _ = try await patient.hub.attach()
            let tables = try await patient.hub.schema().schema.tables
            for sample in NorthwindSample.descriptions {
                let table = try #require(tables.first { $0.name == sample.name })
                #expect(
                    Set(table.foreignKeys.map(\.referencedTable))
                        == Set(sample.foreignKeys.map(\.referencedTable)), "\(sample.name)")
            }
        }
    }

    private static let scoped = {
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
    }()

    private static let friends = [
        """
        CREATE TABLE friend (
          id TEXT NOT NULL PRIMARY KEY, customer TEXT NOT NULL REFERENCES customer(id) ON DELETE CASCADE,
          person TEXT)
        """,
        "CREATE INDEX friend_customer ON friend (customer)",
        "CREATE INDEX friend_person ON friend (person)",
        "CREATE INDEX customer_area ON customer (area)",
    ]

    @Test(arguments: CentreKind.available)
    func `takes the triggers of scopes for what they are`(kind: CentreKind) async throws {
        try await Patient.run(kind, Self.schema + Self.friends, configuration: Self.scoped) {
            patient in
            _ = try await patient.hub.attach()
            #expect(try await patient.findings() == [])
            let other = Patient(centre: patient.centre, database: patient.database)
            #expect(try await other.findings(.scopesChanged).count == 1)
        }
    }

    @Test(arguments: CentreKind.available)
    func `changes nothing`(kind: CentreKind) async throws {
        try await Patient.run(kind, Self.schema) { patient in
            for isAttached in [false, true] {
                if isAttached { _ = try await patient.hub.attach() }
                let before = try state(patient, isAttached)
                _ = try await patient.findings()
                #expect(try state(patient, isAttached) == before)
            }
        }
    }

    /// What the database reports about its tables and commits. On PostgreSQL other databases change
    /// the change token, so the state has the catalog's rows instead.
    private func state(_ patient: Patient, _ isAttached: Bool) throws -> [String] {
        let stamp = try patient.database.perform { try $0.schemaStamp() }
        switch patient.kind {
        case .postgres:
            let dump = """
                SELECT concat_ws('/',
                  (SELECT string_agg(c.oid || c.relname || c.xmin::text, ',' ORDER BY c.oid) FROM pg_class AS c
                   WHERE c.relnamespace = quote_ident(current_schema())::regnamespace),
                  (SELECT string_agg(p.oid || p.xmin::text, ',' ORDER BY p.oid) FROM pg_proc AS p
                   WHERE p.pronamespace = quote_ident(current_schema())::regnamespace),
                  (SELECT string_agg(t.oid || t.xmin::text, ',' ORDER BY t.oid) FROM pg_trigger AS t),
                  (SELECT string_agg(o::text || o.xmin, ',') FROM orders AS o))
                """
            return [stamp, try patient.centre.text(dump) ?? ""]
        case .mariadb where !isAttached:
            // Without queues MariaDB has no change token.
            return [stamp]
        case .sqlite, .mariadb:
            return [stamp, try patient.database.perform { try $0.changeToken() }]
        }
    }

    @Test(arguments: CentreKind.available)
    func `says of each table why it cannot be synced, and how it can`(kind: CentreKind) async throws
    {
        var schema =
            Self.schema + [
                "CREATE TABLE keyed (a INTEGER NOT NULL, b INTEGER NOT NULL, UNIQUE (b, a))",
                "CREATE TABLE loose (a INTEGER)", "INSERT INTO loose VALUES (1), (1)",
                "CREATE VIEW names AS SELECT name FROM customer",
            ]
        switch kind {
        case .sqlite: schema.append("CREATE TABLE vague (id INTEGER PRIMARY KEY, x)")
        case .postgres:
            schema.append("CREATE UNLOGGED TABLE fleeting (id uuid PRIMARY KEY)")
        case .mariadb:
            schema.append("CREATE TABLE old (id VARCHAR(20) PRIMARY KEY) ENGINE = MyISAM")
        }
        try await Patient.run(kind, schema, in: .anotherSchemaToo) { patient in
            let found = try await patient.findings(.tableUnsupported)
            let views = found.filter { $0.severity == .note }
            #expect(views.map(\.table) == ["names"])
            let expected: [String?] =
                switch kind {
                case .sqlite: ["keyed", "loose", "vague"]
                case .postgres: ["fleeting", "keyed", "loose"]
                case .mariadb: ["keyed", "loose", "old"]
                }
            #expect(found.worst.map(\.table) == expected)
            // An unsupported table is a problem if it was asked for. The other ones are then not
            // reported.
            let asked = try await patient.findings(.tableUnsupported, tables: ["loose", "orders"])
            #expect(asked.map(\.table) == ["loose"])
            #expect(asked.map(\.severity) == [.problem])
            guard kind != .sqlite else {
                // On SQLite somebody who knows the table's contents has to make it again.
                #expect(found.allSatisfy { $0.repair.statements.allSatisfy { $0.hasPrefix("--") } })
                return
            }
            try await patient.repair(found.worst)
            #expect(try await patient.findings(.tableUnsupported) == views)
            #expect(try patient.centre.count("SELECT count(*) FROM loose") == 2)
            let report = try await patient.hub.attach()
            #expect(Set(report.attached.map(\.name)).isSuperset(of: expected.compactMap(\.self)))
        }
    }

    @Test(arguments: CentreKind.available)
    func `names a table that is not there`(kind: CentreKind) async throws {
        try await Patient.run(kind, Self.schema) { patient in
            let found = try await patient.findings(.configuration, tables: ["order", "orders"])
            #expect(found.map(\.table) == ["order"])
            #expect(found.map(\.severity) == [.problem])
        }
    }

    @Test(arguments: CentreKind.available)
    func `says which rule does not fit`(kind: CentreKind) async throws {
        var configuration = HubConfiguration()
        configuration.rules["orders"] = TableRules(columns: ["note": .add])
        configuration.scopes.rules["customer"] = [ScopeRule(.column(kind: "area", "region"))]
        try await Patient.run(kind, Self.schema, configuration: configuration) { patient in
            let found = try await patient.findings(.configuration)
            #expect(found.contains { $0.message.contains("orders.note") })
            #expect(found.contains { $0.message.contains("region") })
        }
    }
}
