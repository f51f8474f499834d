import Foundation
import Moorage
import MoorageCore
import MoorageHub
import MoorageSupport
import MoorageWire
import TestSupport
import Testing

/// The tables of `docs/reference/merge-rules.md`, cell by cell.
struct RuleMatrix {
    enum Edit: String, CaseIterable {
        case insert, same, other, delete, move
    }

    struct Cell {
        let granularity: TableRules.Granularity
        let rule: String
        let mine: Edit
        let theirs: Edit
        /// `mine`, `theirs*` and so on, or `–` where the two changes cannot meet.
        let expected: String

        var name: String { "\(granularity.rawValue) \(rule): \(mine) against \(theirs)" }
    }

    let cells: [Cell]

    struct Unreadable: Error, CustomStringConvertible {
        let description: String
    }

    init(_ document: String) throws {
        cells =
            try Self.read(document, under: "### By column", .column)
            + Self.read(document, under: "### By row", .row)
    }

    private static func read(
        _ document: String, under heading: String, _ granularity: TableRules.Granularity
    ) throws -> [Cell] {
        let lines = document.split(separator: "\n", omittingEmptySubsequences: false)
        guard let start = lines.firstIndex(where: { $0 == heading }) else {
            throw Unreadable(description: "There is no heading \(heading).")
        }
        let rows = lines[(start + 1)...].drop { !$0.hasPrefix("|") }.prefix { $0.hasPrefix("|") }
            .map { line in
                line.split(separator: "|").map {
                    $0.trimmingCharacters(in: CharacterSet(charactersIn: " `{}"))
                }
            }
        guard let head = rows.first else { throw Unreadable(description: "No table: \(heading)") }
        return try rows.dropFirst(2).flatMap { row -> [Cell] in
            guard row.count == head.count, let mine = Edit(rawValue: row[0]),
                let theirs = Edit(rawValue: row[1])
            else { throw Unreadable(description: "This is no row: \(row)") }
            return zip(head, row).dropFirst(2).map {
                Cell(
                    granularity: granularity, rule: $0, mine: mine, theirs: theirs, expected: $1)
            }
        }
    }

    static func load() throws -> RuleMatrix {
        try RuleMatrix(Repository.text("docs/reference/merge-rules.md"))
    }
}

/// One cell with its rows: before the changes, at the centre, and as the device wants them.
private struct Meeting {
    let cell: RuleMatrix.Cell
    let id: Int64
    /// The values of `a`: before, mine, theirs, and the merged one.
    let a: (start: Value, mine: Value, theirs: Value, both: Value)

    init(_ cell: RuleMatrix.Cell, id: Int64) {
        self.cell = cell
        self.id = id
        switch cell.rule {
        case "union":
            a = (.text("[10]"), .text("[10,11]"), .text("[10,15]"), .text("[10,15,11]"))
        case "text": a = (.text("10"), .text("11"), .text("15"), .text("15\n11"))
        default: a = (.integer(10), .integer(11), .integer(15), .integer(16))
        }
    }

    /// PostgreSQL reads a name without quotes as lower case.
    var table: String { "\(cell.rule.lowercased())_\(cell.granularity.rawValue)" }

    private var start: [Value] { [.integer(id), .integer(1), a.start, .integer(10)] }

    /// The row after one side's edit, or `nil` when the edit deletes it.
    private func row(_ edit: RuleMatrix.Edit, _ own: Value, _ number: Int64) -> [Value]? {
        var row = start
        switch edit {
        case .insert, .same: row[2] = own
        case .other: row[3] = .integer(number)
        case .move: row[1] = .integer(number == 11 ? 2 : 3)
        case .delete: return nil
        }
        return row
    }

    private var mine: [Value]? { row(cell.mine, a.mine, 11) }
    private var theirs: [Value]? { row(cell.theirs, a.theirs, 15) }

    private var isNew: Bool { cell.mine == .insert }

    func prepare(_ centre: any Centre) throws {
        if !isNew { try insert(start, centre) }
    }

    func beOffice(_ centre: any Centre) throws {
        if isNew, cell.theirs == .delete { try insert(start, centre) }
        if !isNew || cell.theirs == .delete {
            guard cell.theirs == .delete || cell.theirs == .insert else {
                return try set(centre)
            }
            try centre.execute("DELETE FROM \(table) WHERE id = \(id)")
        }
        if cell.theirs == .insert, let theirs { try insert(theirs, centre) }
    }

