import Moorage
import MoorageCore

/// A world with what the generator knows of it, and with later actions: migrations and new columns.
struct WorldPlan {
    var world = SimulatedWorld()
    var tables: [TableModel] = []
    /// Actions that happen in this order, at some time.
    private var laterActions: [Step.Action] = []
    /// Columns, by table, that a device's version of the app does not have yet.
    private var hidden: [Int: [String: Set<String>]] = [:]
    /// A column that everyone has in the end.
    private var laterColumn: (table: Int, column: TableModel.Column)?
    /// How many of a hundred transactions on devices are groups.
    var groupShare = 0
    /// A table of the apps that is not synced.
    var localTable: LocalTableModel?
    /// Which rows belong to whom, in a world with scopes.
    var scopes: ScopeModel?
    /// In how many of a hundred steps an app subscribes to an area, or ends that.
    var subscribing = 0
    /// In how many of a hundred steps another user signs in, and in how many of a thousand a device
    /// is wiped.
    var signIns = 0
    var wipes = 0
    /// How the tables change on both sides, in a migrating world.
    var schemas: SchemaPlan?

    /// The next of the later actions.
    mutating func nextLater() -> Step.Action? {
        guard !laterActions.isEmpty else { return nil }
        let action = laterActions.removeFirst()
        if case .migrate(let device, _) = action { hidden[device] = nil }
        if laterActions.isEmpty, let later = laterColumn {
            tables[later.table].columns.append(later.column)
            laterColumn = nil
        }
        return action
    }

    /// The tables as a device has them now.
    func tables(on device: Int) -> [TableModel] {
        if let schemas { return schemas.tables(on: device) }
        guard let hidden = hidden[device] else { return tables }
        return tables.map { table in
            var table = table
            table.columns.removeAll { hidden[table.name]?.contains($0.name) ?? false }
            return table
        }
    }

    /// The tables as the owner has them now.
    var centralTables: [TableModel] { schemas?.centralTables ?? tables }

    static func plain(seed: UInt64) -> WorldPlan {
        var random = SeededGenerator(seed: seed)
        var plan = WorldPlan()
        plan.tables = SimulatedWorld.plainTables
        plan.world.seed = seed
        plan.world.devices = [.init(), .init(), .init()]
        let rule = random.pick(MergeRule.deciding) ?? .newest
        for table in plan.tables { plan.world.rules[table.name] = TableRules(rule: rule) }
        plan.writeSchemas()
        plan.chooseLimits(&random)
        return plan
    }

    /// Another world with each seed. One in four has the plain tables, whose histories are short.
    static func random(
        seed: UInt64, lowered: Int = 10, _ random: inout SeededGenerator
    ) -> WorldPlan {
        var plan = WorldPlan()
        plan.world.seed = seed
        if random.chance(25) {
            plan.tables = SimulatedWorld.plainTables
        } else {
            let count = random.pick([1, 2, 2, 3, 3, 4, 5]) ?? 3
            plan.tables = (0..<count).map {
                TableModel.random(number: $0, of: count, lowered: lowered, &random)
            }
            for index in plan.tables.indices {
                plan.tables[index].addForeignKeys(number: index, in: plan.tables, &random)
            }
        }
        if random.chance(30) {
            plan.world.retentionHours = random.pick([1, 6, 24]) ?? 24
            plan.world.retentionSteps = random.pick([1, 2, 5]) ?? 2
        }
        plan.chooseRules(&random)
        plan.chooseLimits(&random)
        plan.chooseDevices(&random)
        plan.chooseTableExtras(seed: seed)
        plan.chooseScopes(seed: seed)
        plan.chooseSubscriptions(seed: seed)
        plan.addSoftDeletes(seed: seed)
        plan.numberTables(seed: seed)
        plan.writeSchemas()
        if random.chance(30) { plan.makeOlder(&random) }
        if random.chance(30) { plan.fillFirst(&random) }
        if random.chance(20) { plan.addColumnLater(&random) }
        plan.chooseHardware(seed: seed)
        plan.chooseCombiningRules(seed: seed)
        plan.chooseOwnersRules(seed: seed)
        plan.chooseExtras(seed: seed)
        plan.chooseUsers(seed: seed)
        plan.chooseSoftDeletes(seed: seed)
        plan.chooseKeyBlocks(seed: seed)
        plan.chooseColumns(seed: seed)
        return plan
    }

    /// A random world with very small pages and batches.
    static func narrow(seed: UInt64, _ random: inout SeededGenerator) -> WorldPlan {
        var plan = WorldPlan.random(seed: seed, &random)
        plan.world.pageRows = random.pick([1, 2, 3]) ?? 1
        plan.world.pages = random.pick([1, 1, 2]) ?? 1
        plan.world.batchRows = random.pick([1, 2, 4]) ?? 1
        return plan
    }

