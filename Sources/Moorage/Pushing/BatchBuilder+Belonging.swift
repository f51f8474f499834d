import MoorageCore
import MoorageWire

/// What goes together: a batch also takes the rows that a change needs. It matters if the log is
/// cut, or has groups.
extension BatchBuilder {
    /// Finds the rows that go with a change, if the log is cut or has groups.
    func seek(
        _ table: Int, _ operation: Change.Operation, _ stored: [StoredValueForm]?
    ) throws {
        guard isCut else { return }
        if case .delete(let before) = operation, !selectsDeletes {
            try seekFormerChildren(table, before)
        }
        guard let stored else { return }
        let synced = tables[table]
        let row = stored.enumerated().map { synced.form($0).portable($1.value) }
        if case .refetch = operation { return }
        try seekParents(table, row)
        try seekFormerHolders(table, stored)
    }

    /// Finds the new parents of a row in tables whose scan is not over yet. There are such parents
    /// in a cycle of tables, and in a table that refers to itself. A row that was taken for another
    /// one may have them, too.
    private func seekParents(_ table: Int, _ row: [Value]) throws {
        let synced = tables[table]
        for foreign in synced.description.foreignKeys {
            guard
                let parent = tables.firstIndex(where: {
                    $0.name == foreign.referencedTable
                }), parent >= firstOpen, logCounts[parent] > 0
            else { continue }
            let values = foreign.columns.map { row[$0] }
            guard !values.contains(where: \.isNull),
                let localKey = try parentKey(parent, foreign.referencedColumns, values)
            else { continue }
            belonging.append((parent, localKey))
        }
    }

    func parentKey(_ parent: Int, _ columns: [String], _ values: [Value]) throws -> LocalKey? {
        let synced = tables[parent]
        let positions = columns.compactMap { synced.description.column(named: $0) }
        guard positions.count == columns.count else { return nil }
        let local = zip(positions, values).compactMap { synced.form($0).local($1) }
        guard local.count == values.count else { return nil }
        let condition = positions.enumerated().map {
            "\(SQLText.name(synced.localName($1))) = ?\($0 + 1)"
        }.joined(separator: " AND ")
        let target = SQLText.name(synced.tracked.local.name)
        return try transaction.statements(
            "SELECT \(SQLText.names(synced.keyLocalNames)) FROM \(target) WHERE \(condition)"
        ).first(local).map { LocalKey($0.map(\.value)) }
    }

    /// Finds rows that had, before their own edit, a unique value that this row takes.
    private func seekFormerHolders(_ table: Int, _ stored: [StoredValueForm]) throws {
        let reading = reading(table)
        for places in reading.uniquePlaces {
            let values = places.compactMap { place in
                tables[table].columnOfPlace[place].map { stored[$0].value }
            }
            guard values.count == places.count, !values.contains(where: \.isNull) else { continue }
            try seekRows(table, where: places.map { "o\($0)" }, are: values)
        }
    }

    /// Takes one more row, unless the hub would refuse so large a batch.
    func selectRow(_ table: Int, _ localKey: LocalKey) throws {
        guard rows < hubLimits.maximumBatchRows, bytes < hubLimits.maximumBatchBytes else { return }
        if let number = groups?.number(table, localKey) {
            return try selectGroup(number, isNeeded: true)
        }
        let group = try group(table, localKey)
        guard !group.entries.isEmpty else { return }
        let name = tables[table].rowName(tables[table].key(localKey))
        guard !selected.contains(name) else { return }
        guard let localChange = try localChange(table, group) else { return }
        try add(table, name, group, localChange)
    }

    /// Finds rows that referred, before their own edit, to a row that is deleted. A group brings
    /// its deletes before the other tables are scanned.
    private func seekFormerChildren(_ table: Int, _ before: [Value]) throws {
        let parent = tables[table]
        for child in tables.indices where logCounts[child] > 0 {
            let synced = tables[child]
            for foreign in synced.description.foreignKeys
            where parent.name == foreign.referencedTable {
                guard let positions = foreign.positions(in: parent.description) else { continue }
                let logged = foreign.columns.compactMap { synced.logColumn($0) }
                let values = zip(foreign.columns, positions).compactMap {
                    synced.form($0).local(before[$1])
                }
                guard logged.count == positions.count, values.count == positions.count,
                    !values.contains(where: \.isNull)
                else { continue }
                try seekRows(child, where: logged, are: values)
            }
        }
    }

    /// Finds every row of the log that once had some values.
    private func seekRows(_ table: Int, where columns: [String], are values: [Value]) throws {
        let condition = columns.enumerated().map { "\($1) = ?\($0 + 1)" }
            .joined(separator: " AND ")
        try reading(table).forEachRow(where: condition, values) { localKey in
            belonging.append((table, localKey))
            return true
        }
    }
}
