import MoorageCore
import MoorageHub
import SQLiteSupport

/// The column that an attach adds to a table without any key, and the trigger that gives it a value
/// in new rows.
struct AddedKey {
    /// By number and name alone.
    let table: AttachedTable
    /// A name of the row's own number.
    let rowNumber: String

    private var base: String { table.name.quoted }
    private var column: String { KeylessTable.addedKey.quoted }
    var triggerName: String { table.objectName("new_key") }
    var indexName: String { table.objectName("key") }

    /// How the names of such triggers begin.
    static let triggerPrefix = "moorage_new_key_"

    /// The first of SQLite's names for a row's number that no column hides; `nil` without one.
    static func rowNumber(_ columns: [LocalColumn]) -> String? {
        ["rowid", "_rowid_", "oid"].first { name in
            !columns.contains { SQLText.isSameName($0.name, name) }
        }
    }

    var addColumn: String { "ALTER TABLE \(base) ADD COLUMN \(column) TEXT" }

    var createIndex: String {
        "CREATE UNIQUE INDEX \(indexName.quoted) ON \(base) (\(column))"
    }

    var createTrigger: String {
        """
        CREATE TRIGGER \(triggerName.quoted) AFTER INSERT ON \(base)
        WHEN NEW.\(column) IS NULL BEGIN
          UPDATE \(base) SET \(column) = \(Self.uuid) WHERE \(rowNumber) = NEW.\(rowNumber);
        END
        """
    }

    /// SQLite drops no column that a trigger or an index names.
    static func removeSteps(from table: AttachedTable) -> [String] {
        let key = AddedKey(table: table, rowNumber: "rowid")
        return [
            "DROP TRIGGER IF EXISTS \(key.triggerName.quoted)",
            "DROP INDEX IF EXISTS \(key.indexName.quoted)",
            "ALTER TABLE \(key.base) DROP COLUMN \(key.column)",
        ]
    }

    private var missing: String { "FROM \(base) WHERE \(column) IS NULL" }

    /// How many rows have no key.
    var countMissing: String { "SELECT count(*) \(missing)" }

    /// Gives a key to a part of the rows that have none.
    func fill(_ limit: Int) -> String {
        """
        UPDATE \(base) SET \(column) = \(Self.uuid)
        WHERE \(rowNumber) IN (SELECT \(rowNumber) \(missing) LIMIT \(limit))
        """
    }

    /// A random UUID of version 4.
    private static let uuid = """
        lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) \
        || '-' || substr('89AB', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' \
        || hex(randomblob(6)))
        """
}

extension SQLiteConnection {
    func addKeySteps(to table: AttachedTable) throws -> [String] {
        guard let key = try addedKey(of: table) else { return [] }
        var steps: [String] = []
        if try !hasAddedKey(table) { steps.append(key.addColumn) }
        if try !hasOwnObject(key.triggerName) { steps.append(key.createTrigger) }
        // The rows without a key are found by it.
        if try !hasOwnObject(key.indexName) { steps.append(key.createIndex) }
        return steps
    }

    func fillKeys(of table: AttachedTable, batch: Int, progress: () throws -> Void) throws {
        guard let key = try addedKey(of: table), try hasAddedKey(table) else { return }
        let part = max(1, batch)
        try fillRows(of: table) {
            Int(clamping: try query(key.countMissing).first?.first?.number ?? 0)
        } pass: { left in
            for _ in stride(from: 0, to: left, by: part) {
                try execute(key.fill(part))
                try progress()
            }
        }
    }

    /// The index exists already, and the trigger fills what is inserted.
    func closeKeySteps(of table: AttachedTable) throws -> [String] { [] }

    func removeKeySteps(from table: AttachedTable) throws -> [String] {
        try hasAddedKey(table) ? AddedKey.removeSteps(from: table) : []
    }

    /// Whether a trigger of an attach gives a key to each new row of a table.
    func fillsAddedKey(of table: String) throws -> Bool {
        try query(
            "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ?", [.text(table)]
        ).contains { $0.first?.plainText?.hasPrefix(AddedKey.triggerPrefix) == true }
    }

    private func addedKey(of table: AttachedTable) throws -> AddedKey? {
        let columns = try LocalColumn.read(table.name, on: self)
        return AddedKey.rowNumber(columns).map { AddedKey(table: table, rowNumber: $0) }
    }

    private func hasAddedKey(_ table: AttachedTable) throws -> Bool {
        try LocalColumn.read(table.name, on: self).contains {
            $0.name.hasSameBytes(as: KeylessTable.addedKey)
        }
    }

    private func hasOwnObject(_ name: String) throws -> Bool {
        try !query("SELECT 1 FROM sqlite_master WHERE name = ?", [.text(name)]).isEmpty
    }
}