    /// A random world in which the hub often forgets soon, and the central database often changes
    /// what devices push.
    static func contended(seed: UInt64, _ random: inout SeededGenerator) -> WorldPlan {
        var plan = WorldPlan.random(seed: seed, lowered: 40, &random)
        if random.chance(50) {
            plan.world.retentionHours = 1
            plan.world.retentionSteps = 1
        }
        return plan
    }

    /// A world whose owner and apps change their tables in the middle of everything.
    static func migrating(seed: UInt64, _ random: inout SeededGenerator) -> WorldPlan {
        var plan = WorldPlan()
        plan.world.seed = seed
        plan.tables = SchemaPlan.firstTables(&random)
        // A rule that names a column would outlive it.
        for table in plan.tables {
            plan.world.rules[table.name] = TableRules(
                rule: random.pick(MergeRule.deciding) ?? .newest)
        }
        plan.chooseLimits(&random)
        plan.chooseDevices(&random)
        plan.writeSchemas()
        for row in 0..<random.below(8) {
            plan.world.rows.append(plan.insert(.centre, number: row, &random))
        }
        plan.chooseHardware(seed: seed)
        let schemas = SchemaPlan.random(
            plan.tables, devices: plan.world.devices.count, seed: seed, &random)
        plan.world.renames = schemas.renames
        plan.schemas = schemas
        return plan
    }

    // MARK: Choices

    private mutating func chooseLimits(_ random: inout SeededGenerator) {
        world.pageRows = random.pick([1, 2, 5, 5000]) ?? 5000
        world.pages = random.pick([1, 3, 8]) ?? 8
        world.batchRows = random.pick([1, 4, 10, 5000]) ?? 5000
    }

    /// Chooses disks and the hub's batch limit. It uses its own stream of random numbers, so what
    /// users do does not change.
    private mutating func chooseHardware(seed: UInt64) {
        var random = SeededGenerator(seed: seed ^ 0x44_4953_4B)
        if random.chance(15) { world.hubBatchRows = random.pick([1, 3, 7]) ?? 3 }
        guard random.chance(25) else { return }
        for index in world.devices.indices {
            world.devices[index].journal = random.pick([.log, .rollback]) ?? .log
        }
    }

    private mutating func chooseRules(_ random: inout SeededGenerator) {
        let everywhere = random.chance(50) ? random.pick(MergeRule.deciding) : nil
        for table in tables {
            guard let rule = everywhere ?? random.pick(MergeRule.deciding) else { continue }
            var columns: [String: MergeRule] = [:]
            for column in table.columns where !column.isKey && random.chance(15) {
                let rule = random.pick(MergeRule.deciding)
                // The hub knows only its own columns.
                if !column.isMissingAtCentre { columns[column.name] = rule }
            }
            world.rules[table.name] = TableRules(rule: rule, columns: columns)
        }
    }

    /// Chooses rules that combine two values into one, or keep two rows. It uses its own stream of
    /// random numbers, so what users do does not change.
    private mutating func chooseCombiningRules(seed: UInt64) {
        var random = SeededGenerator(seed: seed ^ 0x52_554C_45)
        guard random.chance(30) else { return }
        for table in tables where random.chance(60) {
            var rules = world.rules[table.name] ?? TableRules()
            if table.canKeepBoth, random.chance(25) {
                world.rules[table.name] = TableRules(rule: .keepBoth)
                continue
            }
            for column in table.columns
            where !column.isKey && !column.isMissingAtCentre && !column.isDeletionMarker {
                let fitting: [MergeRule] =
                    switch column.kind {
                    case .text where column.foreignKey == nil && !column.isArea: [.text, .union]
                    case .integer where column.foreignKey == nil && !column.isUnique:
                        [.add, .add, .max, .min]
                    case .real: [.max, .min, .add]
                    default: []
                    }
                if random.chance(60), let rule = random.pick(fitting) {
                    rules.columns[column.name] = rule
                }
            }
            world.rules[table.name] = rules
        }
    }

