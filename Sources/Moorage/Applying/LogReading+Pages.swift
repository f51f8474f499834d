import MoorageCore
import SQLiteSupport

/// Rows that pages write or remove.
extension LogReading {
    /// A row before its removal, with what local tables may refer to; `nil` when there is no such
    /// row.
    ///
    /// - Parameter columns: See ``LocalReferences/columns(referencedIn:)``.
    func removedRow(localKey: LocalKey, columns: [String]) throws -> RemovedRow? {
        let names = columns.isEmpty ? "1" : SQLText.names(columns)
        let statement = try statements("SELECT \(names) FROM \(target) WHERE \(isRow)")
        guard
            let row = try run(
                statement, localKey: localKey, { try $0.row() }, isFound: { $0 != nil })
        else { return nil }
        var values: [Identifier: Value] = [:]
        for (name, form) in zip(columns, row) { values[Identifier(folding: name)] = form.value }
        return RemovedRow(table: table.tracked.local.name, values: values)
    }

    /// Forgets that the row waits for a copy of its table: the hub has named it.
    func confirm(localKey: LocalKey) throws {
        try statements(
            "DELETE FROM \(SQLText.name(table.tracked.unconfirmedTable)) WHERE \(isKey)"
        ).run(localKey.values)
    }

    /// Records that the row's foreign keys must be checked.
    ///
    /// - Parameter keepsFirst: Keeps what was recorded for the row before.
    func recordChange(localKey: LocalKey, isGone: Bool, keepsFirst: Bool = false) throws {
        try statements(
            """
            INSERT OR \(keepsFirst ? "IGNORE" : "REPLACE") INTO \(SQLText.name(table.tracked.changedTable))\
            (\(keys.joined(separator: ", ")), gone) \
            VALUES(\(SQLText.parameters(localKey.values.count + 1)))
            """
        ).run(localKey.values + [.integer(isGone ? 1 : 0)])
    }
}
