import Foundation
import GRDB
import Moorage
import MoorageCore
@testable import MoorageRESTHub
import MoorageSupport

/// A random history of two devices and other clients of one API, from a seed. Each written value is
/// unlike all others, so a value that vanished shows.
final class APIHistory {
    private var random: SplitMix64
    private let api: FakeAPI
    private var devices: [Device] = []
    private var made = 0
    /// Every value that anybody wrote.
    private(set) var written: Set<String> = []
    /// Values that somebody replaced, or whose row somebody deleted, after having seen them.
    private(set) var replaced: Set<String> = []
    private(set) var steps: [String] = []
    private let changesMeanwhile: Bool

    static let columns = [
        "todo": ["title", "note"], "person": ["name"], "order": ["customer"], "line": ["product"],
    ]
    static let models: [any Uploadable.Type] = [Todo.self, Person.self, Order.self]

    init(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        func one<Choice>(_ choices: [Choice]) -> Choice {
            choices.randomElement(using: &random)!
        }
        let way = one(FakeCollection.ways)
        let hasETags = Bool.random(using: &random)
        let honoursKeys = Bool.random(using: &random)
        let answersRows = Bool.random(using: &random)
        let lost: RESTSettings.LostAnswers =
            honoursKeys && Bool.random(using: &random) ? .idempotencyKey : .lookUp
        let rule = one([RESTConflictRule.mine, .theirs, .byColumn(), .byColumn(else: .mine)])
        let batch = one([nil, RESTBatch(path: "batch", maximum: 3)])
        let inserts = one([RESTSettings.Inserts.post, .put])
        // From 1 on, ids of the server are often those that a device chose, too.
        let firstID = one([1, 100])
        func collection(_ configure: (inout FakeCollection) -> Void = { _ in }) -> FakeCollection {
            FakeCollection {
                $0.listing = way.1
                $0.hasETags = hasETags
                $0.hasListETag = honoursKeys
                $0.answersRows = answersRows
                configure(&$0)
            }
        }
        api = FakeAPI([
            "todos": collection(),
            "people": collection {
                $0.makesIDs = true
                $0.nextID = firstID
            },
            "orders": collection(),
        ])
        api.state.withLock { $0.honoursKeys = honoursKeys }
        // Without versions, what comes between reading and writing is overwritten.
        changesMeanwhile = hasETags
        self.random = random
        let settings = RESTSettings(
            inserts: inserts, fetching: way.0, conflicts: rule, lostAnswers: lost, batch: batch)
        steps.append("\(way.0.way), \(rule.rules.rule), \(lost), etags: \(hasETags)")
        var (person, order) = (settings, settings)
        person.ids = .server
        person.inserts = .post
        order.children = [.embedded(Line.self, as: "lines", conflicts: rule)]
        var limits = RESTLimits()
        limits.maximumChanges = 4
        devices = try await Settings.$todo.withValue(settings) {
            try await Settings.$person.withValue(person) {
                try await Settings.$order.withValue(order) {
                    [
                        try await Device(api, Self.models, limits: limits),
                        try await Device(api, Self.models, limits: limits),
                    ]
                }
            }
        }
    }

    private func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

    private func token(_ who: String) -> String {
        made += 1
        let token = "\(who)\(made)"
        written.insert(token)
        return token
    }

    // MARK: Steps

    func run(steps count: Int) async throws {
        for _ in 0..<count {
            let device = below(devices.count)
            switch below(10) {
            case 0..<4: try await edit(device)
            case 4..<6: changeAtServer()
            case 6: try await devices[device].reopen()
            default: try await sync(device)
            }
        }
        api.breaking(nil)
        api.state.withLock { $0.before = nil }
        // What one device sends, the other one fetches.
        for _ in 0..<3 {
            for device in devices {
                _ = api.takeLog()
                try await device.catchUp()
                steps.append("  " + api.takeLog().joined(separator: ", "))
            }
        }
    }

    private func edit(_ number: Int) async throws {
        let device = devices[number]
        let table = ["todo", "person", "order", "line"][below(4)]
        let keys = try await device.rows("SELECT id FROM \"\(table)\" ORDER BY id")
        let choice = keys.isEmpty ? 0 : below(4)
        let new = token("d\(number)-")
        switch choice {
        case 0: try await insert(table, new, device)
        case 1:
            try await delete(table, keys[below(keys.count)], device)
            written.remove(new)
        default:
            let column = Self.columns[table]![below(Self.columns[table]!.count)]
            let key = keys[below(keys.count)]
            replaced.formUnion(
                try await device.rows("SELECT \(column) FROM \"\(table)\" WHERE id = '\(key)'"))
            try await device.execute(
                "UPDATE \"\(table)\" SET \(column) = '\(new)' WHERE id = '\(key)'")
            steps.append("device \(number) sets \(table) \(key) \(column) to \(new)")
        }
    }

