import MoorageCore

/// Describes a refusal in terms of the row, where the database uses names of its own.
extension PushWork {
    /// For up to this many refused changes of a batch the hub reads the rows in the way.
    static let mostReasons = 200

    /// - Parameters:
    ///   - failed: Everything that was refused, by row.
    ///   - mayQuery: Whether to read the rows in the way.
    func naming(
        _ failure: RefusedOperation, among failed: [RowName: Refusal], mayQuery: Bool
    ) throws -> Refusal {
        let (operation, refusal) = (failure.operation, failure.refusal)
        guard operation.kind != .delete else { return refusal }
        switch refusal.code {
        case .foreignKey:
            if let cause = refusedParent(of: operation, among: failed) { return cause }
            return mayQuery ? try querying(refusal) { try missingParent(of: operation) } : refusal
        case .unique where mayQuery:
            return try querying(refusal) { try takenValues(of: operation) }
        default: return refusal
        }
    }

    /// What the query finds, or else what the database said.
    private func querying(_ refusal: Refusal, _ query: () throws -> Refusal?) throws -> Refusal {
        try connection.savepoint()
        do {
            let found = try query()
            try connection.releaseSavepoint()
            return found ?? refusal
        } catch let error as CentralError {
            // A query cannot search for a value that is not of its column's type.
            guard case .refused = error.kind else { throw error }
            try connection.rollbackToSavepoint()
            return refusal
        }
    }

    /// The reason for a child whose parent was refused.
    private func refusedParent(
        of operation: WriteOperation, among failed: [RowName: Refusal]
    ) -> Refusal? {
        for foreign in operation.table.description.foreignKeys {
            guard let parent = state.attached.table(named: foreign.referencedTable)?.description,
                foreign.referencedColumns.count == parent.primaryKey.count,
                zip(foreign.referencedColumns, parent.primaryKey).allSatisfy({
                    $0.hasSameBytes(as: parent.columns[$1].name)
                })
            else { continue }
            let values = foreign.columns.compactMap { operation.values(of: $0) }
            guard values.count == foreign.columns.count,
                let cause = failed[RowName(table: parent.name, key: parent.key(values))]
            else { continue }
            return Refusal.parentRefused(of: parent.name, cause.code)
        }
        return nil
    }

    private func missingParent(of operation: WriteOperation) throws -> Refusal? {
        let table = operation.table.description
        for foreign in table.foreignKeys
        where foreign.columns.contains(where: operation.columns.contains) {
            guard let parent = state.attached.table(named: foreign.referencedTable),
                let places = foreign.positions(in: parent.description),
                let values = wanted(foreign.columns, by: operation),
                try rows(of: parent, places, values).isEmpty
            else { continue }
            return Refusal.missingRow(
                of: parent.name, foreign.columns.map { table.columns[$0].name })
        }
        return nil
    }

    private func takenValues(of operation: WriteOperation) throws -> Refusal? {
        let table = operation.table.description
        for key in table.uniqueKeys where key.contains(where: operation.columns.contains) {
            guard let values = wanted(key, by: operation),
                try rows(of: operation.table, key, values).contains(where: {
                    table.key(of: $0) != operation.key
                })
            else { continue }
            return Refusal.valuesTaken(in: table.name, key.map { table.columns[$0].name })
        }
        return nil
    }

    /// The values that the row would have in these columns; `nil` where one is NULL or not known.
    private func wanted(_ columns: [Int], by operation: WriteOperation) -> [Value]? {
        let row = central[RowName(table: operation.table.name, key: operation.key)]?.values
        let values = columns.compactMap { operation.values(of: $0) ?? row?[$0] }
        return values.count == columns.count && !values.contains(where: \.isNull) ? values : nil
    }

    private func rows(
        of table: AttachedTable, _ columns: [Int], _ values: [Value]
    ) throws -> [[Value]] {
        try connection.referringRows(
            table,
            through: ForeignKey(columns: columns, referencedTable: "", referencedColumns: []),
            to: [values])
    }
}
