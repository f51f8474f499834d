import MoorageCore
import MoorageTesting
import MoorageWire
import TestSupport
import Testing

@testable import MoorageHub

/// What the schema answer tells tools.
@Suite(.ownThreads) struct `Details of the schema` {
    private static let schema = """
        CREATE TABLE item (
          id TEXT NOT NULL PRIMARY KEY, state VARCHAR(9) CHECK (state IN ('open', 'closed')),
          salary INTEGER CHECK (salary IN ('low', 'high')), photo TEXT,
          price DECIMAL(10,2) CHECK (price >= 0), CHECK (price < Salary));
        CREATE INDEX a ON item (state, price); CREATE INDEX b ON item (salary);
        CREATE INDEX c ON item (price, salary); CREATE INDEX d ON item (price) WHERE salary > 1;
        """

    private static let item = Identifier("item")

    /// A connection whose database says these details, or fails.
    private final class Describing: ForwardingConnection {
        private let found: [CentralTableDetails]?

        init(_ base: any CentralConnection, _ found: [CentralTableDetails]?) {
            self.found = found
            super.init(base)
        }

        override func details(of tables: [String]) throws -> [CentralTableDetails] {
            guard let found else {
                throw CentralError(.failed, "The role may not read the comments (42501).")
            }
            return found
        }
    }

    private func answer(
        _ found: [CentralTableDetails]?, columns: [String: ColumnSettings] = [:],
        lines: LogLines = LogLines()
    ) throws -> SchemaAnswer {
        try HubBench(
            schema: Self.schema, columns: columns, logger: lines.logger,
            lending: { Describing($0, found) }
        ).hub.currentSchema()
    }

