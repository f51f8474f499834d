import MoorageCore

/// Rows that are deleted by a deletion marker, in some worlds. From a stream of its own: what users do in other worlds
/// stays the same.
extension WorldPlan {
    /// Gives some tables a column that marks deleted rows: before the schemas are written.
    mutating func addSoftDeletes(seed: UInt64) {
        var random = SeededGenerator(seed: seed ^ 0x4D41_524B)
        guard random.chance(15) else { return }
        for index in tables.indices where random.chance(70) {
            let kinds: [TableModel.Kind] =
                tables[index].isStrict
                ? [.integer] : [.integer, .integer, .boolean, .date, .timestamp]
            var column = TableModel.Column(
                name: "gone", kind: random.pick(kinds) ?? .integer, isDeletionMarker: true)
            if [.integer, .boolean].contains(column.kind), random.chance(30) {
                column.isNotNull = true
                column.defaultSQL = "0"
            }
            column.isMissingOnDevices = random.chance(15)
            tables[index].columns.append(column)
        }
    }

    /// Makes the marks count: once the other rules are chosen.
    mutating func chooseSoftDeletes(seed: UInt64) {
        var random = SeededGenerator(seed: seed ^ 0x534F_4654)
        for table in tables {
            guard let marker = table.columns.first(where: \.isDeletionMarker) else { continue }
            var rules = world.rules[table.name] ?? TableRules()
            rules.softDelete = marker.name
            if random.chance(35) { rules.updateOfDeleted = .resurrect }
            world.rules[table.name] = rules
        }
    }
}
