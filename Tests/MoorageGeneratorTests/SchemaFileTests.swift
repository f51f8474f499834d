import MoorageCore
import MoorageTesting
import MoorageWire
import TestSupport
import Testing

@testable import MoorageGenerator

@Suite(.ownThreads) struct `A schema file` {
    static let orders = TableDescription(
        name: "orders",
        columns: [
            ColumnDescription(name: "id", type: .uuid, isNullable: false),
            ColumnDescription(name: "customer_id", type: .integer),
            ColumnDescription(
                name: "status", type: .text, isNullable: false, defaultValue: .value(.text("open"))),
        ], primaryKey: [0], uniqueKeys: [],
        foreignKeys: [
            ForeignKey(columns: [1], referencedTable: "customers", referencedColumns: ["id"])
        ])
    static let customers = TableDescription(
        name: "customers",
        columns: [
            ColumnDescription(name: "id", type: .integer, isNullable: false),
            ColumnDescription(name: "name", type: .text),
        ], primaryKey: [0], uniqueKeys: [], foreignKeys: [], keyBlock: 100)
    static let file = SchemaFile(
        schema: SchemaDescription(tables: [orders, customers]),
        details: [
            "orders": TableDetails(
                comment: "What {was} [bought].", indexes: [[2]],
                columns: [2: ColumnDetails(original: "text", labels: ["open", "closed"])])
        ])

    @Test func `is read as it was written`() throws {
        let bytes = Self.file.encoded()
        #expect(try SchemaFile(decoding: bytes) == Self.file)
        #expect(try SchemaFile(decoding: bytes).encoded() == bytes)
    }

    @Test func `has a line for each table and column`() {
        let lines = String(decoding: Self.file.encoded(), as: UTF8.self).split(separator: "\n")
        #expect(lines.count { $0.contains(#""type":"#) } == 5)
        #expect(lines.count { $0.contains(#""columns":["#) && $0.contains(#"{"name":"#) } == 2)
        #expect(lines.contains { $0.hasPrefix(#"    {"name":"customer_id","type":"integer""#) })
    }

    @Test func `survives any schema`() throws {
        for seed in 1...50 {
            var random = SeededGenerator(seed: UInt64(seed))
            let file = SchemaFile(random.schemaAnswer())
            #expect(try SchemaFile(decoding: file.encoded()) == file)
        }
    }

    @Test func `that was changed by hand is refused`() {
        let text = String(decoding: Self.file.encoded(), as: UTF8.self)
            .replacing("\"closed\"", with: "\"done\"")
        let error = #expect(throws: HubError.self) { try SchemaFile(decoding: Array(text.utf8)) }
        #expect(error?.message.contains("changed by hand") == true)
    }

    @Test func `of a later form is refused`() {
        let error = #expect(throws: HubError.self) {
            try SchemaFile(decoding: Array(#"{"moorage":2}"#.utf8))
        }
        #expect(error?.message.contains("form 2") == true)
    }

    @Test func `says what is different`() {
        let newer = SchemaFile(
            schema: SchemaDescription(tables: [
                TableDescription(
                    name: "orders",
                    columns: [
                        ColumnDescription(
                            name: "status", type: .text, isNullable: true,
                            defaultValue: .value(.text("closed"))),
                        ColumnDescription(name: "id", type: .uuid, isNullable: false),
                        ColumnDescription(name: "note", type: .text),
                    ], primaryKey: [1], uniqueKeys: [], foreignKeys: []),
                TableDescription(
                    name: "parts",
                    columns: [ColumnDescription(name: "id", type: .integer, isNullable: false)],
                    primaryKey: [0], uniqueKeys: [], foreignKeys: []),
            ]), details: [:])
        #expect(Self.file.differences(to: Self.file) == [])
        #expect(
            Self.file.differences(to: newer) == [
                "The table customers is gone.",
                "The column orders.customer_id is gone.",
                "The column orders.status has another rule for NULL, default, type in the database, list of labels.",
                "The column orders.note is new.",
                "The table orders has another order of columns, set of foreign keys, comment, set of indexes.",
                "The table parts is new.",
            ])
    }

    @Test func `takes two ways to write a default for one`() {
        func file(_ value: String) -> SchemaFile {
            let columns = [
                ColumnDescription(name: "id", type: .integer, isNullable: false),
                ColumnDescription(
                    name: "price", type: .decimal, defaultValue: .value(.text(value))),
            ]
            let table = TableDescription(
                name: "parts", columns: columns, primaryKey: [0], uniqueKeys: [], foreignKeys: [])
            return SchemaFile(schema: SchemaDescription(tables: [table]), details: [:])
        }
        #expect(file("0").differences(to: file("0.00")) == [])
        #expect(
            file("0").differences(to: file("1"))
                == ["The column parts.price has another default."])
    }
}
