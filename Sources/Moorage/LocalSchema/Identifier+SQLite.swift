package import MoorageCore
import SQLiteSupport

extension Identifier {
    /// The common form of all spellings that SQLite takes for one name.
    init(folding name: String) { self.init(SQLText.folded(name)) }
}

extension SyncedTable {
    func rowName(_ key: RowKey) -> RowName { RowName(table: name.text, key: key) }
}

extension Batch {
    /// The table of a change, with its columns as the batch counts them.
    package func columns(of change: Change) -> TableColumns? {
        tables.first { $0.name.hasSameBytes(as: change.table) }
    }
}
