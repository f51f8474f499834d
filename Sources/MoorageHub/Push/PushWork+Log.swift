import MoorageCore
import MoorageWire

/// Outcomes of changes that were refused or lost, and the owner's log of them.
extension PushWork {
    mutating func record(_ mergeResult: MergeResult, _ change: ResolvedChange) {
        outcomes[change.index] = Outcome(kind: mergeResult.outcome)
        guard let conflict = mergeResult.conflict else { return }
        var refusal: Refusal?
        if case .refused(let reason) = mergeResult.outcome { refusal = reason }
        log(
            change.change, at: change.index, change.table.restricted, editedAt: change.editedAt,
            conflict,
            refusal)
    }

    mutating func refuse(
        _ change: Change, at index: Int, _ refusal: Refusal, editedAt: HubTime
    ) {
        outcomes[index] = Outcome(kind: .refused(refusal))
        guard let table = tables[change.table] else { return }
        var base: [StoredValue]?
        var mine: [StoredValue]?
        switch change.operation {
        case .insert(let row): mine = row.enumerated().map { StoredValue(column: $0, value: $1) }
        case .update(let edits):
            base = edits.map { StoredValue(column: $0.column, value: $0.old) }
            mine = edits.map { StoredValue(column: $0.column, value: $0.new) }
        case .delete(let before):
            base = before.enumerated().map { StoredValue(column: $0, value: $1) }
        // A refetch asks for nothing that could be lost.
        case .refetch: return
        }
        let name = RowName(table: table.attached.name, key: table.restricted.key(change.key.values))
        let theirs = central[name]?.values.map(table.restrict)?.enumerated().map {
            StoredValue(column: $0, value: $1)
        }
        log(
            change, at: index, table.restricted, editedAt: editedAt,
            Conflict(
                kind: .refused, rule: nil, base: base, mine: mine, theirs: theirs, result: theirs),
            refusal)
    }

    /// Logs a row that went with its parent, and that the replica did not delete itself.
    mutating func logCascade(
        _ row: [Value], of table: AttachedTable, _ change: ResolvedChange
    ) {
        let gone = Change(
            table: table.name, key: table.description.key(of: row), operation: .refetch,
            editedAt: change.change.editedAt)
        log(
            gone, at: change.index, table.description, editedAt: change.editedAt,
            Conflict(
                kind: .deleteUpdate, rule: configuration.rules(for: table.name).deleteRule,
                base: nil, mine: nil,
                theirs: row.enumerated().map { StoredValue(column: $0, value: $1) }, result: nil))
    }

    /// Hexadecimal digits that no other batch has, even if two replicas choose the same nonce.
    var batchName: String {
        var fingerprint = Fingerprint()
        fingerprint.add(replica.utf8)
        fingerprint.add(UInt64(bitPattern: batch.number))
        fingerprint.add(batch.nonce.utf8)
        return fingerprint.hex
    }

    mutating func log(
        _ change: Change, at index: Int, _ table: TableDescription, editedAt: HubTime,
        _ conflict: Conflict,
        _ refusal: Refusal? = nil
    ) {
        recordOverruling(conflict, change, at: index, table)
        // The owner's log names the row that exists. The replica's outcome reads as if there were
        // no such row.
        let name = RowName(table: table.name, key: table.key(change.key.values))
        let standing = hidden[name].map { row in
            row.enumerated().map { StoredValue(column: $0, value: $1) }
        }
        let theirs = standing ?? conflict.theirs
        let result = standing ?? conflict.result
        conflicts.append(
            ConflictRecord(
                id: "\(batchName)-\(index)-\(conflicts.count)", replica: replica,
                batch: batch.number,
                table: table.name, key: change.key.values.jsonText(), kind: conflict.kind.rawValue,
                rule: conflict.rule?.name, base: conflict.base?.jsonText(table),
                mine: conflict.mine?.jsonText(table), theirs: theirs?.jsonText(table),
                result: result?.jsonText(table), reasonCode: refusal?.code.rawValue,
                reason: refusal?.message, editedAt: editedAt, loggedAt: now))
    }

    /// Records what a change lost to, with columns as the replica counts them.
    private mutating func recordOverruling(
        _ conflict: Conflict, _ change: Change, at index: Int, _ table: TableDescription
    ) {
        guard change.rowName == batch.changes[index].rowName,
            let own = tables[change.table]?.restricted
        else { return }
        func counted(_ values: [StoredValue]?) -> [StoredValue]? {
            values?.compactMap { stored in
                own.column(named: table.columns[stored.column].name)
                    .map { StoredValue(column: $0, value: stored.value) }
            }
        }
        overrulings[index] = Overruling(
            rule: conflict.rule?.name, theirs: counted(conflict.theirs),
            result: counted(conflict.result))
    }
}
