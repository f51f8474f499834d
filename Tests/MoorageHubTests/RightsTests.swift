import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

@Suite(.ownThreads) struct `Rights` {
    private static let schema = """
        CREATE TABLE orders (
          id TEXT NOT NULL PRIMARY KEY, employee TEXT, note TEXT, price INTEGER DEFAULT 10);
        CREATE TABLE line (
          id TEXT NOT NULL PRIMARY KEY, orders TEXT NOT NULL REFERENCES orders(id) ON DELETE CASCADE);
        CREATE TABLE wage (id TEXT NOT NULL PRIMARY KEY, amount INTEGER);
        INSERT INTO orders VALUES ('o', 'ann', 'n', 5), ('p', 'bob', 'n', 5);
        INSERT INTO line VALUES ('l', 'o');
        INSERT INTO wage VALUES ('w', 424242);
        """

    private func bench() throws -> HubBench {
        try HubBench(
            schema: Self.schema,
            scopes: ScopeSettings(
                rules: [
                    "orders": [ScopeRule(.column(kind: "employee", "employee"))],
                    "line": [ScopeRule(.through(["orders"]))],
                ], holdings: ["employee": .claim("sub")]),
            rights: RightSettings(tables: [
                "orders": [
                    "clerk": TableRights(
                        insert: true, update: true, columns: ["note", "employee"]),
                    "boss": .all, "*": TableRights(),
                    "mover": TableRights(update: true, columns: ["employee"], move: true),
                ],
                "wage": ["boss": .all],
            ]))
    }

    private func replica(_ bench: HubBench, _ number: Int, _ roles: String...) throws
        -> ScriptedReplica
    {
        let replica = try ScriptedReplica(bench, number)
        replica.principal = Principal(subject: "ann", claims: ["roles": roles])
        try replica.exchange()
        return replica
    }

    private func refusal(_ outcomes: [Outcome.Kind]) -> Refusal? {
        if case .refused(let refusal)? = outcomes.first { refusal } else { nil }
    }

    private let order: [Value] = [.text("o"), .text("ann"), .text("n"), .integer(5)]

