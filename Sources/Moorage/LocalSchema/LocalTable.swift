import MoorageCore
import SQLiteSupport

/// A table of the app's file, as SQLite describes it.
struct LocalTable: Hashable, Sendable {
    let name: String
    let columns: [LocalColumn]
    /// Positions in `columns`, in the key's order; empty when the table has no declared key.
    let primaryKey: [Int]
    let isStrict: Bool
    /// Unique indexes except the primary key's.
    let uniqueIndexes: [LocalIndex]
    let foreignKeys: [LocalForeignKey]

    func column(named name: String) -> Int? {
        columns.firstIndex { SQLText.isSameName($0.name, name) }
    }

    var keyNames: [String] { primaryKey.map { columns[$0].name } }

    /// Columns that can be written and are no part of the key.
    var plainNames: [String] {
        columns.indices.filter { !primaryKey.contains($0) && !columns[$0].isGenerated }
            .map { columns[$0].name }
    }

    /// Every column that can be written.
    var writableNames: [String] { columns.filter { !$0.isGenerated }.map(\.name) }
}

struct LocalColumn: Hashable, Sendable {
    let name: String
    let declaredType: String
    let affinity: Affinity
    let isNotNull: Bool
    /// The default as SQL.
    let defaultSQL: String?
    let isGenerated: Bool

    /// The value of the column if nobody wrote into it.
    var standardSQL: String { defaultSQL.map { "(\($0))" } ?? "NULL" }
}

struct LocalIndex: Hashable, Sendable {
    /// For people: bytes that are not UTF-8 are replaced.
    let name: String
    /// Names with the collation that the index compares them by.
    var columns: [IndexedColumn]
    /// Over whole columns of every row: neither partial nor over an expression.
    var isPlain: Bool
}

struct IndexedColumn: Hashable, Sendable {
    let name: String
    let collation: String
}

struct LocalForeignKey: Hashable, Sendable {
    let table: String
    let columns: [String]
    let referencedTable: String
    let referencedColumns: [String]
    /// As SQLite spells it: `CASCADE`, `SET NULL`, …
    let onDelete: String
}
