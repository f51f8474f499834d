/// A column of the app in the log, as SQL.
struct LogPlace {
    let number: Int
    /// The log's column with the old value.
    let old: String
    /// The log's column with its bit. In an update or a fill, it marks a column that has an old
    /// value. In other entries, it marks one that the table got later.
    let mask: String
    let bit: Int

    init(_ number: Int) {
        let (mask, bit) = number.quotientAndRemainder(dividingBy: TrackedTable.columnsPerMask)
        self.number = number
        old = "o\(number)"
        self.mask = "m\(mask)"
        self.bit = 1 << bit
    }

    /// The entries with an edit or a fill of the column.
    var isEdited: String {
        "(op <> \(LogOperation.insert.sql) AND NOT \(LogOperation.isRemovalSQL) AND \(isSet))"
    }

    /// The entries with its bit.
    var isSet: String { "(coalesce(\(mask), 0) & \(bit)) <> 0" }
}
