import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

@Suite(.ownThreads) struct `Rows for programs` {
    static let schema = """
        CREATE TABLE customer (id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL, city TEXT);
        CREATE TABLE orders (
          id INTEGER NOT NULL PRIMARY KEY, customer TEXT REFERENCES customer(id),
          freight DECIMAL(10,2), shipped DATE);
        CREATE TABLE line (
          orders INTEGER NOT NULL REFERENCES orders(id) ON DELETE CASCADE, number INTEGER NOT NULL,
          amount INTEGER, PRIMARY KEY (orders, number));
        CREATE TABLE employee (
          id INTEGER NOT NULL PRIMARY KEY, boss INTEGER REFERENCES employee(id),
          deputy INTEGER REFERENCES employee(id));
        INSERT INTO customer VALUES ('a', 'Ann', NULL), ('b', 'Bob', 'Bonn'), ('c', 'Cid', 'Bonn');
        INSERT INTO orders VALUES
          (1, 'a', 9.80, '2026-01-05'), (2, 'b', 32.38, NULL), (3, 'b', NULL, '2026-01-02'),
          (4, NULL, 9.80, NULL);
        INSERT INTO line VALUES (1, 1, 10), (2, 1, 20), (2, 2, NULL);
        INSERT INTO employee VALUES (1, NULL, 2), (2, 1, NULL), (3, 1, 2);
        """

    private func keys(
        _ bench: HubBench, _ principal: Principal? = nil, _ table: String = "orders",
        _ change: @escaping @Sendable (inout RowList) throws -> Void = { _ in }
    ) async throws -> [Value] {
        try await bench.hub.readRows(for: principal) { reader in
            var list = RowList(of: try reader.schema.table(named: table), limit: 100)
            try change(&list)
            return try reader.page(of: list).rows.map { $0.values[0] }
        }
    }

    private func problem(_ work: () async throws -> some Sendable) async -> String? {
        do {
            _ = try await work()
            return nil
        } catch {
            return (error as? RowProblem)?.code ?? "\(error)"
        }
    }

    private func numbers(_ numbers: Int64...) -> [Value] { numbers.map { .integer($0) } }