    private func insert(_ table: String, _ new: String, _ device: Device) async throws {
        let id = "\(new)-id"
        switch table {
        case "todo":
            try await device.execute("INSERT INTO todo(id, title) VALUES ('\(id)', '\(new)')")
        case "person":
            let people = try await device.rows("SELECT id FROM person ORDER BY id")
            let boss = people.isEmpty ? "NULL" : people[below(people.count)]
            try await device.execute("INSERT INTO person(name, boss) VALUES ('\(new)', \(boss))")
        case "order": try await device.execute("INSERT INTO \"order\" VALUES ('\(id)', '\(new)')")
        default:
            let orders = try await device.rows("SELECT id FROM \"order\" ORDER BY id")
            guard !orders.isEmpty else {
                written.remove(new)
                return
            }
            try await device.execute(
                "INSERT INTO line VALUES ('\(id)', '\(orders[below(orders.count)])', '\(new)', 1)")
        }
        steps.append("a device inserts \(table) \(new)")
    }

    private func delete(_ table: String, _ key: String, _ device: Device) async throws {
        if table == "person" {
            // Others may refer to it.
            let staff = try await device.rows("SELECT id FROM person WHERE boss = \(key)")
            guard staff.isEmpty else { return }
        }
        for column in Self.columns[table]! {
            replaced.formUnion(
                try await device.rows("SELECT \(column) FROM \"\(table)\" WHERE id = '\(key)'"))
        }
        if table == "order" {
            replaced.formUnion(
                try await device.rows("SELECT product FROM line WHERE orderId = '\(key)'"))
        }
        try await device.execute("DELETE FROM \"\(table)\" WHERE id = '\(key)'")
        steps.append("a device deletes \(table) \(key)")
    }