    private func set(_ centre: any Centre) throws {
        guard let theirs else { return }
        let values = zip(["parent", "a", "b"], theirs.dropFirst()).map {
            "\($0) = \(Self.literal($1))"
        }
        try centre.execute(
            "UPDATE \(table) SET \(values.joined(separator: ", ")) WHERE id = \(id)")
    }

    private func insert(_ row: [Value], _ centre: any Centre) throws {
        try centre.execute(
            "INSERT INTO \(table) VALUES (\(row.map(Self.literal).joined(separator: ", ")))")
    }

    private static func literal(_ value: Value) -> String {
        switch value {
        case .integer(let number): String(number)
        case .text(let text): "'\(text)'"
        default: "NULL"
        }
    }

    func change(at time: DeviceTime) -> Change {
        let operation: Change.Operation
        switch cell.mine {
        case .insert: operation = .insert(mine ?? [])
        case .delete: operation = .delete(before: start)
        case .same, .other, .move:
            operation = .update(
                zip(start, mine ?? start).enumerated().compactMap { column, values in
                    guard column > 0, cell.granularity == .row || values.0 != values.1 else {
                        return nil
                    }
                    return ColumnEdit(column: column, old: values.0, new: values.1)
                })
        }
        return Change(
            table: table, key: RowKey([.integer(id)]), operation: operation, editedAt: time)
    }

    // MARK: Expectations

    private var joined: [Value]? {
        guard let mine, var row = theirs else { return mine }
        for column in 1..<4 where mine[column] != start[column] { row[column] = mine[column] }
        return row
    }

    var expectedRow: [Value]? {
        switch cell.expected {
        case "mine": return mine
        case "mine*":
            return cell.granularity == .row || cell.mine == .insert
                ? mine : mine.flatMap { _ in joined }
        case "theirs*", "two*": return theirs
        case "both", "both*":
            var row = joined
            if cell.theirs == .insert || cell.theirs == .same, cell.mine == .same {
                row?[2] = a.both
            }
            return row
        default: return nil
        }
    }

    /// The second row without its key.
    var expectedBeside: [Value]? {
        guard cell.expected == "two*" else { return nil }
        return (cell.mine == .insert || cell.granularity == .row ? mine : joined).map {
            Array($0.dropFirst())
        }
    }

    func isExpected(_ outcome: Outcome.Kind) -> Bool {
        switch (cell.expected, outcome) {
        case ("mine", .applied), ("mine*", .applied), ("same", .applied): true
        case ("theirs*", .overruled), ("two*", .merged), ("both*", .merged): true
        case ("both", .applied), ("both", .merged): true
        case ("gone*", .refused(let refusal)): refusal.code == .gone
        default: false
        }
    }

    var isLogged: Bool { cell.expected.hasSuffix("*") }
}

@Suite(.ownThreads) struct `Every pair of changes` {
    private static func rules(_ cell: RuleMatrix.Cell, _ kind: CentreKind) throws -> TableRules {
        switch cell.rule {
        case "handler":
            // The handler answers at once, but its thread may start late on a busy machine.
            let handler = MergeHandler("mine", timeLimit: .seconds(60)) { _ in .mine }
            return TableRules(rule: .handler(handler), granularity: cell.granularity)
        case "sql":
            let function = kind == .sqlite ? "max" : "greatest"
            return TableRules(columns: [
                "a": .expression(RuleExpression("\(function)(mine, theirs)"))
            ])
        default:
            let rule = try #require(MergeRule(name: cell.rule))
            switch rule {
            case .newest, .server, .client, .keepBoth:
                return TableRules(rule: rule, granularity: cell.granularity)
            default: return TableRules(columns: ["a": rule])
            }
        }
    }

