/// How the tables of a world change. The owner and each app carry out the same changes in the same
/// order, each at a time of its own. Some apps are never updated to the end.
struct SchemaPlan {
    fileprivate enum Change {
        case add(TableModel.Column)
        case rename(String, to: String)
        case drop(String)
        /// The table is made again as it is.
        case rebuild
        /// The last table of the next version is new.
        case addTable
        case dropTable
    }

    /// The tables before each change, and after the last one.
    private var versions: [[TableModel]]
    /// Each with its table's place, before it or, for a new table, after it.
    private var changes: [(table: Int, change: Change)] = []
    private(set) var renames: [SimulatedRename] = []
    /// Whether tables come and go, too.
    private var changesTables = false
    /// How many changes the owner has carried out.
    private var central = 0
    private var isAttached = true
    /// How many changes each app has carried out, and how many it ever does.
    private var apps: [(done: Int, last: Int)] = []

    static func random(
        _ tables: [TableModel], devices: Int, seed: UInt64, _ random: inout SeededGenerator
    ) -> SchemaPlan {
        var plan = SchemaPlan(versions: [tables])
        // A choice of its own, so that the other worlds stay as they are.
        var choice = SeededGenerator(seed: seed ^ 0x5441_424C_4553)
        plan.changesTables = choice.chance(30)
        let isTold = random.chance(40)
        for number in 1...(random.pick([2, 3, 4, 5]) ?? 3) {
            plan.addChange(number, isTold: isTold, &random)
        }
        let all = plan.changes.count
        for _ in 0..<devices {
            plan.apps.append((done: 0, last: random.chance(25) ? random.below(all) : all))
        }
        return plan
    }

    private init(versions: [[TableModel]]) { self.versions = versions }

    /// Tables without anything that hinders a change: no references, no unique columns.
    static func firstTables(_ random: inout SeededGenerator) -> [TableModel] {
        let kind: TableModel.Kind = random.pick([.text, .text, .integer]) ?? .text
        var item = TableModel(
            name: "item",
            columns: [
                .init(name: "id", kind: kind, isKey: true),
                .init(name: "a", kind: .text), .init(name: "b", kind: .text),
            ])
        if random.chance(50) {
            item.columns.append(
                .init(name: "c", kind: .text, isNotNull: true, defaultSQL: "'none'"))
        }
        guard random.chance(40) else { return [item] }
        let note = TableModel(
            name: "note",
            columns: [
                .init(name: "id", kind: .text, isKey: true), .init(name: "a", kind: .text),
                .init(name: "n", kind: .integer),
            ])
        return [item, note]
    }

    // MARK: Choosing

    private mutating func addChange(
        _ number: Int, isTold: Bool, _ random: inout SeededGenerator
    ) {
        var tables = versions[versions.count - 1]
        let place = random.below(tables.count)
        if changesTables, random.chance(35) {
            return addTableChange(number, of: place, &random)
        }
        let free = tables[place].columns.filter { !$0.isKey }
        let texts = free.filter { $0.kind == .text }
        let change: Change
        switch random.below(100) {
        case 0..<45: change = .add(Self.column("d\(number)", &random))
        case 45..<75:
            // No table has one name for two columns.
            let old = random.one(of: free).name
            change = .rename(old, to: "r\(number)")
            renames.append(
                SimulatedRename(
                    table: tables[place].name, old: old, new: "r\(number)", isTold: isTold))
        case 75..<88:
            // Users need a text that they can edit.
            let rest = texts.count > 1 ? free : free.filter { $0.kind != .text }
            change = random.pick(rest).map { Change.drop($0.name) } ?? .rebuild
        default: change = .rebuild
        }
        tables[place].carryOut(change)
        changes.append((place, change))
        versions.append(tables)
    }

    /// A table comes or goes. One always stays.
    private mutating func addTableChange(
        _ number: Int, of place: Int, _ random: inout SeededGenerator
    ) {
        var tables = versions[versions.count - 1]
        if tables.count > 1, random.chance(50) {
            tables.remove(at: place)
            changes.append((place, .dropTable))
        } else {
            let kind: TableModel.Kind = random.pick([.text, .integer]) ?? .text
            let added = TableModel(
                name: "t\(number)",
                columns: [
                    .init(name: "id", kind: kind, isKey: true), .init(name: "a", kind: .text),
                    Self.column("b", &random),
                ])
            changes.append((tables.count, .addTable))
            tables.append(added)
        }
        versions.append(tables)
    }

