import Moorage
import MoorageCore

/// A world together with what the generator knows of it, and what comes later: migrations, columns.
struct WorldPlan {
    var world = SimulatedWorld()
    var tables: [TableModel] = []
    var laterActions: [Step.Action] = []

    static func plain(seed: UInt64) -> WorldPlan {
        var random = SeededGenerator(seed: seed)
        var plan = WorldPlan()
        plan.tables = SimulatedWorld.plainTables
        plan.world.seed = seed
        plan.world.schema = plan.tables.map { $0.createSQL(.centre, all: plan.tables) }
        plan.world.devices = [.init(), .init(), .init()]
        let rule = random.pick(MergeRule.allCases) ?? .newest
        for table in plan.tables { plan.world.rules[table.name] = TableRules(rule: rule) }
        plan.chooseLimits(&random)
        return plan
    }

    private mutating func chooseLimits(_ random: inout SeededGenerator) {
        world.pageRows = random.pick([1, 2, 5, 5000]) ?? 5000
        world.pages = random.pick([1, 3, 8]) ?? 8
        world.batchRows = random.pick([1, 4, 10, 5000]) ?? 5000
    }

    static func random(seed: UInt64, _ random: inout SeededGenerator) -> WorldPlan {
        var plan = WorldPlan()
        plan.tables = SimulatedWorld.plainTables
        plan.world.seed = seed
        plan.world.schema = plan.tables.map { $0.createSQL(.centre, all: plan.tables) }
        plan.world.devices = [.init(), .init(), .init()]
        let rule = random.pick(MergeRule.allCases) ?? .newest
        for table in plan.tables { plan.world.rules[table.name] = TableRules(rule: rule) }
        plan.chooseLimits(&random)
        return plan
    }
}
