import Foundation
import MoorageCore
import MoorageHub
import MoorageTesting
import MoorageWire
import TestSupport
import Testing

/// Random histories of three users, beside an office that also writes. Some batches and cursors are
/// ones that no honest device would send. No user gets or changes what is not theirs.
@Suite(.ownThreads) struct `Scopes in random histories` {
    /// The night uses fresh seeds.
    private static let seeds: ClosedRange<UInt64> = {
        guard isNightly else { return 1...3 }
        let first = NightPlan.current.seed
        return first...first + 249
    }()

    @Test(arguments: seeds)
    func `keep every row and key from those who do not hold them`(seed: UInt64) throws {
        let world = try ScopedHistory(seed: seed)
        for _ in 0..<400 { try world.step() }
        try world.finish()
    }
}

private final class ScopedHistory {
    private let bench: HubBench
    private var random: SeededGenerator
    private let names = ["ann", "bob", "carl"]
    private var replicas: [ScriptedReplica] = []
    /// Keys that were in a scope at any time.
    private var everIn: [String: Set<RowName>] = [:]
    /// Keys that were in a scope before or while the user had it.
    private var everHeld: [String: Set<RowName>] = [:]

    private var liars: Set<String> = []
    /// Cursors that the hub made, for any user.
    private var given: [SyncCursor] = [.start]

    init(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        bench = try HubBench(schema: Scopes.schema, scopes: Scopes.settings)
        for (number, name) in names.enumerated() {
            let replica = try ScriptedReplica(bench, number + 1)
            replica.principal = Principal(subject: name, claims: ["name": [name]])
            replicas.append(replica)
        }
    }

    private func number(_ range: ClosedRange<Int64>) -> Int64 {
        Int64.random(in: range, using: &random)
    }

    private func person() -> String? {
        number(0...5) == 0 ? nil : names.randomElement(using: &random)
    }

    func step() throws {
        if number(0...1) == 0 { return try office() }
        let place = Int(number(0...2))
        try exchange(replicas[place], of: names[place])
    }

    // MARK: The office

    private func office() throws {
        let id = number(1...6)
        let person = person().map { "'\($0)'" } ?? "NULL"
        let someone = "'\(names[Int(number(0...2))])'"
        let statement =
            switch number(0...12) {
            case 0, 1: "INSERT INTO project VALUES (\(id), \(person), 'p', 'c\(number(1...9))')"
            case 2: "UPDATE project SET owner = \(person) WHERE id = \(id)"
            case 3: "DELETE FROM project WHERE id = \(id)"
            case 4: "INSERT INTO task VALUES (\(number(1...20)), \(id), 't')"
            case 5: "UPDATE task SET project = \(id) WHERE id % 5 = \(number(0...4))"
            case 6: "UPDATE task SET title = title || '.' WHERE id % 5 = \(number(0...4))"
            case 7: "INSERT INTO member VALUES (\(id), \(someone))"
            case 8: "DELETE FROM member WHERE project = \(id)"
            case 9: "REPLACE INTO project VALUES (\(id), \(person), 'r', 'c\(number(1...9))')"
            case 10:
                "REPLACE INTO member SELECT project + 1, person FROM member WHERE project = \(id)"
            case 11: "INSERT INTO memo VALUES (\(number(1...9)), 'team\(number(1...2))', 'm')"
            default:
                number(0...1) == 0
                    ? "INSERT INTO seat VALUES ('team\(number(1...2))', \(someone))"
                    : "DELETE FROM seat WHERE person = \(someone)"
            }
        // A duplicate key, or no such parent.
        do { try bench.sql(statement) } catch {
            #expect("\(error)".contains("onstraint"), "\(error)")
        }
        try remember()
    }

    // MARK: The users