    @Test func `is in the tables, under every rule`() throws {
        let cells = try RuleMatrix.load().cells
        let pairs = RuleMatrix.Edit.allCases.count * RuleMatrix.Edit.allCases.count
        let rules = MergeRule.named.map(\.name) + ["handler", "sql"]
        #expect(Set(cells.filter { $0.granularity == .column }.map(\.rule)) == Set(rules))
        #expect(
            Set(cells.filter { $0.granularity == .row }.map(\.rule))
                == ["newest", "server", "client", "keepBoth", "handler"])
        #expect(Set(cells.map(\.name)).count == cells.count)
        #expect(cells.count == pairs * (rules.count + 5))
    }

    @Test(arguments: CentreKind.available)
    func `ends as the tables say`(kind: CentreKind) async throws {
        let cells = try RuleMatrix.load().cells.filter { $0.expected != "–" }
        // The hub gives new keys above all others, so rows that a device inserts have the lowest
        // keys.
        let meetings = cells.enumerated().map { index, cell in
            Meeting(cell, id: Int64(cell.mine == .insert ? index + 10 : index + 10_000))
        }
        var rules: [String: TableRules] = [:]
        var schema = [
            "CREATE TABLE parent (id INTEGER NOT NULL PRIMARY KEY)",
            "INSERT INTO parent VALUES (1), (2), (3)",
        ]
        for meeting in meetings where rules[meeting.table] == nil {
            rules[meeting.table] = try Self.rules(meeting.cell, kind)
            let type = ["union", "text"].contains(meeting.cell.rule) ? "TEXT" : "INTEGER"
            schema.append(
                """
                CREATE TABLE \(meeting.table) (
                  id INTEGER NOT NULL PRIMARY KEY, parent INTEGER REFERENCES parent(id),
                  a \(type), b INTEGER)
                """)
        }
        try await World.run(
            kind, schema: schema, configuration: HubConfiguration(rules: rules)
        ) { world in
            try await Self.play(meetings, world)
        }
    }

    private static func play(_ meetings: [Meeting], _ world: World) async throws {
        try await world.hub.checkConfiguration()
        for meeting in meetings { try meeting.prepare(world.centre) }
        for meeting in meetings { try meeting.beOffice(world.centre) }
        let outcomes = try await push(meetings, world)
        let schema = try await world.hub.schema().schema
        var rows: [String: [[Value]]] = [:]
        for table in schema.tables { rows[table.name] = try world.centre.rows(table) }
        let log = Dictionary(
            grouping: try await world.hub.conflicts(limit: 10_000), by: { "\($0.table) \($0.key)" })
        #expect(outcomes.count == meetings.count)
        for (meeting, outcome) in zip(meetings, outcomes) {
            let name = meeting.cell.name
            let own = rows[meeting.table, default: []]
            let row = own.first { $0[0] == .integer(meeting.id) }
            #expect(meeting.isExpected(outcome.kind), "\(name): \(outcome)")
            #expect(row == meeting.expectedRow, "\(name)")
            let beside = own.filter { row in !meetings.contains { row[0] == .integer($0.id) } }
            if let expected = meeting.expectedBeside {
                #expect(beside.contains { Array($0.dropFirst()) == expected }, "\(name): \(beside)")
            }
            let records = log["\(meeting.table) [\(meeting.id)]", default: []]
            #expect(records.count == (meeting.isLogged ? 1 : 0), "\(name): \(records)")
            if meeting.isLogged, meeting.cell.mine != .delete {
                #expect(
                    records.first?.mine?.contains("11") == true || meeting.cell.mine == .move,
                    "\(name)")
            }
            // A delete can lose only the row itself.
            #expect(!meeting.isLogged || records.first?.replica == replica, "\(name)")
        }
        let two = meetings.filter { $0.cell.expected == "two*" }.count
        let all = rows.values.joined().count - 3
        let known = meetings.filter { $0.expectedRow != nil }.count
        #expect(all == known + two)
    }

    private static let replica = "00000000-0000-4000-8000-000000000001"

    private static func push(_ meetings: [Meeting], _ world: World) async throws -> [Outcome] {
        let now = DeviceTime(.now)
        let names = Set(meetings.map(\.table)).sorted()
        let tables = names.map { TableColumns(name: $0, columns: ["id", "parent", "a", "b"]) }
        let batch = Batch(
            number: 1, nonce: "matrix", preparedAt: now, tables: tables,
            changes: meetings.map { $0.change(at: now - 3_600_000) })
        let request = ExchangeRequest(
            replica: replica, hub: nil, sentAt: now, tables: tables, cursor: .start,
            schemaVersion: nil, batch: batch, limits: PageLimits())
        return try await world.hub.outcomes(of: request)
    }
}
