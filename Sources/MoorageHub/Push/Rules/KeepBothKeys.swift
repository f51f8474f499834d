import MoorageCore
import MoorageWire

/// Finds keys for rows that are kept beside others (decision 0016).
struct KeepBothKeys {
    enum Place {
        /// No row has this key, and no row had it.
        case free(Value)
        /// The same row was kept before, under this key; `nil` where the key is not known or the
        /// row is gone.
        case known(Value?)
        /// There is no key left.
        case none(Refusal)
    }

    let connection: any CentralConnection

    /// - Parameters:
    ///   - mine: What the conflict log would say about the change.
    ///   - isInBatch: Whether the batch itself writes a row of this key.
    func place(
        for change: ResolvedChange, mine: String?, isInBatch: (RowKey) -> Bool
    ) throws -> Place {
        let table = change.table.attached
        let column = table.description.primaryKey[0]
        switch table.description.columns[column].type {
        case .integer:
            if change.change.isAgain, try isLogged(change, mine: mine) { return .known(nil) }
            return try next(in: table, isInBatch)
        case .uuid: return try derived(.text(Self.uuid(fingerprint(of: change))), change)
        default:
            guard case .text(let text)? = change.key.values.first else { return .known(nil) }
            return try derived(.text("\(text)~\(fingerprint(of: change).prefix(8))"), change)
        }
    }

    /// The same change always gets the same key.
    private func derived(_ value: Value, _ change: ResolvedChange) throws -> Place {
        let table = change.table.attached
        let key = table.description.key([value])
        let row = try connection.lockRows(table, keys: [key])[key]
        if row?.values != nil { return .known(value) }
        return row?.isTombstone == true ? .known(nil) : .free(value)
    }

    private func next(in table: AttachedTable, _ isInBatch: (RowKey) -> Bool) throws -> Place {
        while let number = try oneKey(of: table) {
            let value = Value.integer(number)
            if try !isUsed(table.description.key([value]), in: table, isInBatch) {
                return .free(value)
            }
        }
        return .none(Refusal.noFreeKey(in: table.name))
    }

    /// `nil` for a sequence without keys left: only this row fails then.
    private func oneKey(of table: AttachedTable) throws -> Int64? {
        try connection.savepoint()
        do {
            let keys = try KeyNumbers(connection: connection).reserve(1, of: table)
            try connection.releaseSavepoint()
            return keys?.lowerBound
        } catch let error as CentralError {
            switch error.kind {
            case .failed, .refused: break
            case .conflict, .unavailable, .invalidCheckpoint: throw error
            }
            try connection.rollbackToSavepoint()
            return nil
        }
    }

    private func isUsed(
        _ key: RowKey, in table: AttachedTable, _ isInBatch: (RowKey) -> Bool
    ) throws -> Bool {
        if isInBatch(key) { return true }
        let row = try connection.lockRows(table, keys: [key])[key]
        return row?.values != nil || row?.isTombstone == true
    }

    private func isLogged(_ change: ResolvedChange, mine: String?) throws -> Bool {
        let rows = try connection.run(
            """
            SELECT 1 FROM moorage_conflict
            WHERE table_name = ? AND row_key = ? AND rule = ? AND mine = ? LIMIT 1
            """,
            [
                .text(change.table.attached.name), .text(change.change.key.values.jsonText()),
                .text(MergeRule.keepBoth.name), mine.map(Value.text) ?? .null,
            ])
        return !rows.isEmpty
    }

    /// Covers what the replica asked for, whatever the central database has.
    private func fingerprint(of change: ResolvedChange) -> String {
        let table = change.table.restricted
        var fingerprint = Fingerprint()
        fingerprint.add(table.name.utf8)
        for value in change.key.values { fingerprint.add(value) }
        switch change.change.operation {
        case .insert(let row): fingerprint.add(table.fingerprint(of: row).utf8)
        case .update(let edits):
            // Whether a fill goes in can change until the change is offered again.
            for edit in edits where !edit.isFill {
                fingerprint.add(table.columns[edit.column].name.utf8)
                fingerprint.add(table.columns[edit.column].type.normalized(edit.new))
            }
        case .delete, .refetch: break
        }
        return fingerprint.hex
    }

    /// A UUID of version 8, made from a fingerprint.
    private static func uuid(_ fingerprint: String) -> String {
        var digits = Array(fingerprint.utf8)
        digits[12] = UInt8(ascii: "8")
        digits[16] = UInt8(ascii: "a")
        let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
        return parts.map { String(decoding: digits[$0], as: UTF8.self) }.joined(separator: "-")
    }
}