    /// Chooses rules of the owner's own, and tables that merge by whole rows. It uses its own
    /// stream of random numbers.
    private mutating func chooseOwnersRules(seed: UInt64) {
        var random = SeededGenerator(seed: seed ^ 0x4F_574E)
        guard random.chance(25) else { return }
        for table in tables where random.chance(60) {
            guard var rules = world.rules[table.name], rules.rule != .keepBoth else { continue }
            switch random.below(3) {
            case 0:
                world.rules[table.name] = TableRules(
                    rule: random.chance(30)
                        ? random.pick(OwnersRule.handlers)?.rule ?? rules.rule : rules.rule,
                    granularity: .row)
                continue
            case 1: rules.rule = random.pick(OwnersRule.handlers)?.rule ?? rules.rule
            default: break
            }
            for column in table.columns where !column.isKey && !column.isMissingAtCentre {
                guard random.chance(40), let own = random.pick(OwnersRule.allCases) else {
                    continue
                }
                rules.columns[column.name] = own.rule
            }
            world.rules[table.name] = rules
        }
    }

    private mutating func chooseDevices(_ random: inout SeededGenerator) {
        let count = random.pick([1, 2, 2, 3, 3, 4]) ?? 2
        world.devices = (0..<count).map { _ in
            var device = SimulatedWorld.Device()
            let day: Int64 = 86_400_000
            device.clockOffset =
                random.pick([0, 0, 0, 1500, -1500, day, -day, 365 * day, -365 * day]) ?? 0
            device.clockDrift = random.pick([0, 0, 0, 200, -200, 50_000]) ?? 0
            return device
        }
    }

    // MARK: SQL

    private mutating func writeSchemas() {
        world.schema = tables.map { $0.createSQL(.centre, all: tables) }
        world.centralOnly = tables.flatMap(\.loweringTriggers) + (scopes?.tablesSQL ?? [])
        if let scopes { world.rows += scopes.firstRows }
        let device = tables.map { $0.createSQL(.device, all: tables) }
        guard device != world.schema else { return }
        for index in world.devices.indices { world.devices[index].schema = device }
    }

    /// Gives one device an older version of the app, without some columns or without a table. A
    /// later action updates it.
    private mutating func makeOlder(_ random: inout SeededGenerator) {
        let number = Int.random(in: 1...world.devices.count, using: &random)
        let referred = Set(tables.flatMap { $0.foreignKeys.map(\.parent) })
        let leaves = tables.indices.filter { !referred.contains($0) }
        var missing: Int?
        if tables.count > 1, random.chance(40) { missing = random.pick(leaves) }
        var later: [String] = []
        var schema: [String] = []
        for (index, table) in tables.enumerated() {
            let full = table.createSQL(.device, all: tables)
            if index == missing {
                later.append(full)
                continue
            }
            let young = table.columns(on: .device).filter {
                !$0.isKey && $0.foreignKey == nil && !$0.isUnique && !$0.isArea
                    && (!$0.isNotNull || $0.defaultSQL != nil) && random.chance(40)
            }
            let names = Set(young.map(\.name))
            hidden[number, default: [:]][table.name] = names
            schema.append(table.createSQL(.device, all: tables, hidden: names))
            later += young.map {
                "ALTER TABLE \(table.name.sqlName) ADD COLUMN \($0.sql(.device))"
            }
        }
        guard !later.isEmpty else { return }
        world.devices[number - 1].schema = schema
        laterActions.append(.migrate(device: number, sql: later.joined(separator: "; ")))
    }

    /// Adds rows to the central database and to devices before anyone syncs.
    private mutating func fillFirst(_ random: inout SeededGenerator) {
        let count = Int.random(in: 1...12, using: &random)
        for row in 0..<count where random.chance(70) {
            world.rows.append(insert(.centre, number: row, &random))
        }
        for index in world.devices.indices where random.chance(50) {
            world.devices[index].firstContact = random.chance(60) ? .upload : .replace
            let rows = (0..<Int.random(in: 1...8, using: &random)).map {
                insert(.device, number: 1000 * (index + 1) + $0, &random)
            }
            world.devices[index].rows = rows
        }
    }

    private func insert(
        _ side: TableModel.Side, number: Int, _ random: inout SeededGenerator
    ) -> String {
        var writing = StatementGenerator(
            tables: tables, swarm: .insertsOnly, side: side, at: 0, from: number * 10)
        return writing.transaction(&random)
    }

    /// Adds a column later: the owner adds it and attaches again, before or after the apps'
    /// migrations.
    private mutating func addColumnLater(_ random: inout SeededGenerator) {
        guard let index = tables.indices.randomElement(using: &random) else { return }
        let table = tables[index]
        laterColumn = (index, TableModel.Column(name: "later", kind: .text))
        let sql = "ALTER TABLE \(table.name.sqlName) ADD COLUMN later TEXT"
        let isCentreFirst = random.chance(60)
        let apps = world.devices.indices.map { Step.Action.migrate(device: $0 + 1, sql: sql) }
        let centre = Step.Action.attach(sql: sql)
        laterActions += isCentreFirst ? [centre] + apps : apps + [centre]
    }
}
