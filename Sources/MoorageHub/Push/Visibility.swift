import MoorageCore

/// What a replica can see and write: rows in the scopes that its user holds. Every other row is to it as
/// if it did not exist.
struct Visibility {
    let connection: any CentralConnection
    let settings: ScopeSettings
    let held: Set<Scope>

    /// Whether every row of a table is everyone's.
    private func isOpen(_ table: AttachedTable) -> Bool { settings.rules[table.name] == nil }

    /// Rows as the replica knows them, where that is otherwise than they are.
    func known(of rows: [Key: CentralRow], in table: AttachedTable) throws -> [Key: CentralRow] {
        if isOpen(table) { return [:] }
        let tracked = try connection.tracked(table, keys: Array(rows.keys), in: held)
        var known: [Key: CentralRow] = [:]
        for (key, row) in rows {
            switch tracked[key] {
            case true: break
            // It was deleted, or is somebody else's now: both look the same.
            case false:
                known[key] = CentralRow(values: nil, changedAt: row.changedAt, isTombstone: true)
            case nil: known[key] = .absent
            }
        }
        return known
    }

    func isVisible(_ key: Key, of table: AttachedTable) throws -> Bool {
        if isOpen(table) { return true }
        return try connection.tracked(table, keys: [key], in: held)[key] == true
    }

    /// Sees that what was written is still the replica's, inside the savepoint in which it was.
    ///
    /// - Throws: ``CentralError`` `refused` otherwise.
    func check(_ written: [WrittenRows]) throws {
        for rows in written where !isOpen(rows.table) && !rows.written.isEmpty {
            let tracked = try connection.tracked(rows.table, keys: rows.written, in: held)
            // An update of a row that is gone wrote nothing.
            let lost = rows.written.filter { tracked[$0] != true }
            if lost.isEmpty { continue }
            let there = try connection.lockRows(rows.table, keys: lost)
            guard there.values.contains(where: { $0.values != nil }) else { continue }
            let refusal = Self.refusal(in: rows.table.name)
            throw CentralError(.refused(refusal), refusal.message)
        }
    }

    static func refusal(in table: String) -> Refusal {
        Refusal(
            code: .permission,
            message: "This row of \(table) is not within what its user may write.")
    }
}