    @Test func `are what the owner wrote`() throws {
        let answer = try HubBench(schema: Self.schema).hub.currentSchema()
        #expect(
            answer.details == [
                Self.item: TableDetails(
                    checks: [
                        "state IN ('open', 'closed')", "salary IN ('low', 'high')", "price >= 0",
                        "price < Salary",
                    ], indexes: [[1, 4], [2], [4, 2]],
                    columns: [
                        0: ColumnDetails(original: "TEXT"),
                        1: ColumnDetails(original: "VARCHAR(9)", labels: ["open", "closed"]),
                        // A label is a text, and this column has integers.
                        2: ColumnDetails(original: "INTEGER"), 3: ColumnDetails(original: "TEXT"),
                        4: ColumnDetails(original: "DECIMAL(10,2)"),
                    ])
            ])
    }

    @Test func `tell nothing of a hidden column`() throws {
        let answer = try HubBench(
            schema: Self.schema, columns: ["item": ColumnSettings(hidden: ["salary"])]
        ).hub.currentSchema()
        let item = try #require(answer.details[Self.item])
        #expect(item.checks == ["state IN ('open', 'closed')", "price >= 0"])
        #expect(item.indexes == [[1, 3]])
        #expect(item.columns.count == 4)
        let text = String(decoding: answer.encoded(), as: UTF8.self).lowercased()
        #expect(!text.contains("salary") && !text.contains("high"))
    }

    @Test(arguments: [
        ("pay", "(PAY > 0)"), ("Pay", "pay > 0"), ("p\"y", "\"p\"\"y\" > 0"), ("p`y", "`p``y` > 0"),
        ("GEHALT Ä", "\"gehalt ä\" > 0"), ("pay", "f(item.pay)"), ("pay", "state <> 'pay'"),
        ("\"", "state <> ''"), ("pay", #"state in (_utf8mb4\'pay\')"#),
    ])
    func `tell no check in which a hidden column may be named`(name: String, check: String) {
        let table = TableDescription(
            name: "item", columns: [ColumnDescription(name: "state", type: .text)], primaryKey: [0])
        func told(_ columns: [String], _ settings: ColumnSettings) -> [String] {
            let central = CentralTableDetails(
                name: "item", checks: [check],
                columns: columns.map { CentralColumnDetails(name: $0, type: "text") })
            return TableDetails(of: table, as: central, settings: settings).checks
        }
        #expect(told(["state", "other"], ColumnSettings()) == [check])
        #expect(told(["state", name], ColumnSettings()) == [])
        // Even where a connector does not list it.
        #expect(told(["state"], ColumnSettings(hidden: [name])) == [])
    }

    @Test func `have labels of a hidden column's check in no other column`() throws {
        let answer = try answer(
            [
                CentralTableDetails(
                    name: "item", checks: ["STATE IN ('a')", "state IN ('salary')"],
                    columns: [
                        CentralColumnDetails(name: "salary", type: "mood", labels: ["low"]),
                        CentralColumnDetails(name: "photo", type: "mood", labels: ["x", "y"]),
                    ])
            ], columns: ["item": ColumnSettings(hidden: ["salary"])])
        let columns = try #require(answer.details[Self.item]).columns
        #expect(
            columns == [
                1: ColumnDetails(labels: ["a"]),
                2: ColumnDetails(original: "mood", labels: ["x", "y"]),
            ])
    }

    @Test func `leave out what is too long or too much`() throws {
        let (fits, long) = (
            String(repeating: "c", count: 2_000), String(repeating: "c", count: 2_001)
        )
        func table(_ text: String, _ count: Int, labels: [String]) -> CentralTableDetails {
            CentralTableDetails(
                name: "item", comment: text,
                checks: [text] + (0..<count).map { "price > \($0)" },
                indexes: Array(repeating: ["price"], count: count),
                columns: [
                    CentralColumnDetails(name: "photo", type: text, comment: text, labels: labels)
                ])
        }
        let labels = (0..<1_000).map { "\($0)" }
        let whole = try #require(answer([table(fits, 199, labels: labels)]).details[Self.item])
        #expect(whole.comment == fits && whole.checks.count == 200 && whole.checks[0] == fits)
        #expect(whole.indexes.count == 199)
        #expect(
            whole.columns == [3: ColumnDetails(original: fits, comment: fits, labels: labels)])
        let much = try answer([table(long, 300, labels: labels + ["more"])])
        let cut = try #require(much.details[Self.item])
        #expect(cut.comment == nil && cut.checks.count == 200 && cut.checks[0] == "price > 0")
        #expect(cut.indexes.count == 200 && cut.columns.isEmpty)
        // A device that reads the answer has the same limits.
        #expect(try SchemaAnswer(decoding: much.encoded()) == much)
    }

    @Test func `leave out indexes with a column twice or with none`() throws {
        let answer = try answer([
            CentralTableDetails(
                name: "item", indexes: [["price", "price"], [], ["state"], ["nothing"]])
        ])
        #expect(answer.details[Self.item]?.indexes == [[1]])
    }

    @Test func `change nothing of the schema's version`() throws {
        let answers = try ["one", "another"].map { comment in
            try answer([CentralTableDetails(name: "item", comment: comment)])
        }
        #expect(answers.map { $0.details[Self.item]?.comment } == ["one", "another"])
        let plain = try answer([])
        #expect(plain.details.isEmpty)
        for answer in answers {
            #expect(answer.schema.version == plain.schema.version)
            let read = try SchemaAnswer(decoding: answer.encoded())
            #expect(read == answer && read.schema.version == plain.schema.version)
        }
    }

    @Test func `are missing where the database does not give them`() throws {
        let lines = LogLines()
        let answer = try answer(
            nil, columns: ["item": ColumnSettings(files: ["photo"])], lines: lines)
        #expect(answer.schema.tables.map(\.name) == ["item"])
        // The configuration says this.
        #expect(
            answer.details == [Self.item: TableDetails(columns: [3: ColumnDetails(isFile: true)])])
        #expect(lines.all.contains { $0.hasPrefix("warning") && $0.contains("42501") })
    }

    @Test func `of other tables are not told`() throws {
        let answer = try answer([CentralTableDetails(name: "payroll", comment: "secret")])
        #expect(answer.details.isEmpty)
    }
}
