import MoorageCore
import SQLiteSupport

/// The rows of the table itself, by the key that an entry has.
extension LogReading {
    /// Whether the row exists. Keys are compared by bytes.
    func exists(localKey: LocalKey) throws -> Bool {
        guard hasRows else { return false }
        let statement = try statements("SELECT 1 FROM \(target) WHERE \(isRow)")
        return try run(statement, localKey: localKey, { try $0.row() != nil }, isFound: { $0 })
    }

    var target: String { SQLText.name(table.tracked.local.name) }

    /// The column's own comparison finds the row by its index. The bytes decide.
    var isRow: String {
        table.keyLocalNames.enumerated().map {
            "\(SQLText.name($1)) = ?\($0 + 1) AND \(SQLText.name($1)) COLLATE BINARY = ?\($0 + 1)"
        }.joined(separator: " AND ")
    }

    /// The synced columns of a row as they are stored; `nil` when there is no such row.
    func row(localKey: LocalKey) throws -> [StoredValueForm]? {
        guard hasRows else { return nil }
        return try run(
            statements(selectRow), localKey: localKey, { try $0.row() }, isFound: { $0 != nil })
    }

    /// The synced columns of one row by its key.
    var selectRow: String {
        "SELECT \(SQLText.names(table.localNames)) FROM \(target) WHERE \(isRow)"
    }

    /// The same in portable form.
    func portableRow(localKey: LocalKey) throws -> [Value]? {
        try row(localKey: localKey)?.enumerated().map { table.form($0).portable($1.value) }
    }
}
