import MoorageCore

/// How the keys of a new table use one of its columns.
struct ColumnUse: Hashable {
    /// The column is part of the primary key.
    let isPrimary: Bool
    /// The column is the whole primary key, and an integer.
    let isIntegerKey: Bool
    /// How many texts and blobs the widest key with the column has; `nil` for a column of no key.
    let keyWidth: Int?
    /// An action of a foreign key writes the column.
    let isWrittenByAction: Bool

    /// - Parameters:
    ///   - position: The column's position in its table.
    ///   - referred: The columns of the table to which foreign keys refer.
    init(of position: Int, in table: TableDescription, referred: [[Int]]) {
        isPrimary = table.isKey(position)
        isIntegerKey = table.primaryKey == [position] && table.columns[position].type == .integer
        let keys =
            [table.primaryKey] + table.uniqueKeys + table.foreignKeys.map(\.columns) + referred
        keyWidth = keys.filter { $0.contains(position) }.map(table.width(of:)).max()
        isWrittenByAction = table.foreignKeys.contains { foreign in
            foreign.columns.contains(position)
                && ([.cascade, .setNull].contains(foreign.onUpdate) || foreign.onDelete == .setNull)
        }
    }
}

extension TableDescription {
    /// How many texts and blobs a key or index has.
    func width(of key: [Int]) -> Int { key.filter { columns[$0].type.isLong }.count }
}

extension ColumnType {
    /// Values have any length, so MySQL cannot index them whole.
    var isLong: Bool { self == .text || self == .blob }
}