    private func exchange(_ replica: ScriptedReplica, of name: String) throws {
        let before = try rows()
        let visibleBefore = try visible(to: name)
        let honest = (replica.cursor, replica.rows)
        let isForged = number(0...9) == 0
        if isForged { forge(replica) }
        var batch: Batch?
        if number(0...1) == 0 {
            batch = replica.batch((0..<number(1...4)).map { _ in change(replica) })
        }
        for change in batch?.changes ?? [] {
            // A device has the rows that it inserts.
            if case .insert(let row) = change.operation {
                replica.rows[change.table, default: [:]][change.key] = row
            }
        }
        let small = PageLimits(maximumRows: Int(number(1...20)), maximumPages: Int(number(1...4)))
        let beginnings = replica.beginnings
        let frames = try replica.exchange(batch, limits: small)
        // Only a lie makes the hub lose track of a replica.
        if isForged { liars.insert(name) }
        #expect(replica.beginnings == beginnings || liars.contains(name))
        let after = try rows()
        let visibleAfter = try visible(to: name)
        try remember()

        for (row, values) in before where !visibleBefore.contains(row) {
            #expect(after[row] == values, "\(name) changed \(row), which was not theirs")
        }
        for (row, values) in after where before[row] == nil {
            #expect(
                visibleAfter.contains(row) || gaveUp(row, values, batch, name),
                "\(name) made \(row), which is not theirs")
        }
        given += replica.pages(frames).map(\.cursor)
        for page in replica.pages(frames) {
            for table in page.tables {
                for row in table.rows {
                    let key = replica.table(table.table).key(of: row)
                    #expect(
                        visibleAfter.contains(RowName(table: table.table, key: key)),
                        "\(name) got a row of \(table.table)")
                }
            }
            for table in page.removals {
                for key in table.keys {
                    let row = RowName(table: table.table, key: key)
                    let isPushed = batch?.changes.contains { $0.rowName == row } ?? false
                    #expect(
                        isPushed || everHeld[name, default: []].contains(row),
                        """
                        \(name) got a key of \(table.table) \(isForged ? "for a forged cursor" : "") \
                        since \(page.since)
                        """)
                }
            }
        }
        for (place, outcome) in replica.outcomes(frames).enumerated() {
            guard let change = batch?.changes[place], let theirs = outcome.overruling?.theirs else {
                continue
            }
            #expect(
                theirs.isEmpty || visibleBefore.contains(change.rowName)
                    || visibleAfter.contains(change.rowName),
                "\(name) was told what \(change) lost to")
        }
        // The replica does not apply what its lies brought.
        if isForged { (replica.cursor, replica.rows) = honest }
    }

    /// Whether the batch that made the row also took the project out of its user's sight. The user
    /// could see the project when the batch began.
    private func gaveUp(_ row: RowName, _ values: [Value], _ batch: Batch?, _ name: String) -> Bool
    {
        let project: Value? =
            switch row.table {
            case "project", "member": values[0]
            case "task": values[1]
            default: nil
            }
        guard let project else { return false }
        return batch?.changes.contains { change in
            switch change.table {
            case "project": change.key == RowKey([project])
            case "member": change.key == RowKey([project, .text(name)])
            default: false
            }
        } ?? false
    }

    private func forge(_ replica: ScriptedReplica) {
        let cursor = replica.cursor
        if number(0...3) > 0 {
            // A cursor that the hub made once, for any user. A client may change what the signature
            // does not cover.
            let old = given[Int(number(0...Int64(given.count - 1)))]
            replica.cursor = number(0...1) == 0 ? old : old.breakingOff(readingAgain: "project")
            return
        }
        let claimed = (names.map { "person/\($0)" } + ["team/team1", "team/team2", "*"])
            .filter { _ in number(0...1) == 0 }.map(Scope.init)
        replica.cursor = SyncCursor(
            epoch: cursor.epoch, checkpoint: cursor.checkpoint,
            complete: cursor.complete.union(claimed),
            partial: Set(claimed.filter { _ in number(0...1) == 0 }), tables: cursor.tables,
            ahead: Set(
                (1...6).map { RowName(table: "project", key: RowKey([.integer(Int64($0))])) }),
            signature: cursor.signature)
    }

    /// Any change of any row: the device knows the row, guesses it, or makes it up.
    private func change(_ replica: ScriptedReplica) -> Change {
        let (id, other) = (Value.integer(number(1...8)), Value.integer(number(1...8)))
        let person = person().map(Value.text) ?? .null
        let name = Value.text(names[Int(number(0...2))])
        let task = Value.integer(number(1...25))
        return switch number(0...10) {
        case 0: replica.insert("project", [id, person, .text("x"), .text("c\(number(1...9))")])
        case 1: replica.update("project", id, set: ["owner": (name, person)])
        case 2: replica.update("project", id, set: ["name": (.text("p"), .text("mine"))])
        case 3: replica.delete("project", before: [id, person, .text("p"), .null])
        case 4: replica.insert("task", [task, id, .text("x")])
        case 5: replica.update("task", task, set: ["project": (other, id)])
        case 6: replica.delete("task", before: [task, id, .text("t")])
        case 7: replica.insert("member", [id, name])
        case 8: replica.delete("member", before: [id, name])
        case 9: replica.insert("memo", [id, .text("team\(number(1...2))"), .text("x")])
        default:
            replica.update("memo", id, set: ["team": (.text("team1"), .text("team2"))])
        }
    }

    // MARK: What is whose

    private func rows() throws -> [RowName: [Value]] {
        var rows: [RowName: [Value]] = [:]
        for table in ["project", "task", "member", "seat", "memo", "product"] {
            for row in try bench.rows("SELECT * FROM \(table)") {
                let key = replicas[0].table(table).key(of: row)
                rows[RowName(table: table, key: key)] = row
            }
        }
        return rows
    }

    /// What is in each scope, computed from the rules a second time.
    private func scopes() throws -> [String: Set<RowName>] {
        var scopes: [String: Set<RowName>] = [:]
        func add(_ table: String, _ scope: String, _ condition: String) throws {
            for row in try bench.rows("SELECT * FROM \(table) WHERE \(condition)") {
                let key = replicas[0].table(table).key(of: row)
                scopes[scope, default: []].insert(RowName(table: table, key: key))
            }
        }
        for name in names {
            let own = """
                (owner = '\(name)' OR EXISTS (
                  SELECT 1 FROM member m WHERE m.project = project.id AND m.person = '\(name)'))
                """
            try add("project", name, own)
            for table in ["task", "member"] {
                try add(table, name, "project IN (SELECT id FROM project WHERE \(own))")
            }
            try add("seat", name, "person = '\(name)'")
        }
        for team in ["team1", "team2"] { try add("memo", team, "team = '\(team)'") }
        try add("product", "*", "1")
        return scopes
    }

    private func authorizedScopes(of name: String) throws -> [String] {
        let teams = try bench.rows("SELECT team FROM seat WHERE person = '\(name)'")
        return ["*", name]
            + teams.compactMap { if case .text(let team) = $0[0] { team } else { nil } }
    }

    private func visible(to name: String) throws -> Set<RowName> {
        let scopes = try scopes()
        return try authorizedScopes(of: name).reduce(into: []) { $0.formUnion(scopes[$1] ?? []) }
    }

    private func remember() throws {
        everIn.merge(try scopes()) { $0.union($1) }
        for name in names {
            for scope in try authorizedScopes(of: name) {
                everHeld[name, default: []].formUnion(everIn[scope] ?? [])
            }
        }
    }

    /// At the end each user has exactly what is theirs.
    func finish() throws {
        for (replica, name) in zip(replicas, names) {
            for _ in 0..<50 {
                if replica.pages(try replica.exchange()).last?.isCaughtUp == true { break }
            }
            let held = Set(
                replica.rows.flatMap { table, rows in
                    rows.keys.map { RowName(table: table, key: $0) }
                })
            #expect(held == (try visible(to: name)), "\(name) has what is theirs")
            let central = try rows()
            for (table, rows) in replica.rows {
                for (key, row) in rows {
                    #expect(central[RowName(table: table, key: key)] == row)
                }
            }
        }
    }
}
