import MoorageTesting
import TestSupport
import Testing

@testable import MoorageCore

private func table(
    _ name: String, references: [String] = [], deferrable: Bool = false
) -> TableDescription {
    TableDescription(
        name: name,
        columns: [ColumnDescription(name: "id", type: .integer, isNullable: false)]
            + references.indices.map { ColumnDescription(name: "r\($0)", type: .integer) },
        primaryKey: [0],
        foreignKeys: references.enumerated().map {
            ForeignKey(
                columns: [$0 + 1], referencedTable: $1, referencedColumns: ["id"],
                isDeferrable: deferrable)
        })
}

@Suite(.ownThreads) struct `Foreign-key order` {
    @Test func `puts parents first`() {
        let schema = SchemaDescription(tables: [
            table("order_details", references: ["orders", "products"]),
            table("orders", references: ["customers"]), table("products"), table("customers"),
        ])
        #expect(schema.tables.map(\.name) == ["customers", "orders", "products", "order_details"])
        #expect(schema.cycles.isEmpty)
        #expect(schema.position(of: "products") == 2)
        #expect(schema.table(named: "nothing") == nil)
    }

    @Test func `holds a table that refers to itself for no cycle`() {
        let schema = SchemaDescription(tables: [table("employees", references: ["employees"])])
        #expect(schema.cycles.isEmpty)
    }

    @Test func `keeps tables that refer to each other together, after their parents`() {
        let schema = SchemaDescription(tables: [
            table("a", references: ["b"]), table("b", references: ["c", "p"]),
            table("c", references: ["a"]), table("p"), table("child", references: ["a"]),
        ])
        #expect(schema.tables.map(\.name) == ["p", "a", "b", "c", "child"])
        #expect(schema.cycles == [[1, 2, 3]])
    }

    @Test func `looks past a table that is not synced`() {
        let schema = SchemaDescription(tables: [table("a", references: ["elsewhere"])])
        #expect(schema.tables.map(\.name) == ["a"])
    }

    @Test func `does not recurse: a chain of 20,000 tables is sorted`() {
        let tables = (0..<20_000).map { table("t\($0)", references: $0 == 0 ? [] : ["t\($0 - 1)"]) }
        let order = ForeignKeyOrder(tables.reversed())
        #expect(order.groups.first == [19_999])
        #expect(order.groups.count == 20_000)
    }

    @Test func `is the same for the same tables in any order`() {
        var random = SeededGenerator(seed: lawSeed + 10)
        for _ in 0..<trials(400, nightly: 20_000) {
            let names = (0..<(random.below(8) + 1)).map { "t\($0)" }
            let tables = names.map { name in
                table(name, references: (0..<random.below(3)).map { _ in random.one(of: names) })
            }
            let one = SchemaDescription(tables: tables)
            let other = SchemaDescription(tables: tables.shuffled(using: &random))
            #expect(one == other)
            #expect(SchemaDescription(tables: one.tables) == one)
            // Parents first, but within a cycle.
            for (place, table) in one.tables.enumerated() {
                for foreign in table.foreignKeys {
                    guard let parent = one.position(of: foreign.referencedTable) else { continue }
                    let together = one.cycles.contains { $0.contains(place) && $0.contains(parent) }
                    #expect(parent <= place || together)
                }
            }
        }
    }
}

@Suite(.ownThreads) struct `A schema's version` {
    private let base = TableDescription(
        name: "t",
        columns: [
            ColumnDescription(name: "a", type: .integer, isNullable: false),
            ColumnDescription(name: "b", type: .text),
        ], primaryKey: [0], uniqueKeys: [[1]],
        foreignKeys: [ForeignKey(columns: [1], referencedTable: "t", referencedColumns: ["b"])])

    private func version(
        columns: [ColumnDescription]? = nil, key: [Int]? = nil, unique: [[Int]]? = nil,
        foreign: [ForeignKey]? = nil
    ) -> String {
        SchemaDescription(tables: [
            TableDescription(
                name: "t", columns: columns ?? base.columns, primaryKey: key ?? base.primaryKey,
                uniqueKeys: unique ?? base.uniqueKeys, foreignKeys: foreign ?? base.foreignKeys)
        ]).version
    }

