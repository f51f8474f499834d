import MoorageCore

/// Tells which of a push's writes the database may have stored differently. The hub reads only
/// those again, to tell the replica.
struct StoredValues {
    /// The columns that keep every value as written, by table number; empty where anything may have
    /// changed.
    private let exact: [Int: Set<Int>]

    /// - Parameter written: All that the push has written. A trigger on one table may change rows
    ///   of another, and so may the actions of foreign keys.
    init(_ written: [WriteOperation], on connection: any CentralConnection) throws {
        guard !written.contains(where: \.mayHaveActions) else {
            exact = [:]
            return
        }
        var exact: [Int: Set<Int>] = [:]
        for operation in written where exact[operation.table.number] == nil {
            guard let columns = try connection.columnsStoredAsWritten(operation.table) else {
                self.exact = [:]
                return
            }
            exact[operation.table.number] = columns
        }
        self.exact = exact
    }

    func mayDiffer(_ operation: WriteOperation) -> Bool {
        guard let columns = exact[operation.table.number] else { return true }
        return !operation.columns.allSatisfy(columns.contains)
    }
}

extension WriteOperation {
    /// Whether the actions of foreign keys that refer to the row may change other rows.
    fileprivate var mayHaveActions: Bool {
        switch kind {
        case .insert: false
        case .delete: true
        case .update:
            columns.contains { column in
                table.description.isKey(column)
                    || table.description.uniqueKeys.contains { $0.contains(column) }
            }
        }
    }
}

extension Change {
    /// Whether an update names columns that it does not change. It does where rows are merged
    /// whole.
    var namesMoreThanItChanges: Bool {
        guard case .update(let edits) = operation else { return false }
        return edits.contains { !$0.isChange }
    }
}
