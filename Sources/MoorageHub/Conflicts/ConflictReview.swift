import MoorageCore
import MoorageWire

/// Decides a logged conflict again: writes what the replica asked for, or what was there before. It
/// writes as any program does, and every replica receives the row like a change of the owner's.
struct ConflictReview {
    let connection: any CentralConnection
    let schema: AttachedSchema
    let configuration: HubConfiguration

    private var metadata: Metadata { Metadata(connection: connection) }

    /// - Parameter prefix: The conflict's id, or a beginning of it that no other conflict's id has.
    func record(id prefix: String) throws -> ConflictRecord {
        let found = try metadata.conflicts(id: prefix)
        if let record = found.first(where: { $0.id.hasSameBytes(as: prefix) }) ?? found.first,
            found.count == 1 || record.id.hasSameBytes(as: prefix), !prefix.isEmpty
        {
            return record
        }
        throw found.isEmpty
            ? HubError.noConflict(id: prefix) : HubError.severalConflicts(id: prefix)
    }

    /// Writes one side again, or dismisses the conflict. Call it inside a write transaction.
    func decide(id prefix: String, _ decision: ConflictDecision) throws -> ConflictRecord {
        var record = try record(id: prefix)
        if let earlier = record.decision {
            throw HubError.alreadyDecided(earlier.rawValue)
        }
        guard decision == .dismissed || record.hasValues else {
            throw HubError.conflictWithoutValues(of: record.table)
        }
        switch decision {
        // A refused change wrote nothing. Where the log has no row, the hub may not have read it:
        // the row that is there is theirs.
        case .theirs where record.isRefused && record.theirs == nil: break
        // Only an insert has a whole row, as far as the replica has its columns.
        case .mine: try write(record.mine, of: record, isWhole: record.base == nil)
        case .theirs: try write(record.theirs, of: record, isWhole: false)
        case .dismissed: break
        }
        let now = try connection.now()
        try metadata.set(decision, about: record.id, at: now)
        record.decision = decision
        record.decidedAt = now
        return record
    }

    /// - Parameters:
    ///   - side: Columns with values as a JSON object; `nil` for no row.
    ///   - isWhole: Whether these columns are enough for an insert, whatever other columns the
    ///     table has.
    private func write(_ side: String?, of record: ConflictRecord, isWhole: Bool) throws {
        guard let table = schema.table(named: record.table) else {
            throw HubError.conflictTableNotAttached(record.table)
        }
        if let reason = schema.suspended[Identifier(table.name)] {
            throw HubError.tableSuspended(reason)
        }
        let key = table.description.key(try [Value](jsonText: record.key))
        let row = try connection.lockRows(table, keys: [key])[key]?.values
        guard let operation = try operation(side, table, key, row, isWhole) else { return }
        // A database may accept what no device can read, such as SQLite any text as a UUID.
        if operation.kind != .delete,
            let refusal = ValueCheck(limits: configuration.limits).refusal(
                of: Array(zip(operation.columns, operation.values)), table.description)
        {
            throw HubError.decisionUnfit(refusal.code.rawValue, refusal.message)
        }
        let refused = try SetWriter(connection: connection).write([operation])
        if let refusal = refused.first?.refusal {
            throw HubError.decisionRefused(refusal.code.rawValue, refusal.message)
        }
        let time = KeyedTime(key: key, changedAt: try connection.now())
        try connection.setChangedAt(table, times: [time])
    }

    private func operation(
        _ side: String?, _ table: AttachedTable, _ key: RowKey, _ row: [Value]?, _ isWhole: Bool
    ) throws -> WriteOperation? {
        let description = table.description
        let marker = SoftDelete(configuration.rules(for: table.name), in: description)
        guard let side else {
            guard let row else { return nil }
            if let marker {
                let stored = marker.deletedValue(at: try connection.now())
                return marker.isSoftDeleted(row)
                    ? nil : update(table, key, [stored.column: stored.value])
            }
            return WriteOperation(
                change: 0, table: table, kind: .delete, key: key,
                columns: Array(description.columns.indices), values: row)
        }
        var values: [Int: Value] = [:]
        let named = try NamedValues(jsonText: side)
        for (column, value) in zip(named.columns, named.values) {
            guard let position = description.column(named: column) else {
                throw HubError.conflictColumnGone(column, from: table.name)
            }
            if !description.columns[position].isGenerated { values[position] = value }
        }
        for (position, value) in zip(description.primaryKey, key.values) {
            values[position] = row == nil ? value : nil
        }
        guard let row else {
            let isNamed = description.columns.indices.allSatisfy {
                description.columns[$0].isGenerated || values[$0] != nil
            }
            guard isNamed || isWhole else {
                throw HubError.conflictRowGone(from: table.name)
            }
            return operation(.insert, table, key, values)
        }
        // Writing a side makes a soft-deleted row live again.
        if let marker, marker.isSoftDeleted(row), values[marker.column] == nil {
            values[marker.column] = marker.clear.value
        }
        return update(
            table, key,
            values.filter { !description.columns[$0.key].type.equal(row[$0.key], $0.value) })
    }

    private func update(
        _ table: AttachedTable, _ key: RowKey, _ values: [Int: Value]
    ) -> WriteOperation? {
        values.isEmpty ? nil : operation(.update, table, key, values)
    }

    private func operation(
        _ kind: WriteOperation.Kind, _ table: AttachedTable, _ key: RowKey, _ values: [Int: Value]
    ) -> WriteOperation {
        let columns = values.keys.sorted()
        return WriteOperation(
            change: 0, table: table, kind: kind, key: key, columns: columns,
            values: columns.map { values[$0] ?? .null })
    }
}

extension ConflictRecord {
    fileprivate var isRefused: Bool { kind == Conflict.Kind.refused.rawValue }

    /// Whether the values were logged: some side of each conflict has a row.
    fileprivate var hasValues: Bool {
        base != nil || mine != nil || theirs != nil || result != nil
    }
}
