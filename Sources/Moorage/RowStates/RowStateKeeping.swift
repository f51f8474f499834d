import MoorageCore
import MoorageWire

/// Writes into the tables of states what only this library knows, within a transaction of the
/// store.
struct RowStateKeeping {
    let statements: RawStatements
    let tables: LoadedTables

    /// A batch is in flight. Its entries have left the log.
    func markInFlight(_ changes: [Change]) throws {
        for change in changes {
            guard let table = tables.table(named: change.table), table.tracked.hasRowStates else {
                continue
            }
            try Self.markInFlight(change.key, of: table, statements)
        }
    }

    static func markInFlight(
        _ key: RowKey, of table: SyncedTable, _ statements: RawStatements
    ) throws {
        guard let key = logKey(key, of: table) else { return }
        try statements.passing(RowStateSQL(table: table.tracked).markInFlight).run(key)
    }

    /// Writes what the lists for review say of the rows that were noted.
    ///
    /// - Returns: The tables of states that may have changed.
    func readLists() throws -> Set<String> {
        var changed: Set<String> = []
        for (name, key) in try noted() {
            // A suspended table has no key of its own now: its rows stay noted.
            guard let table = tables.table(named: name), table.tracked.hasRowStates else {
                continue
            }
            let id = [Value.text(name), .text(key)]
            if let row = Self.row(key, of: table) {
                let states = RowStateSQL(table: table.tracked)
                let found = try statements(RowStateLists.read).first(id) ?? []
                try statements.passing(states.setLists).run(row + found.map(\.value))
                try statements.passing(states.removeIfEmpty).run(row)
                changed.insert(table.tracked.stateTable)
            }
            try statements("DELETE FROM _moorage_restated WHERE tbl = ?1 AND key = ?2").run(id)
        }
        return changed
    }

    private func noted() throws -> [(table: String, key: String)] {
        let statement = try statements("SELECT tbl, key FROM _moorage_restated")
        var names: [(table: String, key: String)] = []
        while try statement.step() {
            guard case .value(.text(let table)) = statement.column(0),
                case .value(.text(let key)) = statement.column(1)
            else { continue }
            names.append((table, key))
        }
        return names
    }

    /// A row's key from a list; `nil` for one that no table can have.
    private static func row(_ key: String, of table: SyncedTable) -> [Value]? {
        guard let values = try? [Value](jsonText: key) else { return nil }
        return logKey(RowKey(values), of: table)
    }

    /// A row's key in the log's order; `nil` if the local table cannot store it.
    private static func logKey(_ key: RowKey, of table: SyncedTable) -> [Value]? {
        guard let localKey = table.localKey(table.description.key(key.values)) else { return nil }
        let values = Dictionary(
            zip(table.logKeyColumns, localKey.values), uniquingKeysWith: { first, _ in first })
        let key = table.tracked.keyColumns.compactMap { values[$0] }
        // No hub knows a key that is NULL.
        return key.contains(.null) ? nil : key
    }
}

extension StoreTransaction {
    /// Brings the tables of states up to date with the lists, before the transaction commits.
    func keepRowStates() throws {
        guard tables.hasRowStates else { return }
        // The transaction may have changed what a key looks like here.
        let tables = try store.load(db)
        for name in try RowStateKeeping(statements: statements, tables: tables).readLists() {
            try notify(name)
        }
    }
}