    /// Another client writes.
    private func changeAtServer() {
        let path = ["todos", "people", "orders"][below(3)]
        let rows = api.rows(path)
        let ids = rows.keys.sorted()
        let new = token("s-")
        let member = ["todos": "title", "people": "name", "orders": "customer"][path]!
        guard !ids.isEmpty, below(4) > 0 else {
            var id = "\"\(new)-id\""
            if path == "people" {
                api.change(path) {
                    id = "\($0.nextID)"
                    $0.nextID += 1
                }
            }
            let rest = ["todos": #","done":false"#, "people": "", "orders": #","lines":[]"#][path]!
            api.put(path, #"{"id":\#(id),"\#(member)":"\#(new)"\#(rest)}"#)
            steps.append("others insert \(path) \(new)")
            return
        }
        let id = ids[below(ids.count)]
        let row = JSON(rows[id]!)
        if below(4) == 0 {
            written.remove(new)
            // The API keeps no reference to nothing.
            if path == "people", rows.values.contains(where: { $0.contains("\"boss\":\(id),") }) {
                return
            }
            replaced.formUnion(Self.values(row))
            api.delete(path, id)
            steps.append("others delete \(path) \(id)")
        } else if path == "orders", case .array(let lines)? = row["lines"], !lines.isEmpty,
            below(2) == 0
        {
            var lines = lines
            let place = below(lines.count)
            replaced.insert(lines[place]["product"]?.plain ?? "")
            lines[place] = lines[place].with("product", .string(new))
            api.put(path, row.with("lines", .array(lines)).canonical)
            steps.append("others set a line of \(id) to \(new)")
        } else {
            replaced.insert(row[member]?.plain ?? "")
            api.put(path, row.with(member, .string(new)).canonical)
            steps.append("others set \(path) \(id) to \(new)")
        }
    }

    private func sync(_ number: Int) async throws {
        let device = devices[number]
        let (broken, kind, change) = (below(8), below(6), below(20))
        let commit = below(3) == 0 ? below(12) : -1
        let count = Counter(broken)
        let running = Locked<Task<Void, any Error>?>(nil)
        api.breaking { _ in
            guard count.next() == 0 else { return nil }
            switch kind {
            case 0: return .lost
            case 1, 2: return .answerLost
            case 3: return .status(503)
            case 4: return .status(429, headers: ["Retry-After": "1"])
            default:
                running.withLock { $0?.cancel() }
                return nil
            }
        }
        let meanwhile = Counter(change)
        let isDue = Locked(false)
        api.state.withLock {
            $0.before = { if meanwhile.next() == 0 { isDue.withLock { $0 = true } } }
        }
        let replica = device.replica
        _ = api.takeLog()
        let task = Task { _ = try await replica.sync() }
        running.withLock { $0 = task }
        steps.append("device \(number) syncs: \(broken) \(kind) \(commit)")
        let end = EndAtCommit(commit)
        if commit >= 0 { device.database.add(transactionObserver: end) }
        do { try await task.value } catch { steps.append("  \(error)") }
        device.database.remove(transactionObserver: end)
        // The process ended before that commit, and the app starts again.
        if end.hasEnded { try await device.reopen() }
        steps.append("  " + api.takeLog().joined(separator: ", "))
        if changesMeanwhile, isDue.withLock({ $0 }) { changeAtServer() }
    }

    // MARK: The oracle

    private static func values(_ row: JSON) -> Set<String> {
        guard case .object(let members) = row else { return [] }
        return members.reduce(into: []) { result, member in
            switch member.value {
            case .array(let elements):
                for element in elements { result.formUnion(values(element)) }
            default: if let text = member.value.plain { result.insert(text) }
            }
        }
    }

    /// What is wrong at the end.
    func problems() async throws -> [String] {
        var problems: [String] = []
        var present: Set<String> = []
        for path in ["todos", "people", "orders"] {
            for row in api.rows(path).values {
                let values = Self.values(JSON(row))
                // A row that was sent twice has its values twice.
                problems += values.intersection(present).intersection(written).map { "\($0) twice" }
                present.formUnion(values)
            }
        }
        var listed: Set<String> = []
        for (number, device) in devices.enumerated() {
            if !device.replica.status.isCaughtUp { problems.append("device \(number) waits") }
            for change in try await device.refused {
                for values in [change.after, change.row ?? [:], change.before] {
                    listed.formUnion(values.values.compactMap(\.plain))
                }
            }
            for change in try await device.conflicts {
                for values in [change.mine, change.theirs, change.base, change.result] {
                    listed.formUnion((values ?? [:]).values.compactMap(\.plain))
                }
            }
            problems += try await differences(device).map { "device \(number): \($0)" }
        }
        let lost = written.subtracting(present).subtracting(replaced).subtracting(listed)
        problems += lost.sorted().map { "\($0) vanished" }
        return problems
    }

    private func differences(_ device: Device) async throws -> [String] {
        var here: Set<String> = []
        for row in try await device.rows("SELECT id, title, done, note FROM todo") {
            here.insert("todo \(row)")
        }
        for row in try await device.rows("SELECT id, name, boss FROM person") {
            here.insert("person \(row)")
        }
        for row in try await device.rows("SELECT id, customer FROM \"order\"") {
            here.insert("order \(row)")
        }
        for row in try await device.rows("SELECT id, orderId, product, count FROM line") {
            here.insert("line \(row)")
        }
        var there: Set<String> = []
        func text(_ row: JSON, _ members: [String]) -> String {
            members.map { name in
                switch row[name] {
                case .bool(let flag)?: flag ? "1" : "0"
                case let value?: value.plain ?? "-"
                case nil: "-"
                }
            }.joined(separator: " ")
        }
        for row in api.rows("todos").values.map({ JSON($0) }) {
            there.insert("todo " + text(row, ["id", "title", "done", "note"]))
        }
        for row in api.rows("people").values.map({ JSON($0) }) {
            there.insert("person " + text(row, ["id", "name", "boss"]))
        }
        for row in api.rows("orders").values.map({ JSON($0) }) {
            there.insert("order " + text(row, ["id", "customer"]))
            guard case .array(let lines)? = row["lines"] else { continue }
            for line in lines {
                there.insert(
                    "line "
                        + text(
                            line.with("orderId", row["id"] ?? .null),
                            ["id", "orderId", "product", "count"]))
            }
        }
        return here.subtracting(there).sorted().map { "only here: \($0)" }
            + there.subtracting(here).sorted().map { "only there: \($0)" }
    }
}

extension Value {
    var plain: String? { if case .text(let text) = self { text } else { nil } }
}
