import MoorageCore
import MoorageWire

/// Columns of an insert that its user may not set: the database fills them.
extension PushWork {
    /// The columns that were asked for and not written, as the replica counts columns.
    func leftOut(_ operation: WriteOperation, _ change: ResolvedChange) -> [Int] {
        let table = change.table
        guard operation.kind == .insert, case .insert(let row) = change.change.operation,
            operation.columns.count < table.restricted.columns.count
        else { return [] }
        return table.restricted.columns.indices.filter {
            !row[$0].isNull && !table.restricted.columns[$0].isGenerated
                && !operation.columns.contains(table.columns[$0])
        }
    }

    /// Logs what was asked for where the database has another value: nothing else keeps it.
    ///
    /// - Parameter row: The row as it is stored.
    /// - Returns: The values that are stored there.
    mutating func logLeftOut(
        _ operation: WriteOperation, _ row: [Value], _ change: ResolvedChange
    ) -> [StoredValue] {
        guard case .insert(let pushed) = change.change.operation else { return [] }
        let table = change.table
        let lost = leftOut(operation, change).filter {
            !table.restricted.columns[$0].type.equal(row[table.columns[$0]], pushed[$0])
        }
        if lost.isEmpty { return [] }
        let stored = lost.map { StoredValue(column: $0, value: row[table.columns[$0]]) }
        let names = lost.map { table.restricted.columns[$0].name }
        log(
            change.change, at: change.index, table.restricted, editedAt: change.editedAt,
            Conflict(
                kind: .refused, rule: nil,
                // The base says that this is a part of a row, which nobody can insert again.
                base: lost.map { StoredValue(column: $0, value: .null) },
                mine: lost.map { StoredValue(column: $0, value: pushed[$0]) }, theirs: stored,
                result: stored),
            Refusal.mayNotSet(names, of: table.attached.name))
        return stored
    }
}
