import Foundation
import MoorageCore
import MoorageHub
import TestSupport
import Testing

@Suite(.ownThreads) struct `What a doctor concludes` {
    private func table(
        _ name: String, key: String = "id", type: ColumnType = .integer,
        refers: [(column: String, to: String)] = [], rules: TableRules = TableRules(),
        _ direction: TableDirection = .both
    ) -> TableDescription {
        let columns =
            [ColumnDescription(name: key, type: type, isNullable: false)]
            + refers.map { ColumnDescription(name: $0.column, type: type) }
        return TableDescription(
            name: name, columns: columns, primaryKey: [0],
            foreignKeys: refers.enumerated().map { place, reference in
                ForeignKey(
                    columns: [place + 1], referencedTable: reference.to, referencedColumns: ["id"])
            }
        ).travelling(direction, ruledBy: rules)
    }

    private func examination(_ tables: TableDescription...) -> Examination {
        Examination(
            tables: [], synced: tables.map { AttachedTable(number: 1, description: $0) },
            isAttached: false, attached: nil)
    }

    // MARK: Indexes

    @Test(arguments: [
        (["customer"], true, true), (["customer", "id"], true, true),
        (["id", "customer"], true, false),
        ([], true, false), (["customer"], false, false),
    ])
    func `an index serves a foreign key that it begins with`(
        columns: [String], isUsable: Bool, serves: Bool
    ) {
        let seen = examination(table("orders", refers: [("customer", "customer")]))
        let fact = IndexFact(name: "i", table: "orders", columns: columns, isUsable: isUsable)
        let found = seen.indexFindings([fact]) { name, _ in [name] }
        #expect(found.isEmpty == serves)
    }

    @Test func `an index of several columns serves a key of them in any order`() {
        let lines = TableDescription(
            name: "lines",
            columns: ["id", "a", "b", "c"].map { ColumnDescription(name: $0, type: .text) },
            primaryKey: [0],
            foreignKeys: [
                ForeignKey(
                    columns: [1, 2], referencedTable: "parts", referencedColumns: ["x", "y"])
            ])
        func isServed(_ columns: String...) -> Bool {
            examination(lines).indexFindings(
                [IndexFact(name: "i", table: "lines", columns: columns)]
            ) { name, _ in [name] }.isEmpty
        }
        #expect(isServed("b", "a"))
        #expect(isServed("a", "b", "c"))
        #expect(!isServed("a", "c", "b"))
        #expect(!isServed("a"))
    }

    @Test func `a new index gets a name that is free, and short`() {
        let long = String(repeating: "é", count: 40)
        let seen = examination(
            table("orders", refers: [("customer", "customer")]),
            table(long, refers: [("customer", "customer")]))
        let taken = [
            IndexFact(name: "orders_customer_idx", table: "orders", columns: ["id"]),
            IndexFact(name: "orders_customer_idx2", table: "orders", columns: []),
        ]
        let names = seen.indexFindings(taken) { name, _ in [name] }.flatMap(\.repair.statements)
        #expect(names.first == "orders_customer_idx3")
        #expect(names.allSatisfy { $0.utf8.count < 63 })
    }

    // MARK: Keys

    @Test func `a sequence that gives out a key that is there is behind`() {
        func codes(_ highest: Int64?, next: Int64?) -> [Finding.Code] {
            KeyFact(table: "t", column: "id", highest: highest, capacity: .max, next: next)
                .findings(widen: [], advance: ["x"]).map(\.code)
        }
        #expect(codes(5, next: 6) == [])
        #expect(codes(5, next: 5) == [.sequenceBehind])
        #expect(codes(nil, next: 1) == [])
        #expect(codes(5, next: nil) == [])
    }

    @Test func `a key is told of once half of its numbers are used`() {
        func codes(_ highest: Int64, next: Int64? = nil, capacity: Int64 = 100) -> [Finding.Code] {
            KeyFact(table: "t", column: "id", highest: highest, capacity: capacity, next: next)
                .findings(widen: ["x"], advance: []).map(\.code)
        }
        #expect(codes(50) == [])
        #expect(codes(51) == [.keyRunsOut])
        // Numbers that were given out and not used are gone, too.
        #expect(codes(10, next: 60) == [.keyRunsOut])
        #expect(codes(.max - 1, capacity: .max) == [])
    }

    // MARK: Triggers