    private static func column(
        _ name: String, _ random: inout SeededGenerator
    ) -> TableModel.Column {
        switch random.below(5) {
        case 0: .init(name: name, kind: .text, defaultSQL: "'none'")
        case 1: .init(name: name, kind: .text, isNotNull: true, defaultSQL: "'none'")
        case 2: .init(name: name, kind: .integer, defaultSQL: "5")
        default: .init(name: name, kind: .text)
        }
    }

    // MARK: What happens

    /// The tables as the owner has them now.
    var centralTables: [TableModel] { versions[central] }

    /// The tables as a device has them now.
    func tables(on device: Int) -> [TableModel] { versions[apps[device - 1].done] }

    /// What somebody changes next; mostly `nil`.
    mutating func next(at time: Int64, _ random: inout SeededGenerator) -> Step.Action? {
        guard random.chance(12) else { return nil }
        if !isAttached, random.chance(60) {
            isAttached = true
            return .attach(sql: "")
        }
        let ready = apps.indices.filter { apps[$0].done < apps[$0].last }
        if central < changes.count, ready.isEmpty || random.chance(35) {
            let sql = sql(central, .centre, at: time, &random)
            central += 1
            isAttached = random.chance(50)
            return isAttached ? .attach(sql: sql) : .alter(sql: sql)
        }
        guard let app = random.pick(ready) else { return nil }
        let sql = sql(apps[app].done, .device, at: time, &random)
        apps[app].done += 1
        return .upgrade(device: app + 1, random.chance(70) ? .replica : .bare, sql: sql)
    }

    // MARK: SQL

    /// - Parameter number: Which change it carries out, counted from 0.
    private func sql(
        _ number: Int, _ side: TableModel.Side, at time: Int64, _ random: inout SeededGenerator
    ) -> String {
        let (place, change) = changes[number]
        switch change {
        case .addTable:
            let tables = versions[number + 1]
            return tables[place].createSQL(side, all: tables)
        case .dropTable: return "DROP TABLE \(versions[number][place].name.sqlName)"
        case .add, .rename, .drop, .rebuild: break
        }
        let before = versions[number][place]
        let after = versions[number + 1][place]
        let table = before.name.sqlName
        let isRebuilt = random.chance(30)
        var parts: [String]
        switch change {
        case .add(let column) where !isRebuilt:
            parts = ["ALTER TABLE \(table) ADD COLUMN \(column.sql(side))"]
        case .rename(let old, let new) where !isRebuilt:
            parts = ["ALTER TABLE \(table) RENAME COLUMN \(old.sqlName) TO \(new.sqlName)"]
        case .drop(let name) where !isRebuilt:
            parts = ["ALTER TABLE \(table) DROP COLUMN \(name.sqlName)"]
        default:
            parts = Self.rebuild(before, as: after, change, side)
        }
        if case .add(let column) = change, column.kind == .text,
            random.chance(side == .device ? 60 : 25)
        {
            // No text that tells itself: nobody waits for it.
            let text = side == .device ? "'fill \(time)'" : "'own \(time)'"
            let rows = random.chance(30) ? " WHERE id > 'b'" : ""
            parts.append("UPDATE \(table) SET \(column.name.sqlName) = \(text)\(rows)")
        }
        return parts.joined(separator: "; ")
    }

    /// The table is made again under another name, which it gives up at the end.
    private static func rebuild(
        _ before: TableModel, as after: TableModel, _ change: Change, _ side: TableModel.Side
    ) -> [String] {
        // Nobody syncs a table of such a name.
        var made = after
        made.name = side == .centre ? "sim_rebuilt" : "local_rebuilt"
        var kept = before.columns.map { (old: $0.name, new: $0.name) }
        if case .rename(let old, let new) = change {
            kept = kept.map { $0.old == old ? (old: old, new: new) : $0 }
        }
        kept = kept.filter { pair in after.columns.contains { $0.name == pair.new } }
        let news = kept.map(\.new.sqlName).joined(separator: ", ")
        let olds = kept.map(\.old.sqlName).joined(separator: ", ")
        let table = before.name.sqlName
        return [
            made.createSQL(side, all: [made]),
            "INSERT INTO \(made.name) (\(news)) SELECT \(olds) FROM \(table)",
            "DROP TABLE \(table)", "ALTER TABLE \(made.name) RENAME TO \(table)",
        ]
    }
}

extension TableModel {
    fileprivate mutating func carryOut(_ change: SchemaPlan.Change) {
        switch change {
        case .add(let column): columns.append(column)
        case .rename(let old, let new):
            guard let place = columns.firstIndex(where: { $0.name == old }) else { return }
            columns[place].name = new
        case .drop(let name): columns.removeAll { $0.name == name }
        case .rebuild, .addTable, .dropTable: return
        }
    }
}
