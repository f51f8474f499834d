import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

@Suite(.ownThreads) struct `Writes of programs in groups` {
    private struct Write: Sendable {
        var kind = RowWrite.Kind.insert
        var table = "orders"
        var values: [(String, Value)] = []
        var precondition = RowPrecondition.none
        var group: Int?
        var acceptsAbsence = false
        /// The place of the row to which this one refers, and the relation of that row.
        var parent: (place: Int, relation: String)?
    }

    private final class Results: @unchecked Sendable {
        var all: [String] = []
    }

    private func write(_ bench: HubBench, _ writes: Write...) async throws -> [String] {
        let texts = Results()
        _ = try await bench.hub.writeRows(for: nil, once: nil) { schema in
            RowBatch(
                try writes.map { write in
                    let table = try schema.table(named: write.table)
                    var row = RowWrite(
                        write.kind, in: table,
                        values: try write.values.map { (try table.column(named: $0.0), $0.1) },
                        precondition: write.precondition)
                    row.group = write.group
                    row.acceptsAbsence = write.acceptsAbsence
                    if let parent = write.parent {
                        let relations = try schema.table(named: writes[parent.place].table)
                            .relations
                        row.links = relations.filter { $0.name == parent.relation }.map {
                            RowLink(toReferenced: parent.place, byReversed: $0)
                        }
                    }
                    return row
                }, isAllOrNothing: false)
        } answer: { _, results in
            texts.all = results.map { result in
                switch result {
                case .created(let row): "created \(row.values[0].text)"
                case .changed: "changed"
                case .deleted: "deleted"
                case .refused(let problem): problem.code
                }
            }
            return []
        }
        return texts.all
    }

    private func bench() throws -> HubBench {
        try HubBench(
            schema: `Rows for programs`.schema
                + "CREATE UNIQUE INDEX one ON customer (city) WHERE city <> 'Bonn';")
    }

    @Test func `take the keys that the hub makes for others`() async throws {
        let bench = try bench()
        let results = try await write(
            bench, Write(values: [("customer", .text("c"))]),
            Write(table: "line", values: [("number", .integer(1))], parent: (0, "line")),
            Write(
                kind: .upsert, table: "line", values: [("orders", .null), ("number", .integer(2))],
                parent: (0, "line")),
            Write(
                table: "line", values: [("orders", .integer(1)), ("number", .integer(3))],
                parent: (0, "line")))
        #expect(results == ["created 5", "created 5", "created 5", "otherParent"])
    }

    @Test func `are carried out together, or not at all`() async throws {
        let bench = try bench()
        let replica = try ScriptedReplica(bench, 1)
        try replica.exchange()
        let results = try await write(
            bench,
            Write(
                table: "customer",
                values: [("id", .text("d")), ("name", .text("d")), ("city", .text("x"))]),
            // The database refuses the second of these by its unique index.
            Write(values: [("id", .integer(8))], group: 1),
            Write(
                table: "customer",
                values: [("id", .text("e")), ("name", .text("e")), ("city", .text("x"))], group: 1),
            Write(
                kind: .update, values: [("id", .integer(1)), ("freight", .null)],
                precondition: .isOneOf(["old"]), group: 2),
            Write(kind: .update, values: [("id", .integer(2)), ("freight", .null)], group: 2),
            Write(kind: .update, values: [("id", .integer(3)), ("freight", .text("1"))]))
        #expect(
            results == ["created d", "notWritten", "unique", "changed", "notWritten", "changed"])
        try replica.exchange()
        #expect(replica.rows["customer"]?[RowKey([.text("d")])] != nil)
        #expect(replica.rows["customer"]?[RowKey([.text("e")])] == nil)
        #expect(replica.rows["orders"]?[RowKey([.integer(8)])] == nil)
        let log = try bench.rows("SELECT reason_code FROM moorage_conflict")
        #expect(log == [[.text("unique")]])
    }

    @Test func `delete what is gone, where the program says so`() async throws {
        let bench = try bench()
        let results = try await write(
            bench, Write(kind: .delete, values: [("id", .integer(9))], acceptsAbsence: true),
            Write(
                kind: .delete, values: [("id", .integer(8))], precondition: .isOneOf(["old"]),
                acceptsAbsence: true),
            Write(
                kind: .delete, values: [("id", .integer(4))], precondition: .isOneOf(["old"]),
                acceptsAbsence: true),
            Write(kind: .delete, values: [("id", .integer(7))]))
        #expect(results == ["deleted", "deleted", "changed", "notFound"])
    }
}

@Suite(.ownThreads) struct `Rows that a client compares` {
    private func read<Answer: Sendable>(
        _ bench: HubBench, _ table: String,
        _ work: @escaping @Sendable (RowReader, RowTable) throws -> Answer
    ) async throws -> Answer {
        try await bench.hub.readRows(for: nil) { try work($0, $0.schema.table(named: table)) }
    }

    @Test func `are read up to a limit, and at least one`() async throws {
        let bench = try HubBench(schema: `Rows for programs`.schema)
        for (limit, expected) in [(10, 4), (3, 3), (1, 1), (0, 1), (-5, 1)] {
            let (count, next) = try await read(bench, "orders") { reader, table in
                var left = ReadLimit(rows: limit, bytes: 1_000_000)
                var count = 0
                let next = try reader.scan(KeyRange(), of: table, within: &left) { _ in count += 1 }
                return (count, next)
            }
            #expect(count == expected)
            #expect((next == nil) == (expected == 4))
        }
        let (count, next) = try await read(bench, "orders") { reader, table in
            var left = ReadLimit(rows: 10, bytes: 0)
            var count = 0
            let next = try reader.scan(KeyRange(), of: table, within: &left) { _ in count += 1 }
            return (count, next)
        }
        #expect(count == 1 && next == RowKey([.integer(1)]))
    }

    @Test func `are looked up as far as the limit allows`() async throws {
        let bench = try HubBench(schema: `Rows for programs`.schema)
        let keys = (0...5).map { RowKey([.integer($0)]) }
        for (rows, bytes, expected) in [(10, 1_000, 6), (2, 1_000, 2), (0, 1_000, 0), (6, -1, 0)] {
            let count = try await read(bench, "orders") { reader, table in
                var left = ReadLimit(rows: rows, bytes: bytes)
                return try reader.read(keys, of: table, within: &left) { _ in }
            }
            #expect(count == expected)
        }
    }

    @Test func `are remembered while their tombstones are there`() async throws {
        let bench = try HubBench(schema: `Rows for programs`.schema)
        try bench.sql("DELETE FROM line; DELETE FROM orders WHERE id > 2")
        let keys = (1...5).map { RowKey([.integer($0)]) }
        let gone = try await read(bench, "orders") { try $0.gone(among: keys, of: $1) }
        #expect(gone == Set(keys[2...3]))
        let replica = try ScriptedReplica(bench, 1)
        for _ in 1...100 {
            try bench.pass(days: 1)
            try replica.exchange()
        }
        let forgotten = try await read(bench, "orders") { try $0.gone(among: keys, of: $1) }
        #expect(forgotten.isEmpty)
    }
}

extension Value {
    fileprivate var text: String {
        switch self {
        case .integer(let number): String(number)
        case .text(let text): text
        case .null, .real, .blob: ""
        }
    }
}