    @Test func `are a role's, and what everyone has besides`() throws {
        let bench = try bench()
        let nobody = try replica(bench, 1)
        #expect(nobody.rows["orders"]?.count == 1)
        for change in [
            nobody.update("orders", .text("o"), set: ["note": (.text("n"), .text("m"))]),
            nobody.delete("orders", before: order),
            nobody.insert("orders", [.text("q"), .text("ann"), .null, .null]),
        ] {
            let refusal = refusal(try nobody.push(change))
            #expect(refusal?.code == .permission)
            #expect(refusal?.message.contains("orders") == true)
        }
        let clerk = try replica(bench, 2, "clerk", "unknown")
        #expect(
            try clerk.push(
                clerk.update("orders", .text("o"), set: ["note": (.text("n"), .text("m"))]))
                == [.applied])
        #expect(refusal(try clerk.push(clerk.delete("orders", before: order)))?.code == .permission)
        let boss = try replica(bench, 3, "clerk", "boss")
        #expect(try boss.push(boss.delete("orders", before: order)) == [.applied])
        #expect(try bench.rows("SELECT id FROM orders") == [[.text("p")]])
    }

    @Test func `name the columns that may be set; an insert leaves others to the database`() throws
    {
        let bench = try bench()
        let clerk = try replica(bench, 1, "clerk")
        let edit = clerk.update(
            "orders", .text("o"),
            set: ["note": (.text("n"), .text("m")), "price": (.integer(5), .integer(0))])
        #expect(refusal(try clerk.push(edit))?.message.contains("price") == true)
        let row: [Value] = [.text("q"), .text("ann"), .text("new"), .integer(0)]
        #expect(try clerk.push(clerk.insert("orders", row)) == [.merged])
        #expect(try bench.rows("SELECT price FROM orders WHERE id = 'q'") == [[.integer(10)]])
        // Only the conflict log has what the device asked for.
        #expect(
            try bench.rows("SELECT reason_code FROM moorage_conflict WHERE row_key = '[\"q\"]'")
                == [[.text("permission")]])
        #expect(clerk.rows["orders"]?[RowKey([.text("q")])]?[3] == .integer(10))
        // An insert of an existing row sets no more than an update may.
        let again: [Value] = [.text("o"), .text("ann"), .text("again"), .integer(0)]
        _ = try clerk.push(clerk.insert("orders", again))
        #expect(try bench.rows("SELECT price FROM orders WHERE id = 'o'") == [[.integer(5)]])
    }

    @Test func `let some read, and hide a table from the others`() throws {
        let bench = try bench()
        let clerk = try replica(bench, 1, "clerk")
        #expect(clerk.rows["wage"] == nil)
        for change in [
            clerk.insert("wage", [.text("x"), .integer(1)]),
            clerk.insert("wage", [.text("w"), .integer(1)]),
            clerk.update("wage", .text("w"), set: ["amount": (.integer(1), .integer(2))]),
            clerk.delete("wage", before: [.text("w"), .integer(1)]),
            Change(table: "wage", key: RowKey([.text("w")]), operation: .refetch, editedAt: 1),
        ] {
            let frames = try clerk.exchange(clerk.batch([change]))
            #expect(refusal(clerk.outcomes(frames).map(\.kind))?.code == .permission)
            let text = frames.map { String(decoding: $0.encoded(), as: UTF8.self) }.joined()
            #expect(!text.contains("424242"))
        }
        #expect(throws: HubError.self) {
            _ = try bench.hub.comparison(
                CompareRequest(
                    replica: clerk.id,
                    table: TableColumns(name: "wage", columns: ["id", "amount"]),
                    after: nil, maximumRows: 10, cursor: .start, withValues: true),
                for: clerk.principal)
        }
        #expect(try replica(bench, 2, "boss").rows["wage"]?.count == 1)
    }

    @Test func `let some give a row away, with all below it`() throws {
        let bench = try bench()
        let away: [String: (Value, Value)] = ["employee": (.text("ann"), .text("bob"))]
        for (number, role) in ["clerk", "boss"].enumerated() {
            let keeper = try replica(bench, number, role)
            let refusal = refusal(try keeper.push(keeper.update("orders", .text("o"), set: away)))
            #expect(refusal?.code == .permission)
        }
        let mover = try replica(bench, 5, "mover")
        #expect(try mover.push(mover.update("orders", .text("o"), set: away)) == [.applied])
        #expect(mover.rows["orders"]?.isEmpty == true && mover.rows["line"]?.isEmpty == true)
        #expect(
            try bench.rows("SELECT employee FROM orders WHERE id = 'o'") == [[.text("bob")]])
        // The right does not let a user take another user's row.
        let steal = mover.update(
            "orders", .text("p"), set: ["employee": (.text("bob"), .text("ann"))])
        _ = try mover.push(steal)
        #expect(
            try bench.rows("SELECT employee FROM orders WHERE id = 'p'") == [[.text("bob")]])
    }

    @Test func `of columns that are none, and of tables that are not attached, are mistakes`()
        async throws
    {
        let wrong = try HubBench(
            schema: Self.schema,
            rights: RightSettings(tables: ["orders": ["a": TableRights(columns: ["pirce"])]]))
        let replica = try ScriptedReplica(wrong, 1)
        #expect(throws: HubError.self) { try replica.exchange() }
        let unknown = try HubBench(
            schema: Self.schema, rights: RightSettings(tables: ["order": ["a": .all]]))
        await #expect(throws: HubError.self) { try await unknown.hub.checkConfiguration() }
    }
}

/// Roles of one user, and tables below others.
@Suite(.ownThreads) struct `Rights together` {
    private static let schema = """
        CREATE TABLE orders (
          id INTEGER NOT NULL PRIMARY KEY, note TEXT, price INTEGER DEFAULT 10, gone DATE);
        CREATE TABLE line (
          id TEXT NOT NULL PRIMARY KEY, orders INTEGER NOT NULL REFERENCES orders(id) ON DELETE CASCADE);
        INSERT INTO orders VALUES (1, 'n', 5, NULL), (2, 'n', 5, '2026-01-01');
        INSERT INTO line VALUES ('l', 1);
        """

    private func bench(
        _ rights: [String: [String: TableRights]], rules: [String: TableRules] = [:]
    ) throws -> HubBench {
        try HubBench(schema: Self.schema, rules: rules, rights: RightSettings(tables: rights))
    }

