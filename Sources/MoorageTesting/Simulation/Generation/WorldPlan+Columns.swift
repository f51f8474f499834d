import MoorageCore
import MoorageHub

/// Columns that do not travel like the others, and rights to single columns, in some worlds. From a stream of
/// its own: what users do stays the same.
extension WorldPlan {
    mutating func chooseColumns(seed: UInt64) {
        var random = SeededGenerator(seed: seed ^ 0x43_4F4C_554D)
        if random.chance(15) {
            for table in tables where random.chance(70) { filterColumns(of: table, &random) }
        }
        guard random.chance(50) else { return }
        for (table, rights) in world.rights.sorted(by: { $0.key < $1.key }) {
            guard let model = tables.first(where: { $0.name == table }) else { continue }
            let columns = model.columns(on: .centre).filter { !$0.isKey }.map(\.name)
            for person in rights.keys.sorted() where random.chance(50) {
                world.rights[table]?[person]?.columns = Set(
                    columns.filter { _ in random.chance(70) })
            }
        }
    }

    private mutating func filterColumns(
        of table: TableModel, _ random: inout SeededGenerator
    ) {
        var settings = ColumnSettings()
        for column in table.columns where !column.isKey && column.foreignKey == nil {
            guard !column.isMissingAtCentre, !column.isUnique, !column.isArea else { continue }
            let kind = random.below(10)
            if kind < 3, !column.isDeletionMarker {
                settings.hidden.insert(column.name)
            } else if kind < 5 {
                settings.downOnly.insert(column.name)
            } else {
                continue
            }
            // The hub takes no rule for what no device writes.
            world.rules[table.name]?.columns[column.name] = nil
        }
        if settings != ColumnSettings() { world.columns[table.name] = settings }
    }
}
