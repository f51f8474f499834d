import MoorageCore
import MoorageWire
import SQLiteSupport

/// Checks that a local table can take the hub's rows, and the hub the table's. Each difference is a
/// typed error that names table and column and says what to do.
struct TableChecks {
    let table: TrackedTable
    let hub: SchemaDescription
    /// The tracked tables by the hub's names.
    let tracked: [TrackedTable]
    /// Every table in the replica's list; `locals` are the tables in the file.
    let listed: [String]
    let locals: [String]

    func check() throws -> SyncedTable {
        guard let description = hub.table(named: table.name.text) else {
            throw ReplicaError(
                .hub(.unknownTable),
                """
                The hub does not sync a table \(table.name). Attach it there (`moorage attach`), \
                or take it out of the replica's list.
                """, recovery: .askOperator)
        }
        try checkKey(description)
        try checkColumns(description)
        guard let synced = SyncedTable(tracked: table, hub: description) else {
            throw keyMismatch(description)
        }
        try checkTypes(synced)
        try checkUniqueIndexes(description)
        try checkForeignKeys(description)
        return synced
    }

    private func keyMismatch(_ description: TableDescription) -> ReplicaError {
        let names = description.primaryKey.map { description.columns[$0].name }
        return ReplicaError(
            .keyMismatch,
            """
            The primary key of \(table.local.name) is (\(table.keyNames.joined(separator: ", "))) \
            here and (\(names.joined(separator: ", "))) at the hub. Declare the hub's key locally.
            """, recovery: .changeSchema)
    }

    private func checkKey(_ description: TableDescription) throws {
        let hub = Set(
            description.primaryKey.map { Identifier(folding: description.columns[$0].name) })
        guard hub == Set(table.keyNames.map { Identifier(folding: $0) }) else {
            throw keyMismatch(description)
        }
    }

    private func checkColumns(_ description: TableDescription) throws {
        for column in description.columns
        where !column.isNullable && !column.isGenerated && column.defaultValue == .none {
            guard let position = table.local.column(named: column.name),
                !table.local.columns[position].isGenerated
            else {
                throw ReplicaError(
                    .missingColumn,
                    """
                    The hub's \(table.name).\(column.name) is NOT NULL without a default, and the \
                    local table has no such column. Add it locally, or give it a default there.
                    """, recovery: .changeSchema)
            }
        }
        for column in table.local.columns
        where column.isNotNull && !column.isGenerated && column.defaultSQL == nil {
            let isThere = description.columns.contains {
                SQLText.isSameName($0.name, column.name)
            }
            guard isThere else {
                throw ReplicaError(
                    .missingColumn,
                    """
                    The local \(table.local.name).\(column.name) is NOT NULL without a default, \
                    and the hub has no such column. Give it a default, or let it be NULL.
                    """, recovery: .changeSchema)
            }
        }
    }

    private func checkTypes(_ synced: SyncedTable) throws {
        for column in synced.description.columns.indices {
            let form = synced.form(column)
            let isKey = synced.description.isKey(column)
            guard let declare = form.mismatch ?? (isKey ? form.keyMismatch : nil) else { continue }
            throw ReplicaError(
                .typeMismatch,
                """
                \(table.local.name).\(form.column.name) is \(form.type.name) at the hub; the local \
                type “\(form.column.declaredType)” would change its values. \
                Declare it \(declare).
                """, recovery: .changeSchema)
        }
    }

    private func checkUniqueIndexes(_ description: TableDescription) throws {
        let keys = (description.uniqueKeys + [description.primaryKey]).map { key in
            Set(key.map { Identifier(folding: description.columns[$0].name) })
        }
        for index in table.local.uniqueIndexes {
            let columns = Set(index.columns.map { Identifier(folding: $0.name) })
            // A hub's key within these columns promises more than the index requires.
            if index.isPlain, keys.contains(where: { $0.isSubset(of: columns) }) { continue }
            throw ReplicaError(
                .uniqueIndexUnknown,
                """
                The unique index \(index.name) of \(table.local.name) has no counterpart at the \
                hub, whose rows might break it. Create it there too, or make it not unique.
                """, recovery: .changeSchema)
        }
    }

    /// Fails if the hub's rows would refer to rows that no page brings.
    private func checkParentIsListed(
        _ foreign: LocalForeignKey, _ description: TableDescription
    ) throws {
        func isSame(_ name: String) -> Bool { SQLText.isSameName(name, foreign.referencedTable) }
        let isSynced = foreign.columns.contains { name in
            description.columns.contains { SQLText.isSameName($0.name, name) }
        }
        guard isSynced, !listed.contains(where: isSame), locals.contains(where: isSame) else {
            return
        }
        throw ReplicaError(
            .foreignKeyUnknown,
            """
            \(table.local.name) (\(foreign.columns.joined(separator: ", "))) refers to the local table \
            \(foreign.referencedTable), which the replica does not sync: the hub's rows would refer to \
            rows that are not here. Add `.table("\(foreign.referencedTable)")` to the replica's list, \
            or declare the column without the foreign key.
            """, recovery: .choose)
    }

    private func checkForeignKeys(_ description: TableDescription) throws {
        for foreign in table.local.foreignKeys {
            try checkParentIsListed(foreign, description)
            guard
                let parent = tracked.first(where: {
                    SQLText.isSameName($0.local.name, foreign.referencedTable)
                })
            else { continue }
            let columns = Set(foreign.columns.map { Identifier(folding: $0) })
            let isThere = description.foreignKeys.contains { other in
                SQLText.isSameName(other.referencedTable, parent.name.text)
                    && Set(other.columns.map { Identifier(folding: description.columns[$0].name) })
                        == columns
            }
            guard isThere else {
                throw ReplicaError(
                    .foreignKeyUnknown,
                    """
                    The foreign key of \(table.local.name) (\(foreign.columns.joined(separator: ", "))) \
                    to \(parent.local.name) has no counterpart at the hub, whose rows might break \
                    it. Declare it there too, or take it away here.
                    """, recovery: .changeSchema)
            }
        }
    }
}
