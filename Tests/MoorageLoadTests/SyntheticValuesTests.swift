#if Server
    import MoorageConfiguration
    import MoorageCore
    import MoorageTesting
    import TestSupport
    import Testing

    @testable import MoorageLoad

    @Suite(.ownThreads) struct `Made-up values` {
        static let types: [ColumnType] = [
            .integer, .boolean, .real, .decimal, .text, .blob, .uuid, .date,
            .time(fractionDigits: 0), .timestamp(fractionDigits: 6), .instant(fractionDigits: 3),
            .json,
        ]

        private func rows(
            _ table: TableDescription, _ extent: SyntheticValues.Extent = .everything,
            count: Int64 = 100
        ) throws -> [[Value]] {
            var random = SeededGenerator(seed: 1)
            let values = try SyntheticValues(table, extent)
            return (1...count).map { values.row(key: nil, number: $0, using: &random) }
        }

        private func table(
            _ columns: [ColumnDescription], key: [Int] = [0], unique: [[Int]] = [],
            foreign: [ForeignKey] = [], direction: TableDirection = .both
        ) -> TableDescription {
            TableDescription(
                name: "t", columns: columns, primaryKey: key, uniqueKeys: unique,
                foreignKeys: foreign, direction: direction)
        }

        private let id = ColumnDescription(name: "id", type: .uuid, isNullable: false)

        @Test(arguments: types)
        func `are of their column's type`(type: ColumnType) throws {
            let column = ColumnDescription(name: "c", type: type, isNullable: false)
            for row in try rows(table([id, column])) {
                #expect(!row[1].isNull)
                #expect(type.accepts(row[1]))
            }
        }

        @Test(arguments: [ColumnType.integer, .decimal, .text, .blob, .uuid])
        func `make keys and unique values without equal`(type: ColumnType) throws {
            let column = ColumnDescription(name: "c", type: type, isNullable: false)
            let described = table([column, column.named("d")], unique: [[1]])
            let rows = try rows(described)
            #expect(Set(rows.map { described.key(of: $0) }).count == rows.count)
            #expect(Set(rows.map { type.normalized($0[1]) }).count == rows.count)
        }

        @Test func `leave out generated columns, and nullable references NULL`() throws {
            let described = table(
                [
                    id, ColumnDescription(name: "g", type: .integer, isGenerated: true),
                    ColumnDescription(name: "p", type: .integer),
                    ColumnDescription(name: "q", type: .integer, isNullable: false),
                ],
                unique: [[2, 3]],
                foreign: [
                    ForeignKey(columns: [2], referencedTable: "p", referencedColumns: ["id"])
                ])
            let values = try SyntheticValues(described, .everything)
            #expect(values.table.columns.map(\.name) == ["id", "p", "q"])
            #expect(values.editable == [2])
            for row in try rows(described) { #expect(row[1].isNull) }
        }

        @Test func `make the least where columns have rules of their own`() throws {
            let described = table([
                id, ColumnDescription(name: "a", type: .text),
                ColumnDescription(
                    name: "b", type: .text, isNullable: false, defaultValue: .value(.text("new"))),
                ColumnDescription(name: "c", type: .integer, isNullable: false),
            ])
            for row in try rows(described, .whatMustBe) {
                #expect(row[1] == .null)
                #expect(row[2] == .text("new"))
                #expect(ColumnType.integer.accepts(row[3]) && !row[3].isNull)
            }
        }

        @Test func `take a key that the hub handed out`() throws {
            var random = SeededGenerator(seed: 1)
            let column = ColumnDescription(name: "id", type: .integer, isNullable: false)
            let values = try SyntheticValues(table([column]), .everything)
            #expect(values.row(key: 7, number: 1 << 30, using: &random) == [.integer(7)])
            #expect(values.row(key: nil, number: 1 << 30, using: &random) == [.integer(1 << 30)])
        }

        @Test func `are refused where a column needs what nobody can make up`() {
            let reference = ForeignKey(
                columns: [1], referencedTable: "parents", referencedColumns: ["id"])
            let parent = ColumnDescription(name: "parent", type: .integer, isNullable: false)
            let day = ColumnDescription(name: "day", type: .date, isNullable: false)
            let generated = ColumnDescription(name: "id", type: .integer, isGenerated: true)
            for (described, word) in [
                (table([id, parent], foreign: [reference]), "parent"),
                (table([day]), "day (date)"), (table([id, day], unique: [[1]]), "day (date)"),
                (table([generated]), "generated"), (table([id], direction: .down), "hub alone"),
            ] {
                let failure = #expect(throws: CommandFailure.self) {
                    try SyntheticValues(described, .everything)
                }
                #expect(failure?.what.contains(word) == true)
            }
        }
    }

    extension ColumnDescription {
        fileprivate func named(_ name: String) -> ColumnDescription {
            ColumnDescription(name: name, type: type, isNullable: isNullable)
        }
    }
#endif
