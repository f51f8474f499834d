import MoorageCore

/// Tables whose keys the hub hands out in blocks, in some worlds. From a stream of its own: what users do in
/// other worlds stays the same.
extension WorldPlan {
    /// Has SQLite choose the keys of some tables: before the schemas are written.
    mutating func numberTables(seed: UInt64) {
        var random = SeededGenerator(seed: seed ^ 0x4E_554D_4245)
        guard random.chance(25) else { return }
        for index in tables.indices where tables[index].keys.count == 1 {
            guard let key = tables[index].columns.firstIndex(where: \.isKey),
                tables[index].columns[key].kind == .integer, random.chance(80)
            else { continue }
            tables[index].columns[key].isNumbered = true
            tables[index].columns[key].isSequenced = random.chance(60)
            tables[index].isWithoutRowID = false
        }
    }

    /// Has the hub hand out those keys: once the other rules are chosen.
    mutating func chooseKeyBlocks(seed: UInt64) {
        var random = SeededGenerator(seed: seed ^ 0x42_4C4F_434B)
        for table in tables where table.isNumbered {
            var rules = world.rules[table.name] ?? TableRules()
            // Small blocks run out, and two rows of one key are both kept.
            rules.keyBlock = random.pick([200, 1000, 1000, 3]) ?? 1000
            world.rules[table.name] = rules
            // What was there before the hub would have keys of nobody's.
            for device in world.devices.indices {
                world.devices[device].rows.removeAll {
                    $0.contains("INTO \(table.name.sqlName) (")
                }
            }
        }
    }
}
