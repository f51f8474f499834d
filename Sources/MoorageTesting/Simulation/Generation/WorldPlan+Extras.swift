import MoorageCore

/// What some worlds have beside synced tables and plain transactions. It uses its own streams of
/// random numbers, so what users do otherwise does not change.
extension WorldPlan {
    /// Chooses what the schemas contain, before they are written.
    mutating func chooseTableExtras(seed: UInt64) {
        var random = SeededGenerator(seed: seed ^ 0x5441_424C_45)
        let referred = Set(tables.flatMap { $0.foreignKeys.map(\.parent) })
        let leaves = tables.indices.filter { !referred.contains($0) }
        if random.chance(20), let index = random.pick(leaves) { holdBackRows(of: index) }
        guard random.chance(25) else { return }
        for (index, table) in tables.enumerated() where random.chance(40) {
            // Others cannot refer to a row of an up-only table. Such a row also does not learn of
            // changes to what it refers to.
            let isAlone = leaves.contains(index) && table.foreignKeys.isEmpty
            let fitting: [TableDirection] =
                isAlone ? [.up, .down, .downReverting] : [.down, .downReverting]
            world.directions[table.name] = random.pick(fitting)
        }
    }

    /// Makes devices refuse some rows that the central database accepts: these are withheld.
    private mutating func holdBackRows(of index: Int) {
        guard !tables[index].columns.contains(where: \.isUnique) else { return }
        let check = "n <> 3"
        if let column = tables[index].columns.firstIndex(where: { $0.name == "n" }) {
            guard tables[index].columns[column].kind == .integer else { return }
            tables[index].columns[column].deviceCheck = check
        } else {
            tables[index].columns.append(
                TableModel.Column(name: "n", kind: .integer, deviceCheck: check))
        }
    }

    mutating func chooseExtras(seed: UInt64) {
        var random = SeededGenerator(seed: seed ^ 0x45_5854_5241)
        // A group that is too large for any batch stays on the device until its user reverts it.
        if random.chance(30), world.hubBatchRows >= 1000 {
            groupShare = random.pick([10, 30, 60]) ?? 30
        }
        if random.chance(30) { addLocalTable(&random) }
    }

    private mutating func addLocalTable(_ random: inout SeededGenerator) {
        // An older app may not have every table yet.
        let present = tables.filter { table in
            world.devices.allSatisfy { device in
                (device.schema ?? world.schema).contains {
                    $0.hasPrefix("CREATE TABLE \(table.name.sqlName) (")
                }
            }
        }
        guard let model = LocalTableModel.random(in: present, &random) else { return }
        localTable = model
        for index in world.devices.indices {
            world.devices[index].schema =
                (world.devices[index].schema ?? world.schema) + [model.createSQL]
        }
    }

    /// A transaction of a device's user, as a group or with a statement on the table that is not
    /// synced.
    func extended(
        _ sql: String, at time: Int64, _ random: inout SeededGenerator
    ) -> String {
        var sql = sql
        if let localTable, random.chance(25) {
            sql += "; " + localTable.statement(at: time, &random)
        }
        guard groupShare > 0, random.chance(groupShare) else { return sql }
        return
            "INSERT INTO _moorage_group DEFAULT VALUES; \(sql); DELETE FROM _moorage_group"
    }
}
