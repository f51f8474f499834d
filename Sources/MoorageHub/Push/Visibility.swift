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

    /// The operations that point to a row which the replica cannot see, as if there were no such row: with
    /// a line below another's order, or as a member of another's document, it would come to see it.
    ///
    /// - Parameter central: The rows as they stand, of which an update leaves columns as they are.
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
                let refusal = Refusal(
                    code: .foreignKey,
                    message: "The row of \(parent.name) that it refers to does not exist.")
                return RefusedOperation(operation: operation, refusal: refusal)
            }
            return nil
        }
    }

    /// To a row that the replica sees, or to one that the batch makes. Not to one that the batch would make
    /// if it were not there already: that insert is refused, and the row is another's.
    private func mayPoint(
        _ operation: WriteOperation, _ values: [Value], of foreign: ForeignKey,
        to parent: AttachedTable, beside operations: [WriteOperation]
    ) throws -> Bool {
        let columns = foreign.referencedColumns.compactMap { parent.description.column(named: $0) }
        guard columns.count == values.count else { return false }
        let rows = try connection.referringRows(
            parent,
            through: ForeignKey(columns: columns, referencedTable: "", referencedColumns: []),
            to: [values])
        if rows.isEmpty {
            return operations.contains { $0.kind == .insert && operation.refers(to: $0) }
        }
        let keys = rows.map(parent.description.key(of:))
        let tracked = try connection.tracked(parent, keys: keys, in: held)
        return keys.allSatisfy { tracked[$0] == true }
    }

    /// Whether rows that the replica cannot see refer to a row by keys that a delete changes.
    func hasHiddenReferrers(
        to row: [Value], of parent: AttachedTable, in schema: AttachedSchema
    ) throws -> String? {
        for child in schema.tables where !isOpen(child) {
            for foreign in child.description.foreignKeys
            where [.setNull, .setDefault].contains(foreign.onDelete)
                && foreign.referencedTable.hasSameBytes(as: parent.name)
            {
                let values = foreign.referencedColumns.compactMap {
                    parent.description.column(named: $0)
                }.map { row[$0] }
                guard values.count == foreign.columns.count, !values.contains(where: \.isNull)
                else { continue }
                let keys = try connection.referringRows(child, through: foreign, to: [values])
                    .map(child.description.key(of:))
                let tracked = try connection.tracked(child, keys: keys, in: held)
                if keys.contains(where: { tracked[$0] != true }) { return child.name }
            }
        }
        return nil
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