    @Test func `a trigger that writes what devices send may double it`() throws {
        let product = table("product")
        func message(_ written: [String], _ table: TableDescription) -> String? {
            TriggerFact(
                name: "take", table: "sale", changesRow: false, written: written, drop: "DROP"
            ).finding(synced: [table])?.message
        }
        #expect(message(["PRODUCT"], product)?.contains("twice") == true)
        #expect(message(["other"], product) == nil)
        let down = table("product", .down)
        let told = try #require(message(["product"], down))
        #expect(!told.contains("twice"))
    }

    // MARK: Moorage's own

    private func trigger(
        _ sql: String, firing: OwnObject.Firing = .usual
    ) throws -> OwnObject {
        let object = try #require(OwnObject(creating: SQLWords(sql)))
        return OwnObject(
            object.kind, object.name, on: object.place, definition: object.definition,
            firing: firing)
    }

    @Test func `names of schemas, quotes and spaces make no other trigger`() throws {
        let wanted = try trigger(
            "CREATE OR REPLACE TRIGGER \"moorage_a\" AFTER INSERT ON public.\"t\" EXECUTE FUNCTION public.f()"
        )
        let found = try trigger(
            "CREATE TRIGGER moorage_a\n AFTER INSERT ON t EXECUTE FUNCTION f()")
        #expect(OwnObject.findings(expected: [wanted], found: [found], of: "t") == [])
    }

    @Test func `what is missing, disabled or altered is told apart`() throws {
        let wanted = try trigger("CREATE TRIGGER moorage_a AFTER INSERT ON t BEGIN SELECT 'x'; END")
        func codes(_ found: [OwnObject], isExact: Bool = true) -> [Finding.Code] {
            OwnObject.findings(expected: [wanted], found: found, of: "t", isExact: isExact)
                .map(\.code)
        }
        #expect(codes([wanted]) == [])
        #expect(codes([]) == [.ownTriggerMissing])
        let elsewhere = try trigger(
            "CREATE TRIGGER moorage_a AFTER INSERT ON u BEGIN SELECT 'x'; END")
        #expect(codes([elsewhere]) == [.ownTriggerMissing])
        let other = try trigger("CREATE TRIGGER moorage_a AFTER INSERT ON t BEGIN SELECT 'X'; END")
        #expect(codes([other]) == [.ownTriggerAltered])
        #expect(codes([other], isExact: false) == [])
        let disabled = OwnObject(
            .trigger, wanted.name, on: wanted.place, definition: wanted.definition, firing: .never)
        #expect(codes([disabled]) == [.ownTriggerDisabled])
        // One that always fires does what the usual one does; not the other way round.
        let always = OwnObject(
            .trigger, wanted.name, on: wanted.place, definition: wanted.definition, firing: .always)
        #expect(codes([always]) == [])
        let findings = OwnObject.findings(expected: [always], found: [wanted], of: "t")
        #expect(findings.map(\.code) == [.ownTriggerAltered])
    }

    @Test(arguments: ["UTC", "Etc/UTC", "+00:00"])
    func `a server at UTC needs no word about zones`(zone: String) {
        let seen = examination(
            TableDescription(
                name: "visit",
                columns: [
                    ColumnDescription(name: "id", type: .integer),
                    ColumnDescription(name: "at", type: .timestamp(fractionDigits: 6)),
                ], primaryKey: [0]))
        #expect(seen.timeZoneFindings(zone: zone) { _, _ in nil } == [])
        let elsewhere = seen.timeZoneFindings(zone: "CET") { "\($0).\($1.name)" }
        #expect(elsewhere.map(\.repair) == [.sql(["-- visit.at"])])
    }

    /// What a stranger wrote may end anywhere.
    @Test(arguments: ["", "'", "CREATE", "CREATE TRIGGER", "CREATE TABLE \"a", "CREATE INDEX a ON"])
    func `half a statement makes no object, or one, and no trap`(sql: String) {
        let object = OwnObject(creating: SQLWords(sql))
        #expect(object == nil || sql.hasPrefix("CREATE "))
    }

    // MARK: The page

    @Test func `docs/reference/doctor.md lists every code once`() throws {
        let text = try Repository.text("docs/reference/doctor.md")
        let listed = text.split(separator: "\n").compactMap { line -> String? in
            guard line.hasPrefix("| `") else { return nil }
            return line.dropFirst(3).split(separator: "`").first.map(String.init)
        }
        #expect(listed == Finding.Code.all.map(\.name))
        #expect(Set(listed).count == listed.count)
    }
}