    @Test func `tells every difference`() {
        let a = base.columns[0]
        let b = base.columns[1]
        let foreign = base.foreignKeys[0]
        func foreignKey(
            _ table: String = "t", _ columns: [String] = ["b"],
            onDelete: ForeignKey.Action = .noAction,
            onUpdate: ForeignKey.Action = .noAction, isDeferrable: Bool = false
        ) -> [ForeignKey] {
            [
                ForeignKey(
                    columns: foreign.columns, referencedTable: table, referencedColumns: columns,
                    onDelete: onDelete, onUpdate: onUpdate, isDeferrable: isDeferrable)
            ]
        }
        func second(
            type: ColumnType = .text, isNullable: Bool = true, value: ColumnDefault = .none,
            isGenerated: Bool = false
        ) -> [ColumnDescription] {
            [
                a,
                ColumnDescription(
                    name: "b", type: type, isNullable: isNullable, defaultValue: value,
                    isGenerated: isGenerated),
            ]
        }
        let versions = [
            version(), version(columns: [b, a]), version(columns: second(type: .json)),
            version(columns: second(isNullable: false)), version(columns: second(value: .central)),
            version(columns: second(value: .value(.null))),
            version(columns: second(value: .value(.text("")))),
            version(columns: second(isGenerated: true)), version(key: [1]), version(key: [0, 1]),
            version(unique: []), version(unique: [[1], [0]]), version(unique: [[0, 1]]),
            version(foreign: []),
            version(foreign: foreignKey("u")), version(foreign: foreignKey("t", ["a"])),
            version(foreign: foreignKey(onDelete: .cascade)),
            version(foreign: foreignKey(onUpdate: .cascade)),
            version(foreign: foreignKey(isDeferrable: true)),
            version(columns: second(type: .timestamp(fractionDigits: 3))),
            version(columns: second(type: .timestamp(fractionDigits: 6))),
        ]
        #expect(Set(versions).count == versions.count)
        #expect(SchemaDescription(tables: [base]).version == version())
    }
}

@Suite(.ownThreads) struct `A table` {
    private let orders = TableDescription(
        name: "orders",
        columns: [
            ColumnDescription(name: "id", type: .integer),
            ColumnDescription(name: "price", type: .decimal),
            ColumnDescription(name: "note", type: .json),
            ColumnDescription(name: "customer", type: .text),
        ], primaryKey: [0], uniqueKeys: [[3], [1, 3]],
        foreignKeys: [
            ForeignKey(
                columns: [3], referencedTable: "customers", referencedColumns: ["id"],
                onDelete: .cascade)
        ])

    @Test func `holds rows equal by meaning, and their fingerprints too`() {
        let one: [Value] = [.integer(1), .text("9.80"), .text(#"{"a":1,"b":2}"#), .text("X")]
        let other: [Value] = [.real(1), .real(9.8), .text(#"{"b":2.0,"a":1}"#), .text("X")]
        #expect(orders.equal(one, other))
        #expect(orders.fingerprint(of: one) == orders.fingerprint(of: other))
        #expect(!orders.equal(one, Array(one.dropLast())))
        #expect(!orders.equal(one, [.integer(1), .text("9.80"), .null, .text("X")]))
    }

    @Test func `has equal fingerprints exactly for equal rows`() {
        var random = SeededGenerator(seed: lawSeed + 11)
        let types = everyType
        let wide = TableDescription(
            name: "w",
            columns: types.enumerated().map { ColumnDescription(name: "c\($0)", type: $1) },
            primaryKey: [0])
        for _ in 0..<trials(3000, nightly: 100_000) {
            let row = types.map { _ in Value.random(using: &random) }
            var other = row
            let column = random.below(types.count)
            other[column] = Value.random(using: &random)
            #expect(
                wide.equal(row, other) == (wide.fingerprint(of: row) == wide.fingerprint(of: other))
            )
            let normalized = zip(types, row).map { $0.normalized($1) }
            #expect(wide.fingerprint(of: normalized) == wide.fingerprint(of: row))
        }
    }

    @Test func `is restricted to the columns that both sides have`() throws {
        let fewer = try #require(orders.restricted(to: ["customer", "id"]))
        #expect(fewer.columns.map(\.name) == ["customer", "id"])
        #expect(fewer.primaryKey == [1])
        #expect(fewer.uniqueKeys == [[0]])
        #expect(fewer.foreignKeys.map(\.columns) == [[0]])
        #expect(fewer.foreignKeys.map(\.onDelete) == [.cascade])
        #expect(fewer.signature != orders.signature)
        #expect(orders.restricted(to: orders.columns.map(\.name)) == orders)
    }

    @Test func `is not restricted to less than its key, to unknown names, or to one twice`() {
        #expect(orders.restricted(to: ["price", "customer"]) == nil)
        #expect(orders.restricted(to: ["id", "nothing"]) == nil)
        #expect(orders.restricted(to: ["id", "price", "price"]) == nil)
    }

    @Test func `knows its columns by bytes`() {
        let table = TableDescription(
            name: "t",
            columns: [
                ColumnDescription(name: "\u{E9}", type: .text),
                ColumnDescription(name: "e\u{301}", type: .text),
            ], primaryKey: [0])
        #expect(table.column(named: "e\u{301}") == 1)
        #expect(table.column(named: "E") == nil)
        #expect(table.isKey(0) && !table.isKey(1))
    }

    @Test func `has a signature of names, types and key alone`() {
        let same = TableDescription(
            name: "orders",
            columns: orders.columns.map {
                ColumnDescription(
                    name: $0.name, type: $0.type, isNullable: false, isGenerated: true)
            }, primaryKey: [0])
        #expect(same.signature == orders.signature)
        let otherKey = TableDescription(name: "orders", columns: orders.columns, primaryKey: [3])
        #expect(otherKey.signature != orders.signature)
        let otherType = TableDescription(
            name: "orders",
            columns: orders.columns.dropLast() + [ColumnDescription(name: "customer", type: .uuid)],
            primaryKey: [0])
        #expect(otherType.signature != orders.signature)
    }
}
