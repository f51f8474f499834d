import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

/// What became of a write, in a form that tests compare.
private enum Fate: Equatable {
    case created(RowKey), changed, gone, deleted
    case refused(String)

    init(_ result: RowResult, _ table: RowTable) {
        switch result {
        case .created(let row): self = .created(table.description.key(of: row.values))
        case .changed(let row): self = row == nil ? .gone : .changed
        case .deleted: self = .deleted
        case .refused(let problem): self = .refused(problem.code)
        }
    }
}

@Suite(.ownThreads) struct `Writes of programs` {
    private struct Write: Sendable {
        var kind: RowWrite.Kind
        var table = "orders"
        var key: [Value]?
        var values: [(String, Value)] = []
        var precondition = RowPrecondition.none
    }

    private func write(
        _ bench: HubBench, as principal: Principal? = nil, once name: RequestName? = nil,
        allOrNothing: Bool = false, _ writes: Write...
    ) async throws -> [Fate] {
        let fates = Fates()
        _ = try await bench.hub.writeRows(for: principal, once: name) { schema in
            RowBatch(
                try writes.map { write in
                    let table = try schema.table(named: write.table)
                    return RowWrite(
                        write.kind, in: table, key: write.key.map { RowKey($0) },
                        values: try write.values.map {
                            (try table.column(named: $0.0), $0.1)
                        }, precondition: write.precondition)
                }, isAllOrNothing: allOrNothing)
        } answer: { schema, results in
            fates.set(
                try zip(writes, results).map {
                    Fate($1, try schema.table(named: $0.table))
                })
            return []
        }
        return fates.all
    }

    private final class Fates: @unchecked Sendable {
        private(set) var all: [Fate] = []
        func set(_ fates: [Fate]) { all = fates }
    }

    private func bench(_ rules: [String: TableRules] = [:]) throws -> HubBench {
        try HubBench(schema: `Rows for programs`.schema, rules: rules)
    }

    private func etag(_ bench: HubBench, _ id: Int64) async throws -> String {
        try await bench.hub.readRows(for: nil) { reader in
            try reader.row(RowKey([.integer(id)]), of: try reader.schema.table(named: "orders"))?
                .etag ?? ""
        }
    }

    private func orders(_ bench: HubBench) throws -> [[Value]] {
        try bench.rows("SELECT id, customer, freight FROM orders ORDER BY id")
    }

