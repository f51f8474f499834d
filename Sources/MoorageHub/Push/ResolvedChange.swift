import MoorageCore
import MoorageWire

/// A pushed change in the hub's own terms: its table, its normalized key, its columns as positions
/// at the hub.
struct ResolvedChange: Sendable {
    /// Its place in the batch.
    let index: Int
    let table: RequestedTable
    let key: RowKey
    /// The change with columns as positions in `table.restricted`.
    let change: Change
    /// When it was made, by the hub's clock.
    let editedAt: HubTime

    var name: RowName { RowName(table: table.attached.name, key: key) }

    /// The same row's change as the hub takes it, without some of its fills.
    func taken(as change: Change) -> ResolvedChange {
        ResolvedChange(index: index, table: table, key: key, change: change, editedAt: editedAt)
    }

    /// The same insert with another row, under that row's key.
    func inserting(_ row: [Value]) -> ResolvedChange {
        let key = table.restricted.key(of: row)
        return ResolvedChange(
            index: index, table: table, key: key,
            change: Change(
                table: change.table, key: key, operation: .insert(row),
                editedAt: change.editedAt, isAgain: change.isAgain, group: change.group),
            editedAt: editedAt)
    }
}

/// Reads a batch against the hub's tables. Before the database is asked, it refuses, one by one,
/// the changes that make no sense.
struct BatchReader {
    let schema: AttachedSchema
    let limits: HubLimits
    let times: EditTimes
    let rights: UserRights

    /// The batch as a whole does not fit the hub. The replica unprepares it, and prepares another
    /// one.
    struct NotAccepted: Error {}

    struct Read {
        /// The batch's tables, by their names there.
        let tables: ByteKeyedDictionary<RequestedTable>
        /// The changes that can be merged.
        let changes: [ResolvedChange]
        /// The refusals of the others, by their place in the batch.
        let refused: [Int: Refusal]
    }

    /// - Throws: ``NotAccepted``.
    func read(_ batch: Batch) throws -> Read {
        let bytes = batch.changes.reduce(0) { $0 + $1.byteCount }
        guard batch.changes.count <= limits.maximumBatchRows,
            bytes <= limits.maximumBatchBytes || batch.changes.count == 1
        else { throw NotAccepted() }
        var tables = ByteKeyedDictionary<RequestedTable>()
        for table in batch.tables {
            guard let known = RequestedTable(table, in: schema),
                schema.suspended[Identifier(known.attached.name)] == nil
            else {
                throw NotAccepted()
            }
            tables[table.name] = known
        }
        var changes: [ResolvedChange] = []
        var refused: [Int: Refusal] = [:]
        var seen: Set<RowName> = []
        for (index, change) in batch.changes.enumerated() {
            guard let table = tables[change.table] else { throw NotAccepted() }
            let resolved = ResolvedChange(
                index: index, table: table, key: table.restricted.key(change.key.values),
                change: rights.permitted(change, in: table),
                editedAt: times.place(change.editedAt, isAgain: change.isAgain))
            if let refusal = refusal(of: resolved) {
                refused[index] = refusal
            } else if !seen.insert(resolved.name).inserted {
                refused[index] = Refusal.changedTwice(in: change.table)
            } else {
                changes.append(resolved)
            }
        }
        return Read(tables: tables, changes: changes, refused: refused)
    }

    private func refusal(of resolved: ResolvedChange) -> Refusal? {
        let table = resolved.table.restricted
        let values = ValueCheck(limits: limits)
        guard resolved.key.values.count == table.primaryKey.count else {
            return Refusal.keyOfOtherLength(in: table.name)
        }
        if !table.direction.acceptsChanges, !resolved.change.isQuestion {
            return Refusal.tableFromHubAlone(table.name)
        }
        if let refusal = rights.refusal(of: resolved) { return refusal }
        for (column, value) in zip(table.primaryKey, resolved.key.values) {
            if value.isNull {
                return Refusal.nullKey(table.columns[column].name, of: table.name)
            }
            if let refusal = values.refusal(of: value, in: column, table) { return refusal }
        }
        switch resolved.change.operation {
        case .insert(let row):
            guard table.key(of: row) == resolved.key else {
                return Refusal.keyOfOtherRow(in: table.name)
            }
            return values.refusal(of: row.enumerated().map { ($0, $1) }, table)
        case .update(let edits):
            if let edit = edits.first(where: { table.isKey($0.column) }) {
                return Refusal.keyChanged(table.columns[edit.column].name, of: table.name)
            }
            return values.refusal(of: edits.map { ($0.column, $0.new) }, table)
        case .delete, .refetch: return nil
        }
    }
}