    private func replica(_ bench: HubBench, _ roles: String...) throws -> ScriptedReplica {
        let replica = try ScriptedReplica(bench, 1)
        replica.principal = Principal(subject: "ann", claims: ["roles": roles])
        try replica.exchange()
        return replica
    }

    private func isRefused(_ replica: ScriptedReplica, _ change: Change) throws -> Bool {
        if case .refused(let refusal)? = try replica.push(change).first {
            return refusal.code == .permission
        }
        return false
    }

    private let order: [Value] = [.integer(1), .text("n"), .integer(5), .null]

    @Test func `give no more columns than a role that may write them`() throws {
        let bench = try bench([
            "orders": [
                "maker": TableRights(insert: true),
                "clerk": TableRights(update: true, columns: ["note"]),
            ]
        ])
        let both = try replica(bench, "maker", "clerk")
        #expect(
            try isRefused(
                both, both.update("orders", .integer(1), set: ["price": (.integer(5), .integer(0))])
            ))
        #expect(
            try both.push(both.insert("orders", [.integer(3), .null, .integer(1), .null]))
                == [.applied])
    }

    @Test func `hold for a row that is kept beside another`() throws {
        let bench = try bench(
            ["orders": ["clerk": TableRights(insert: true, update: true, columns: ["note"])]],
            rules: ["orders": TableRules(inserts: .keepBoth)])
        let clerk = try replica(bench, "clerk")
        _ = try clerk.push(
            clerk.insert("orders", [.integer(1), .text("mine"), .integer(0), .null]))
        #expect(try bench.rows("SELECT count(*) FROM orders WHERE price = 0") == [[.integer(0)]])
    }

    @Test func `hold for what a delete takes along`() throws {
        let rights = ["orders": ["clerk": TableRights.all], "line": ["clerk": TableRights()]]
        let bench = try bench(rights)
        let clerk = try replica(bench, "clerk")
        #expect(try isRefused(clerk, clerk.delete("orders", before: order)))
        #expect(try bench.rows("SELECT id FROM line") == [[.text("l")]])
    }

    @Test func `hold for the deletion marker of a row`() throws {
        let bench = try bench(
            ["orders": ["clerk": TableRights(update: true), "boss": .all]],
            rules: ["orders": TableRules(softDelete: "gone")])
        let clerk = try replica(bench, "clerk")
        #expect(
            try isRefused(
                clerk,
                clerk.update("orders", .integer(1), set: ["gone": (.null, .text("2026-02-02"))])))
        #expect(
            try isRefused(
                clerk,
                clerk.update("orders", .integer(2), set: ["gone": (.text("2026-01-01"), .null)])))
    }

    @Test(arguments: [TableRules.UpdateOfDeleted.refuse, .resurrect])
    func `hold for a deleted row that comes back`(
        updates: TableRules.UpdateOfDeleted
    ) throws {
        func isAccepted(_ rights: TableRights) throws -> Bool {
            let bench = try bench(
                ["orders": ["clerk": rights]],
                rules: ["orders": TableRules(updateOfDeleted: updates, softDelete: "gone")])
            let clerk = try replica(bench, "clerk")
            let row: [Value] = [.integer(2), .text("m"), .integer(5), .null]
            let soon = clerk.now + 60_000
            let change =
                updates == .resurrect
                ? clerk.update("orders", .integer(2), set: ["note": (.text("n"), .text("m"))])
                : clerk.insert("orders", row, at: soon)
            _ = try clerk.push(change)
            return try bench.rows("SELECT gone FROM orders WHERE id = 2") == [[.null]]
        }
        #expect(try !isAccepted(TableRights(insert: true, update: true)))
        #expect(try isAccepted(TableRights(insert: true, update: true, delete: true)))
    }

    @Test func `refuse no edit for columns that a whole row names besides`() throws {
        let bench = try bench(
            ["orders": ["clerk": TableRights(update: true, columns: ["note"])]],
            rules: ["orders": TableRules(granularity: .row)])
        let clerk = try replica(bench, "clerk")
        try bench.sql("UPDATE orders SET price = 6 WHERE id = 1")
        let edit = clerk.update(
            "orders", .integer(1),
            set: ["note": (.text("n"), .text("m")), "price": (.integer(5), .integer(5))],
            at: clerk.now + 60_000)
        #expect(try !isRefused(clerk, edit))
        #expect(try bench.rows("SELECT price FROM orders WHERE id = 1") == [[.integer(6)]])
    }
}
