import MoorageCore
import TestSupport
import Testing

@Suite(.ownThreads) struct `A schema with names in apps` {
    private func schema(_ table: AppNames = AppNames(), _ column: AppNames = AppNames())
        -> SchemaDescription
    {
        var title = ColumnDescription(name: "cTitle", type: .text)
        title.appNames = column
        var customer = TableDescription(
            name: "tblCust",
            columns: [ColumnDescription(name: "id", type: .integer), title], primaryKey: [0],
            uniqueKeys: [[1]])
        customer.appNames = table
        let note = TableDescription(
            name: "tblNote",
            columns: [
                ColumnDescription(name: "id", type: .integer),
                ColumnDescription(name: "title", type: .text),
            ], primaryKey: [0],
            foreignKeys: [
                ForeignKey(
                    columns: [1], referencedTable: "tblCust", referencedColumns: ["cTitle"])
            ])
        return SchemaDescription(tables: [note, customer])
    }

    /// The version of a schema whose only column has these names.
    private func first(_ table: AppNames, _ column: AppNames) -> String {
        var id = ColumnDescription(name: "id", type: .integer)
        id.appNames = column
        var customer = TableDescription(name: "tblCust", columns: [id], primaryKey: [0])
        customer.appNames = table
        return SchemaDescription(tables: [customer]).version
    }

    private let table = AppNames(name: "customers", renamedFrom: ["clients"])
    private let column = AppNames(name: "title", renamedFrom: ["name", "label"])

    private func named(
        _ schema: SchemaDescription, tables: Set<String> = [], columns: Set<String> = []
    ) throws -> SchemaDescription {
        try schema.named(hasTable: tables.contains) { column, _ in columns.contains(column) }
    }

    @Test func `has another version with them, and no other signature`() {
        let plain = schema()
        for other in [schema(table), schema(AppNames(), column), schema(table, column)] {
            #expect(other.version != plain.version)
            #expect(other.tables.map(\.signature) == plain.tables.map(\.signature))
        }
        #expect(
            schema(AppNames(name: "a")).version != schema(AppNames(renamedFrom: ["a"])).version)
        // The first column has the same names as the table in the other schema.
        #expect(first(AppNames(), AppNames(name: "a")) != first(AppNames(name: "a"), AppNames()))
    }

    @Test func `keeps version, order and references in the names of a file`() throws {
        let schema = schema(table, column)
        let named = try named(schema, tables: ["clients"], columns: ["name"])
        #expect(named.version == schema.version)
        #expect(named.tables.map(\.signature) == schema.tables.map(\.signature))
        #expect(named.tables.map(\.name) == ["clients", "tblNote"])
        #expect(named.tables[0].columns.map(\.name) == ["id", "name"])
        #expect(named.tables[0].uniqueKeys == [[1]])
        #expect(named.tables[1].columns.map(\.name) == ["id", "title"])
        #expect(named.tables[1].foreignKeys.map(\.referencedTable) == ["clients"])
        #expect(named.tables[1].foreignKeys.map(\.referencedColumns) == [["name"]])
        for name in ["tblCust", "customers", "clients"] {
            #expect(named.table(knownAs: name)?.name == "clients")
        }
        for name in ["cTitle", "title", "name", "label"] {
            #expect(named.tables[0].column(knownAs: name) == 1)
        }
    }

    @Test func `prefers the name in apps, then the central one, then others in their order`()
        throws
    {
        let schema = schema(table, column)
        func names(_ tables: Set<String>, _ columns: Set<String>) throws -> [String] {
            let table = try named(schema, tables: tables, columns: columns).tables[0]
            return [table.name, table.columns[1].name]
        }
        #expect(try names([], []) == ["customers", "title"])
        #expect(
            try names(["clients", "customers", "tblCust"], ["label", "cTitle", "title"])
                == ["customers", "title"])
        #expect(
            try names(["clients", "tblCust"], ["label", "cTitle", "name"]) == ["tblCust", "cTitle"])
        #expect(try names(["clients"], ["label", "name"]) == ["clients", "name"])
    }

    @Test func `is as the hub sent it if nothing has another name`() throws {
        let schema = schema()
        #expect(try named(schema, tables: ["clients"], columns: ["name"]) == schema)
    }
}