    @Test func `come filtered and in an order`() async throws {
        let bench = try HubBench(schema: Self.schema)
        #expect(try await keys(bench) == numbers(1, 2, 3, 4))
        for (filter, expected) in [
            ("freight = 9.8", numbers(1, 4)), ("freight > 9.80", numbers(2)),
            ("freight IS NULL", numbers(3)), ("NOT freight > 9.80", numbers(1, 4)),
            ("shipped >= '2026-01-03'", numbers(1)), ("customer IN ('b', 'x')", numbers(2, 3)),
            ("customer = 'b' AND shipped IS NULL OR id = 1", numbers(1, 2)),
            ("customer = 'B'", []),
        ] {
            let found = try await keys(bench) { $0.filter = try RowFilter(filter) }
            #expect(found == expected, "\(filter)")
        }
        let ordered = try await keys(bench) {
            $0.order = [("freight", true), ("shipped", false)]
        }
        #expect(ordered == numbers(2, 4, 1, 3))
        #expect(
            try await keys(bench) { $0.order = [("shipped", false)] } == numbers(2, 4, 3, 1))
    }

    @Test func `come page by page, each row once`() async throws {
        let bench = try HubBench(schema: Self.schema)
        let orders: [[(String, Bool)]] = [
            [], [("freight", true)], [("shipped", false), ("freight", true)],
            [("customer", true), ("shipped", true)],
        ]
        for order in orders {
            let whole = try await keys(bench) { $0.order = order }
            for limit in 1...3 {
                var found: [Value] = []
                var next: String?
                repeat {
                    let position = next
                    let page = try await bench.hub.readRows(for: nil) { reader in
                        var list = RowList(
                            of: try reader.schema.table(named: "orders"), limit: limit)
                        list.order = order
                        list.after = position
                        list.isCounted = true
                        return try reader.page(of: list)
                    }
                    #expect(page.count == 4)
                    #expect(page.rows.count <= limit)
                    found += page.rows.map { $0.values[0] }
                    next = page.next
                } while next != nil
                #expect(found == whole)
            }
        }
        let position = try await bench.hub.readRows(for: nil) { reader in
            try reader.page(
                of: RowList(of: try reader.schema.table(named: "orders"), limit: 1)
            ).next
        }
        let refused = await problem {
            try await self.keys(bench) {
                $0.after = position
                $0.filter = try RowFilter("id > 1")
            }
        }
        #expect(refused == "cursor")
        #expect(await problem { try await self.keys(bench) { $0.after = "nonsense" } } == "cursor")
    }

    @Test func `come with the rows that are related to them`() async throws {
        let bench = try HubBench(schema: Self.schema)
        let rows = try await bench.hub.readRows(for: nil) { reader in
            var list = RowList(of: try reader.schema.table(named: "orders"), limit: 10)
            list.related = [
                RelatedTree(name: "customer"),
                RelatedTree(name: "line", children: [RelatedTree(name: "orders")]),
            ]
            return try reader.page(of: list).rows
        }
        func related(_ row: Int, _ relation: Int) -> [Value] {
            rows[row].related[relation].rows.rows.map { $0.values[relation == 0 ? 0 : 1] }
        }
        #expect(related(0, 0) == [.text("a")])
        #expect(related(3, 0) == [])
        #expect(related(1, 1) == numbers(1, 2))
        #expect(related(2, 1) == [])
        let parents = rows[1].related[1].rows.rows.map { $0.related[0].rows.rows[0].values[0] }
        #expect(parents == numbers(2, 2))
        #expect(!rows[0].related[0].relation.isMany)
        #expect(rows[0].related[1].relation.isMany)
    }

    @Test func `name relations of a table to itself by their columns`() async throws {
        let bench = try HubBench(schema: Self.schema)
        let names = try await bench.hub.readRows(for: nil) {
            try $0.schema.table(named: "employee").relations.map(\.name)
        }
        #expect(names == ["boss", "deputy", "employee:boss", "employee:deputy"])
        let subordinates = try await bench.hub.readRows(for: nil) { reader in
            let table = try reader.schema.table(named: "employee")
            let row = try reader.row(
                RowKey([.integer(1)]), of: table, with: [RelatedTree(name: "employee:boss")])
            return row?.related[0].rows.rows.map { $0.values[0] }
        }
        #expect(subordinates == numbers(2, 3))
    }

    @Test func `have a name for each relation`() async throws {
        let bench = try HubBench(
            schema: """
                CREATE TABLE a (id INTEGER NOT NULL PRIMARY KEY, b INTEGER REFERENCES c(id));
                CREATE TABLE c (id INTEGER NOT NULL PRIMARY KEY);
                CREATE TABLE b (id INTEGER NOT NULL PRIMARY KEY, a INTEGER REFERENCES a(id));
                """)
        let names = try await bench.hub.readRows(for: nil) {
            try $0.schema.table(named: "a").relations.map(\.name)
        }
        #expect(names == ["b", "b:a"])
    }

    @Test func `come in pages of a limited size`() async throws {
        let bench = try HubBench(
            schema: """
                CREATE TABLE note (id INTEGER NOT NULL PRIMARY KEY, text TEXT);
                CREATE TABLE page (
                  id INTEGER NOT NULL PRIMARY KEY, note INTEGER REFERENCES note(id), image BLOB);
                WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12)
                INSERT INTO note SELECT i, hex(zeroblob(500000)) FROM n;
                WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
                INSERT INTO page SELECT i, 1, zeroblob(500000) FROM n;
                """)
        var pages: [Int] = []
        var next: String?
        repeat {
            let position = next
            let page = try await bench.hub.readRows(for: nil) { reader in
                var list = RowList(of: try reader.schema.table(named: "page"), limit: 1_000)
                list.after = position
                return try reader.page(of: list)
            }
            pages.append(page.rows.count)
            next = page.next
        } while next != nil
        #expect(pages.reduce(0, +) == 40)
        #expect(pages.count > 2)
        let refused = await problem {
            try await self.keys(bench, nil, "note") { list in
                list.related = [RelatedTree(name: "page")]
            }
        }
        #expect(refused == "tooManyRelated")
    }

    @Test func `count related rows as often as they come`() async throws {
        let bench = try HubBench(
            schema: """
                CREATE TABLE status (id INTEGER NOT NULL PRIMARY KEY);
                CREATE TABLE job (
                  id INTEGER NOT NULL PRIMARY KEY, status INTEGER REFERENCES status(id));
                INSERT INTO status VALUES (1), (2);
                WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
                INSERT INTO job SELECT i, 1 + i % 2 FROM n;
                """)
        let trees = [RelatedTree(name: "status", children: [RelatedTree(name: "job")])]
        let refused = await problem {
            try await self.keys(bench, nil, "job") { list in
                list.limit = 300
                list.related = trees
            }
        }
        #expect(refused == "tooManyRelated")
        let few = try await keys(bench, nil, "job") { list in
            list.limit = 10
            list.related = trees
        }
        #expect(few.count == 10)
    }

    @Test func `are only those that a user may see`() async throws {
        let bench = try HubBench(
            schema: Self.schema,
            scopes: ScopeSettings(
                rules: [
                    "orders": [ScopeRule(.column(kind: "customer", "customer"))],
                    "line": [ScopeRule(.through(["orders"]))],
                ], holdings: ["customer": .claim("sub")]),
            rights: RightSettings(tables: ["employee": ["boss": .all]]))
        let bob = Principal(subject: "b")
        #expect(try await keys(bench, bob) == numbers(2, 3))
        #expect(try await keys(bench, bob, "line") == numbers(2, 2))
        #expect(try await keys(bench, nil) == [])
        #expect(try await keys(bench, Principal(subject: "a")) == numbers(1))
        let related = try await bench.hub.readRows(for: bob) { reader in
            var list = RowList(of: try reader.schema.table(named: "customer"), limit: 10)
            list.related = [RelatedTree(name: "orders")]
            return try reader.page(of: list).rows.map { $0.related[0].rows.rows.count }
        }
        #expect(related == [0, 2, 0])
        #expect(await problem { try await self.keys(bench, bob, "employee") } == "unknownTable")
        let boss = Principal(subject: "b", claims: ["roles": ["boss"]])
        #expect(try await keys(bench, boss, "employee") == numbers(1, 2, 3))
        let hidden = try await bench.hub.readRows(for: bob) { reader in
            try reader.row(RowKey([.integer(1)]), of: try reader.schema.table(named: "orders"))?
                .values
        }
        #expect(hidden == nil)
    }

    @Test func `are refused where the request does not fit the table`() async throws {
        let bench = try HubBench(schema: Self.schema)
        for (filter, code) in [
            ("nothing = 1", "unknownColumn"), ("id = 'a'", "filter"), ("freight = 'a'", "filter"),
            ("shipped > 'soon'", "filter"), ("customer = :sub", "filter"),
        ] {
            let found = await problem {
                try await self.keys(bench) { $0.filter = try RowFilter(filter) }
            }
            #expect(found == code, "\(filter)")
        }
        let order = await problem { try await self.keys(bench) { $0.order = [("x", false)] } }
        #expect(order == "unknownColumn")
        let relation = await problem {
            try await self.keys(bench) { $0.related = [RelatedTree(name: "x")] }
        }
        #expect(relation == "unknownRelation")
        let deep = await problem {
            try await self.keys(bench) { list in
                var tree = RelatedTree(name: "line")
                for name in ["orders", "line", "orders"] {
                    tree = RelatedTree(name: name, children: [tree])
                }
                list.related = [tree]
            }
        }
        #expect(deep == "related")
    }
}
