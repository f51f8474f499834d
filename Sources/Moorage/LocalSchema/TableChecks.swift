import MoorageCore
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
            throw ReplicaError.unknownTable(table.name.text)
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
        .keyMismatch(
            table.local.name, table.keyNames,
            hub: description.primaryKey.map { description.columns[$0].name })
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
                throw ReplicaError.missingHere(table.name, column.name)
            }
        }
        for column in table.local.columns
        where column.isNotNull && !column.isGenerated && column.defaultSQL == nil {
            let isThere = description.columns.contains {
                SQLText.isSameName($0.name, column.name)
            }
            guard isThere else {
                throw ReplicaError.missingAtHub(table.local.name, column.name)
            }
        }
    }

    private func checkTypes(_ synced: SyncedTable) throws {
        for column in synced.description.columns.indices {
            let form = synced.form(column)
            let isKey = synced.description.isKey(column)
            guard let declare = form.mismatch ?? (isKey ? form.keyMismatch : nil) else { continue }
            throw ReplicaError.typeMismatch(
                "\(table.local.name).\(form.column.name)", hub: form.type.name,
                local: form.column.declaredType, needed: declare)
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
            throw ReplicaError.uniqueIndexUnknown(index.name, of: table.local.name)
        }
    }

    /// Whether the hub has a column of the foreign key.
    private func isSynced(_ foreign: LocalForeignKey, _ description: TableDescription) -> Bool {
        foreign.columns.contains { name in
            description.columns.contains { SQLText.isSameName($0.name, name) }
        }
    }

    /// Fails if the hub's rows would refer to rows that no page brings.
    private func checkParentIsListed(
        _ foreign: LocalForeignKey, _ description: TableDescription
    ) throws {
        func isSame(_ name: String) -> Bool { SQLText.isSameName(name, foreign.referencedTable) }
        guard isSynced(foreign, description), !listed.contains(where: isSame),
            locals.contains(where: isSame)
        else { return }
        throw ReplicaError.parentNotListed(
            table.local.name, foreign.columns, to: foreign.referencedTable)
    }

    private func checkForeignKeys(_ description: TableDescription) throws {
        for foreign in table.local.foreignKeys {
            try checkParentIsListed(foreign, description)
            guard
                let parent = tracked.first(where: {
                    SQLText.isSameName($0.local.name, foreign.referencedTable)
                })
            else { continue }
            // If the hub has neither the columns nor the other table, the key is the app's own. No
            // page removes the rows that it refers to.
            if !isSynced(foreign, description), hub.table(named: parent.name.text) == nil {
                continue
            }
            let columns = Set(foreign.columns.map { Identifier(folding: $0) })
            let isThere = description.foreignKeys.contains { other in
                SQLText.isSameName(other.referencedTable, parent.name.text)
                    && Set(other.columns.map { Identifier(folding: description.columns[$0].name) })
                        == columns
            }
            guard isThere else {
                throw ReplicaError.foreignKeyUnknown(
                    table.local.name, foreign.columns, to: parent.local.name)
            }
        }
    }
}