    @Test func `insert, change and delete rows`() async throws {
        let bench = try bench()
        #expect(
            try await write(
                bench,
                Write(kind: .insert, values: [("id", .integer(9)), ("customer", .text("c"))]))
                == [.created(RowKey([.integer(9)]))])
        #expect(
            try await write(
                bench,
                Write(kind: .update, key: [.integer(9)], values: [("freight", .text("1.50"))]))
                == [.changed])
        #expect(try orders(bench).last == [.integer(9), .text("c"), .real(1.5)])
        #expect(
            try await write(bench, Write(kind: .delete, key: [.integer(9)])) == [.deleted])
        #expect(try orders(bench).count == 4)
        #expect(
            try await write(bench, Write(kind: .delete, key: [.integer(9)]))
                == [.refused("notFound")])
    }

    @Test func `reach devices like any other change`() async throws {
        let bench = try bench()
        let replica = try ScriptedReplica(bench, 1)
        try replica.exchange()
        _ = try await write(
            bench, Write(kind: .insert, values: [("id", .integer(9)), ("customer", .text("c"))]),
            Write(kind: .delete, key: [.integer(1)]))
        try replica.exchange()
        #expect(replica.rows["orders"]?[RowKey([.integer(9)])] != nil)
        #expect(replica.rows["orders"]?[RowKey([.integer(1)])] == nil)
    }

    @Test func `get keys from the hub where they name none`() async throws {
        let bench = try HubBench(
            schema: `Rows for programs`.schema
                + "CREATE TABLE note (id UUID NOT NULL PRIMARY KEY, text TEXT);")
        #expect(
            try await write(
                bench, Write(kind: .insert, values: [("customer", .text("a"))]),
                Write(kind: .insert, values: [("customer", .text("b"))]))
                == [.created(RowKey([.integer(5)])), .created(RowKey([.integer(6)]))])
        #expect(
            try await write(
                bench, Write(kind: .insert, table: "customer", values: [("name", .text("n"))]))
                == [.refused("keyMissing")])
    }

    @Test func `of new rows may name different columns`() async throws {
        let bench = try bench()
        #expect(
            try await write(
                bench, allOrNothing: true,
                Write(
                    kind: .insert, table: "line",
                    values: [("orders", .integer(9)), ("number", .integer(1))]),
                Write(kind: .insert, values: [("id", .integer(8)), ("freight", .text("2"))]),
                Write(kind: .insert, values: [("id", .integer(9)), ("customer", .text("c"))]),
                Write(kind: .update, key: [.integer(1)], values: [("freight", .null)]))
                == [
                    .created(RowKey([.integer(9), .integer(1)])),
                    .created(RowKey([.integer(8)])), .created(RowKey([.integer(9)])), .changed,
                ])
    }

    @Test func `are carried out all together or not at all, if the request says so`() async throws {
        let bench = try bench()
        let before = try orders(bench)
        let writes = [
            Write(kind: .insert, values: [("id", .integer(9))]),
            Write(kind: .insert, values: [("id", .integer(10)), ("customer", .text("nobody"))]),
            Write(kind: .insert, values: [("id", .integer(1))]),
        ]
        #expect(
            try await write(bench, allOrNothing: true, writes[0], writes[1])
                == [.refused("notWritten"), .refused("foreignKey")])
        #expect(try orders(bench) == before)
        #expect(try bench.conflicts().map { $0[2] } == ["foreignKey"])
        #expect(
            try await write(bench, allOrNothing: true, writes[0], writes[2])
                == [.refused("notWritten"), .refused("exists")])
        #expect(try orders(bench) == before)
        #expect(
            try await write(bench, writes[0], writes[1], writes[2])
                == [
                    .created(RowKey([.integer(9)])), .refused("foreignKey"), .refused("exists"),
                ])
        #expect(try orders(bench).count == before.count + 1)
    }

    @Test func `write a row once in a request`() async throws {
        let bench = try bench()
        #expect(
            try await write(
                bench, Write(kind: .insert, values: [("id", .integer(9))]),
                Write(kind: .insert, values: [("id", .integer(9)), ("freight", .text("1"))]),
                Write(kind: .update, key: [.integer(1)], values: [("freight", .null)]),
                Write(kind: .delete, key: [.integer(1)]))
                == [
                    .created(RowKey([.integer(9)])), .refused("writtenTwice"), .changed,
                    .refused("writtenTwice"),
                ])
        #expect(
            try await write(
                bench,
                Write(
                    kind: .update, table: "line", key: [.integer(2), .integer(1)],
                    values: [("orders", .integer(2)), ("amount", .integer(3))]),
                Write(
                    kind: .update, table: "line", key: [.integer(2), .integer(2)],
                    values: [("number", .integer(3))]))
                == [.changed, .refused("otherKey")])
    }

    @Test func `have preconditions`() async throws {
        let bench = try bench()
        let old = try await etag(bench, 1)
        func update(_ precondition: RowPrecondition, _ freight: String) -> Write {
            Write(
                kind: .update, key: [.integer(1)], values: [("freight", .text(freight))],
                precondition: precondition)
        }
        #expect(try await write(bench, update(.isOneOf(["x", old]), "1")) == [.changed])
        #expect(try await write(bench, update(.isOneOf([old]), "2")) == [.refused("changed")])
        #expect(try await write(bench, update(.exists, "3")) == [.changed])
        #expect(try await write(bench, update(.isAbsent, "4")) == [.refused("changed")])
        let now = try await etag(bench, 1)
        #expect(try await write(bench, update(.isNoneOf([now]), "5")) == [.refused("changed")])
        #expect(try await write(bench, update(.isNoneOf([old]), "6")) == [.changed])
        #expect(
            try await write(
                bench,
                Write(
                    kind: .upsert, key: [.integer(77)], values: [("freight", .null)],
                    precondition: .exists)) == [.refused("changed")])
        #expect(
            try await write(
                bench,
                Write(kind: .delete, key: [.integer(1)], precondition: .isOneOf([old])))
                == [.refused("changed")])
    }

    @Test func `replace whole rows only by whole rows`() async throws {
        let bench = try bench()
        func replace(_ id: Int64, _ values: [(String, Value)]) -> Write {
            Write(kind: .replace, key: [.integer(id)], values: values)
        }
        let part: [(String, Value)] = [("customer", .text("c")), ("freight", .null)]
        #expect(try await write(bench, replace(1, part)) == [.refused("columnsMissing")])
        #expect(try await write(bench, replace(1, part + [("shipped", .null)])) == [.changed])
        #expect(
            try await write(bench, replace(50, part + [("shipped", .null)]))
                == [.created(RowKey([.integer(50)]))])
        #expect(
            try await write(
                bench,
                replace(1, part + [("shipped", .null), ("id", .integer(2))]))
                == [.refused("otherKey")])
    }

    @Test func `have the rights and scopes of their user`() async throws {
        let bench = try HubBench(
            schema: `Rows for programs`.schema,
            scopes: ScopeSettings(
                rules: [
                    "orders": [ScopeRule(.column(kind: "customer", "customer"))],
                    "line": [ScopeRule(.through(["orders"]))],
                ], holdings: ["customer": .claim("sub")]),
            rights: RightSettings(tables: [
                "orders": [
                    "*": TableRights(insert: true, update: true, columns: ["freight", "customer"])
                ]
            ]))
        let bob = Principal(subject: "b")
        func refusal(_ write: Write) async throws -> Fate? {
            try await self.write(bench, as: bob, write).first
        }
        let freight: [(String, Value)] = [("freight", .text("1"))]
        #expect(
            try await refusal(Write(kind: .update, key: [.integer(1)], values: freight))
                == .refused("notFound"))
        #expect(
            try await refusal(Write(kind: .update, key: [.integer(2)], values: freight))
                == .changed)
        #expect(
            try await refusal(
                Write(kind: .update, key: [.integer(2)], values: [("shipped", .null)])) == .changed)
        #expect(
            try await refusal(
                Write(
                    kind: .update, key: [.integer(2)], values: [("shipped", .text("2026-02-02"))]))
                == .refused("permission"))
        #expect(
            try await refusal(Write(kind: .delete, key: [.integer(2)])) == .refused("permission"))
        #expect(
            try await refusal(
                Write(kind: .insert, values: [("id", .integer(1)), ("customer", .text("b"))]))
                == .refused("permission"))
        #expect(
            try await refusal(
                Write(kind: .insert, values: [("id", .integer(9)), ("customer", .text("a"))]))
                == .refused("permission"))
        #expect(
            try await refusal(
                Write(
                    kind: .insert,
                    values: [
                        ("id", .integer(9)), ("customer", .text("b")),
                        ("shipped", .text("2026-02-02")),
                    ])) == .refused("permission"))
        #expect(
            try await refusal(
                Write(kind: .insert, values: [("id", .integer(9)), ("customer", .text("b"))]))
                == .created(RowKey([.integer(9)])))
    }

    @Test func `meet the merge rules, and are in the logs`() async throws {
        let bench = try HubBench(
            schema: `Rows for programs`.schema,
            rules: ["orders": TableRules(softDelete: nil)], audit: AuditPolicy())
        let ann = Principal(subject: "ann")
        _ = try await write(
            bench, as: ann,
            Write(kind: .update, key: [.integer(1)], values: [("freight", .text("7"))]),
            Write(kind: .update, key: [.integer(2)], values: [("customer", .text("nobody"))]))
        let audit = try bench.rows(
            "SELECT subject, replica, row_key, operation, outcome FROM moorage_audit ORDER BY id")
        #expect(audit.count == 2)
        #expect(audit[0][0] == .text("ann"))
        guard case .text(let replica) = audit[0][1] else { throw Failure() }
        #expect(replica.hasPrefix("rest-"))
        #expect(audit[0][2...] == [.text("[1]"), .text("update"), .text("applied")])
        #expect(audit[1][4] == .text("refused"))
        #expect(try bench.conflicts().map { $0[2] } == ["foreignKey"])
        #expect(
            try bench.rows("SELECT subject, standing FROM moorage_registration")
                == [[.text("ann"), .text("active")]])
        try bench.sql("UPDATE moorage_registration SET standing = 'revoked'")
        await #expect(throws: HubError.self) {
            try await self.write(
                bench, as: ann,
                Write(kind: .update, key: [.integer(1)], values: [("freight", .null)]))
        }
    }

    @Test func `of a user that is forgotten leave nothing behind`() async throws {
        let bench = try bench()
        let ann = Principal(subject: "ann")
        let change = Write(kind: .update, key: [.integer(1)], values: [("freight", .text("7"))])
        _ = try await write(
            bench, as: ann, once: RequestName(key: "k", fingerprint: "f"), change)
        #expect(try bench.rows("SELECT id FROM moorage_request").count == 1)
        _ = try await bench.hub.forget(subject: "ann")
        #expect(try bench.rows("SELECT id FROM moorage_request").isEmpty)
        #expect(try bench.rows("SELECT replica FROM moorage_registration").isEmpty)
        #expect(try await write(bench, as: ann, change) == [.changed])
    }

    private struct Failure: Error {}

    @Test func `of users without the right lock and use nothing`() async throws {
        let bench = try HubBench(
            schema: `Rows for programs`.schema,
            directions: ["line": .down],
            rights: RightSettings(tables: ["orders": ["*": TableRights()]]))
        let ann = Principal(subject: "ann")
        #expect(
            try await write(
                bench, as: ann, Write(kind: .insert, values: [("customer", .text("a"))]),
                Write(kind: .update, key: [.integer(1)], values: []),
                Write(kind: .delete, key: [.integer(77)]),
                Write(
                    kind: .insert, table: "line",
                    values: [("orders", .integer(1)), ("number", .integer(7))]))
                == [
                    .refused("permission"), .refused("permission"), .refused("permission"),
                    .refused("readOnly"),
                ])
        #expect(try bench.rows("SELECT table_name FROM moorage_key").isEmpty)
    }

    @Test func `get keys that no other request gets`() async throws {
        let bench = try bench()
        let hub = bench.hub
        let keys = try await withThrowingTaskGroup(of: [Value].self) { tasks in
            for _ in 0..<10 {
                tasks.addTask {
                    let found = Keys()
                    _ = try await hub.writeRows(for: nil, once: nil) { schema in
                        let table = try schema.table(named: "orders")
                        return RowBatch(
                            (0..<30).map { _ in RowWrite(.insert, in: table) },
                            isAllOrNothing: true)
                    } answer: { _, results in
                        found.set(
                            results.compactMap { result in
                                if case .created(let row) = result { row.values[0] } else { nil }
                            })
                        return []
                    }
                    return found.all
                }
            }
            return try await tasks.reduce(into: [Value]()) { $0 += $1 }
        }
        #expect(keys.count == 300 && Set(keys).count == 300)
        #expect(try orders(bench).count == 304)
        // A program of the owner's took the keys that are left.
        try bench.sql(
            """
            WITH RECURSIVE n (i) AS (SELECT 5 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
            INSERT OR IGNORE INTO orders (id) SELECT i FROM n
            """)
        guard
            case .created(let key)? = try await write(bench, Write(kind: .insert)).first,
            case .integer(let number)? = key.values.first
        else { throw Failure() }
        #expect(number > 900)
    }

    private final class Keys: @unchecked Sendable {
        private(set) var all: [Value] = []
        func set(_ keys: [Value]) { all = keys }
    }

    @Test func `delete rows softly where the rules say so`() async throws {
        let bench = try HubBench(
            schema: """
                CREATE TABLE orders (id INTEGER NOT NULL PRIMARY KEY, gone_at TIMESTAMP);
                INSERT INTO orders VALUES (1, NULL);
                """, rules: ["orders": TableRules(softDelete: "gone_at")])
        #expect(
            try await write(bench, Write(kind: .delete, key: [.integer(1)])) == [.deleted])
        #expect(
            try bench.rows("SELECT count(*) FROM orders WHERE gone_at IS NOT NULL")
                == [[.integer(1)]])
    }

    @Test func `of a named request are carried out again after a day`() async throws {
        let bench = try bench()
        let name = RequestName(key: "k", fingerprint: "f")
        let insert = Write(kind: .insert, values: [("customer", .text("a"))])
        _ = try await write(bench, once: name, insert)
        _ = try await write(bench, once: name, insert)
        #expect(try orders(bench).count == 5)
        try bench.sql(
            "UPDATE moorage_request SET requested_at = requested_at - \(86_400_000 + 1_000)")
        _ = try await write(bench, once: name, insert)
        #expect(try orders(bench).count == 6)
        try bench.sql("UPDATE moorage_request SET requested_at = 0")
        _ = try await write(bench, once: RequestName(key: "l", fingerprint: "f"), insert)
        #expect(try bench.rows("SELECT id FROM moorage_request") == [[.text("rest/l")]])
        try bench.sql("UPDATE moorage_registration SET standing = 'revoked'")
        await #expect(throws: HubError.self) {
            _ = try await self.write(
                bench, once: RequestName(key: "l", fingerprint: "f"), insert)
        }
    }

    @Test func `of a named request are carried out once`() async throws {
        let bench = try bench()
        let ann = Principal(subject: "ann")
        let name = RequestName(key: "k1", fingerprint: "f1")
        let hub = bench.hub
        @Sendable func insert(
            _ name: RequestName, by principal: Principal
        ) async throws -> [UInt8] {
            try await hub.writeRows(for: principal, once: name) { schema in
                RowBatch(
                    [
                        RowWrite(
                            .insert, in: try schema.table(named: "orders"),
                            values: [(1, .text("c"))])
                    ], isAllOrNothing: true)
            } answer: { _, results in
                guard case .created(let row)? = results.first,
                    case .integer(let id) = row.values[0]
                else { return [] }
                return Array("\(id)".utf8)
            }
        }
        #expect(try await insert(name, by: ann) == Array("5".utf8))
        #expect(try await insert(name, by: ann) == Array("5".utf8))
        #expect(try orders(bench).count == 5)
        #expect(try await insert(name, by: Principal(subject: "bob")) == Array("6".utf8))
        await #expect(throws: RowProblem.self) {
            _ = try await insert(RequestName(key: "k1", fingerprint: "f2"), by: ann)
        }
        let many = RequestName(key: "k2", fingerprint: "f1")
        let answers = try await withThrowingTaskGroup(of: [UInt8].self) { tasks in
            for _ in 0..<8 { tasks.addTask { try await insert(many, by: ann) } }
            return try await tasks.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
        }
        #expect(answers.count == 1)
        #expect(try orders(bench).count == 7)
    }
}
