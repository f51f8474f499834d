import MoorageCore

/// What a replica can see and write: rows in the scopes that its user may see. For the replica no
/// other row exists.
struct Visibility {
    let connection: any CentralConnection
    let settings: ScopeSettings
    let authorized: Set<Scope>
    let rights: UserRights

    /// Whether every row of a table is everyone's.
    private func isOpen(_ table: AttachedTable) -> Bool { settings.rules[table.name] == nil }

    /// Rows as the replica knows them, where that differs from how they are.
    func known(
        of rows: [RowKey: CentralRow], in table: AttachedTable
    ) throws -> [RowKey: CentralRow] {
        if isOpen(table) { return [:] }
        let tracked = try connection.tracked(table, keys: Array(rows.keys), in: authorized)
        var known: [RowKey: CentralRow] = [:]
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

    func isVisible(_ key: RowKey, of table: AttachedTable) throws -> Bool {
        if isOpen(table) { return true }
        return try connection.tracked(table, keys: [key], in: authorized)[key] == true
    }

    /// The operations that point to a row which the replica cannot see. They are refused as if
    /// there were no such row. Otherwise a line below another's order, or a member of another's
    /// document, would make that row visible.
    ///
    /// - Parameter central: The rows as they are. An update leaves some of their columns unchanged.
    func pointingOutside(
        _ operations: [WriteOperation], in schema: AttachedSchema, central: [RowName: CentralRow]
    ) throws -> [RefusedOperation] {
        if settings.rules.isEmpty { return [] }
        return try operations.compactMap { operation in
            for foreign in operation.table.description.foreignKeys
            where operation.columns.contains(where: foreign.columns.contains) {
                guard let parent = schema.table(named: foreign.referencedTable), !isOpen(parent),
                    let values = operation.values(
                        of: foreign,
                        in: central[RowName(table: operation.table.name, key: operation.key)]),
                    try !mayPoint(operation, values, of: foreign, to: parent, beside: operations)
                else { continue }
                let columns = foreign.columns.map { operation.table.description.columns[$0].name }
                return RefusedOperation(
                    operation: operation, refusal: Refusal.missingRow(of: parent.name, columns))
            }
            return nil
        }
    }

    /// Whether an operation may point to a row: one that the replica sees, or one that the batch
    /// makes. A row that exists already is not made by the batch: that insert is refused, and the
    /// row is another's.
    private func mayPoint(
        _ operation: WriteOperation, _ values: [Value], of foreign: ForeignKey,
        to parent: AttachedTable, beside operations: [WriteOperation]
    ) throws -> Bool {
        guard let columns = foreign.positions(in: parent.description) else { return false }
        let rows = try connection.referringRows(
            parent,
            through: ForeignKey(columns: columns, referencedTable: "", referencedColumns: []),
            to: [values])
        if rows.isEmpty {
            return operations.contains { $0.kind == .insert && operation.refers(to: $0) }
        }
        let keys = rows.map(parent.description.key(of:))
        let tracked = try connection.tracked(parent, keys: keys, in: authorized)
        return keys.allSatisfy { tracked[$0] == true }
    }

    /// The table of rows that the replica cannot see and whose reference a delete of the row
    /// changes; `nil` when there are no such rows.
    func hiddenReferrers(
        to row: [Value], of parent: AttachedTable, in schema: AttachedSchema
    ) throws -> String? {
        for child in schema.tables where !isOpen(child) {
            for foreign in child.description.foreignKeys
            where [.setNull, .setDefault].contains(foreign.onDelete)
                && foreign.referencedTable.hasSameBytes(as: parent.name)
            {
                guard let values = foreign.values(of: row, in: parent.description) else { continue }
                let keys = try connection.referringRows(child, through: foreign, to: [values])
                    .map(child.description.key(of:))
                let tracked = try connection.tracked(child, keys: keys, in: authorized)
                if keys.contains(where: { tracked[$0] != true }) { return child.name }
            }
        }
        return nil
    }

    /// Checks, inside the savepoint of the writes, that what was written is still the replica's.
    /// What its user may give away is exempt.
    ///
    /// - Parameter operations: Operations of one table and kind.
    /// - Throws: ``CentralError`` `refused` otherwise.
    func check(_ operations: [WriteOperation]) throws {
        guard let first = operations.first, !isOpen(first.table), first.kind != .delete,
            case let fixed = operations.filter({ !mayMove($0) }), !fixed.isEmpty
        else { return }
        let keys = fixed.map(\.key)
        let tracked = try connection.tracked(first.table, keys: keys, in: self.authorized)
        // An update of a row that is gone wrote nothing.
        let lost = keys.filter { tracked[$0] != true }
        if lost.isEmpty { return }
        let there = try connection.lockRows(first.table, keys: lost)
        if there.values.contains(where: { $0.values != nil }) {
            throw CentralError.refused(Refusal.mayNotWriteRow(of: first.table.name))
        }
    }

    private func mayMove(_ operation: WriteOperation) -> Bool {
        let table = operation.table.description
        return operation.kind == .update
            && rights.mayMove(table.name, by: operation.columns.map { table.columns[$0].name })
    }
}

extension WriteOperation {
    /// The values that a foreign key will have; `nil` where one is NULL.
    fileprivate func values(of foreign: ForeignKey, in row: CentralRow?) -> [Value]? {
        let values = foreign.columns.compactMap { column in
            columns.firstIndex(of: column).map { self.values[$0] } ?? row?.values?[column]
        }
        return values.count == foreign.columns.count && !values.contains(where: \.isNull)
            ? values : nil
    }
}
