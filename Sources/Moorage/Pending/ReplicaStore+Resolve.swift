import GRDB
import MoorageCore

/// A person's decision about a conflict. Each writes a new change, or none, and takes the conflict
/// off the list in the same transaction.
extension ReplicaStore {
    /// Writes this device's values again.
    func resubmit(_ db: Database, _ change: OverruledChange) throws {
        try decide(db, change) { _ in
            Resubmitting.Wish(
                table: change.table, key: change.key, isDelete: change.kind == .delete,
                values: change.mine ?? [:], whole: change.kind == .insert ? change.mine : nil)
        }
    }

    /// Writes the values that a person entered.
    func resolve(_ db: Database, _ change: OverruledChange, with values: [String: Value]) throws {
        try decide(db, change) { table in
            for name in values.keys.sorted() {
                guard let table, let value = values[name] else { continue }
                try check(value, for: name, of: change, in: table)
            }
            return update(change, values)
        }
    }

    /// Deletes the row.
    func resolveByDeleting(_ db: Database, _ change: OverruledChange) throws {
        try decide(db, change) { _ in deletion(change) }
    }

    /// Writes what the merge left out of the other side's values.
    func keepTheirs(_ db: Database, _ change: OverruledChange) throws {
        try decide(db, change) { table in
            guard let theirs = change.theirs else {
                return change.result == nil ? nil : deletion(change)
            }
            let values = theirs.filter { name, value in
                guard let column = table?.column(onceNamed: name) else { return table == nil }
                return value != change.result?[name] && table?.description.isKey(column) == false
                    && table?.description.columns[column].isGenerated == false
            }
            return values.isEmpty ? nil : update(change, values)
        }
    }

    private func update(
        _ change: OverruledChange, _ values: [String: Value]
    ) -> Resubmitting.Wish {
        Resubmitting.Wish(
            table: change.table, key: change.key, isDelete: false, values: values, whole: nil)
    }

    private func deletion(_ change: OverruledChange) -> Resubmitting.Wish {
        Resubmitting.Wish(
            table: change.table, key: change.key, isDelete: true, values: [:], whole: nil)
    }

    private func check(
        _ value: Value, for name: String, of change: OverruledChange, in table: SyncedTable
    ) throws {
        func refuse(_ reason: String) -> ReplicaError { .cannotResubmit(change.table, reason) }
        guard let column = table.column(onceNamed: name) else {
            throw refuse(ChangeReason.noColumn(name))
        }
        let description = table.description.columns[column]
        guard !description.isGenerated, !table.description.isKey(column) else {
            throw refuse(ChangeReason.fixedColumn(name))
        }
        // SQLite stores NaN as NULL.
        if case .real(let number) = value, number.isNaN {
            throw refuse(ChangeReason.otherType(name))
        }
        guard description.type.accepts(value) else { throw refuse(ChangeReason.otherType(name)) }
    }

    /// - Parameter wish: What to write; `nil` for nothing. It gets the table unless that is
    ///   suspended.
    private func decide(
        _ db: Database, _ change: OverruledChange,
        _ wish: (SyncedTable?) throws -> Resubmitting.Wish?
    ) throws {
        try resubmitting(db, change.table) { transaction in
            let listed = "SELECT 1 FROM _moorage_overruled WHERE id = ?1"
            guard try transaction.statements(listed).exists([.integer(change.id)]) else { return }
            if let wish = try wish(transaction.tables.table(named: change.table)) {
                try Resubmitting(transaction: transaction).write(wish)
            }
            try dismissOverruled(db, id: change.id)
        }
    }
}
