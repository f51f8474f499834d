import Foundation
import MoorageCore
import TestSupport
import Testing

@testable import NorthwindSample

@Suite(.ownThreads) struct `The sample` {
    private let sample = NorthwindSample(seed: 1, size: 1)

    @Test func `has about the counts of the original`() {
        let counts = Dictionary(
            uniqueKeysWithValues: sample.tables.map { ($0.table, $0.rows.count) })
        #expect(counts["customers"] == 91 && counts["orders"] == 830 && counts["employees"] == 9)
        #expect((2000...2400).contains(counts["order_details"] ?? 0))
        #expect(sample.tables.map(\.table) == NorthwindSample.tableNames)
        #expect(NorthwindSample.tableNames.count == 13)
    }

    @Test func `grows with its size`() {
        let larger = NorthwindSample(seed: 1, size: 3)
        #expect(larger["orders"].count == 3 * 830 && larger["customers"].count == 3 * 91)
        #expect(larger["products"].count == 77)
        #expect(NorthwindSample(size: 0).rowCount == NorthwindSample(size: 1).rowCount)
    }

    @Test func `is the same for the same seed, and another for another`() {
        func fingerprint(_ sample: NorthwindSample) -> String {
            var fingerprint = Fingerprint()
            for table in sample.tables {
                for row in table.rows { for value in row { fingerprint.add(value) } }
            }
            return fingerprint.hex
        }
        #expect(fingerprint(sample) == fingerprint(NorthwindSample(seed: 1, size: 1)))
        #expect(fingerprint(sample) != fingerprint(NorthwindSample(seed: 2, size: 1)))
    }

    @Test(arguments: [UInt64(1), 2, 3, 99]) func `keeps keys unique and foreign keys whole`(
        seed: UInt64
    ) {
        let sample = NorthwindSample(seed: seed, size: 2)
        var keys: [String: Set<RowKey>] = [:]
        for (table, description) in zip(sample.tables, NorthwindSample.descriptions) {
            for row in table.rows {
                #expect(row.count == description.columns.count)
                for foreign in description.foreignKeys {
                    let values = foreign.columns.map { row[$0] }
                    guard !values.contains(where: \.isNull) else { continue }
                    // Parents come first, in a table that refers to itself too.
                    #expect(
                        keys[foreign.referencedTable]?.contains(RowKey(values)) == true,
                        "\(table.table)")
                }
                let key = description.key(of: row)
                #expect(keys[table.table, default: []].insert(key).inserted, "\(table.table)")
            }
        }
    }

    @Test func `holds values of its columns' types and lengths`() {
        for (table, spec) in zip(NorthwindSample(seed: 5, size: 2).tables, SampleSchema.tables) {
            for row in table.rows {
                for (value, column) in zip(row, spec.columns) {
                    #expect(column.kind.type.accepts(value), "\(table.table).\(column.name)")
                    if column.isRequired { #expect(!value.isNull) }
                    if case .string(let length) = column.kind, case .text(let text) = value {
                        #expect(
                            text.unicodeScalars.count <= length, "\(table.table).\(column.name)")
                    }
                }
            }
        }
    }

    @Test func `is hard`() {
        let values = sample.tables.flatMap { $0.rows.flatMap { $0 } }
        #expect(values.contains(.null) && values.contains(.text("")) && values.contains(.blob([])))
        #expect(values.contains(.text("CAF\u{C9}")) && values.contains(.text("CAFE\u{301}")))
        #expect(values.contains(.text("00042")) && values.contains(.text("42")))
        let texts = values.compactMap { if case .text(let text) = $0 { text } else { nil } }
        #expect(texts.contains { $0.contains("\n") } && texts.contains { $0.contains("'") })
        #expect(texts.contains { $0.hasSuffix(".80") || $0.hasSuffix(".50") })
        #expect(texts.contains { $0.count == 10 && $0 < "1900-01-01" && $0.hasPrefix("18") })
    }

    @Test func `writes SQL for both databases`() {
        #expect(NorthwindSample.schema(for: .sqlite).count == 13)
        #expect(NorthwindSample.schema(for: .postgres)[2].contains("BYTEA"))
        let employees = sample.tables.first { $0.table == "employees" }
        #expect(employees?.insertStatement(for: .postgres).contains("$18") == true)
        #expect(employees?.statements(for: .sqlite, rowsPerStatement: 4).count == 3)
        #expect(sample.statements(for: .postgres).joined().contains("'O''Leary'"))
    }
}

@Suite(.ownThreads) struct `Reading CSV` {
    private let region = SampleSchema.tables[0]
    private let categories = SampleSchema.tables[2]

    private func rows(_ text: String, _ table: SampleTable? = nil) throws -> [[Value]] {
        try CSVTable(bytes: Array(text.utf8), table: table ?? region, path: "region.csv").rows
    }

    @Test func `takes quotes, line breaks, NULL, blobs and columns in any order`() throws {
        #expect(
            try rows("region_description,region_id\r\n\"a,\"\"b\"\"\nc\",1\r\nd,2")
                == [[.integer(1), .text("a,\"b\"\nc")], [.integer(2), .text("d")]])
        let text =
            "category_id,category_name,description,picture\n1,\"\\N\",\\N,\\x00ff\n2,x,,\\x\n"
        #expect(
            try rows(text, categories) == [
                [.integer(1), .text("\\N"), .null, .blob([0, 255])],
                [.integer(2), .text("x"), .text(""), .blob([])],
            ])
        #expect(try rows("region_id,region_description\n").isEmpty)
    }

    @Test(arguments: [
        "", "region_id\n", "region_id,other\n1,a\n", "region_id,region_description\n1\n",
        "region_id,region_description\nx,a\n", "region_id,region_description\n1,\"a\n",
        "region_id,region_description\n1,\"a\"b\n", "region_id,region_description\n1,a,b\n",
    ])
    func `refuses what is malformed`(text: String) {
        #expect(throws: CoreError.self) { try rows(text) }
    }

    @Test func `names the file that is missing`() {
        #expect(throws: CoreError.self) { try NorthwindSample(csvFolder: "/nowhere") }
    }

    @Test(
        .enabled(
            if: ProcessInfo.processInfo.environment["MOORAGE_NORTHWIND"] != nil,
            "MOORAGE_NORTHWIND names no folder"))
    func `reads the real rows`() throws {
        let folder = try #require(ProcessInfo.processInfo.environment["MOORAGE_NORTHWIND"])
        let sample = try NorthwindSample(csvFolder: folder)
        #expect(sample.rowCount == 3311)
        #expect(sample["employees"].first?[0] == .integer(2), "who reports to nobody comes first")
    }
}
