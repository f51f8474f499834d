package import MoorageCore

/// Rows whose keys follow each other in key order: numbers and times by what they say, everything
/// else by its bytes.
package struct KeyRange: Hashable, Sendable {
    /// The key behind which the range begins; `nil` from the first row.
    package let after: RowKey?
    /// The last key that is in the range; `nil` to the last row.
    package let upTo: RowKey?

    package init(after: RowKey? = nil, upTo: RowKey? = nil) {
        self.after = after
        self.upTo = upTo
    }

    /// What a row of the range meets; `nil` where every row is in it.
    func condition(of table: TableDescription) -> RowCondition? {
        let parts = [
            after.flatMap { Self.condition(table, .greaterOrEqual, .greater, $0) },
            upTo.flatMap { Self.condition(table, .lessOrEqual, .less, $0, isIncluded: true) },
        ].compactMap { $0 }
        return parts.count == 2 ? .allOf(parts) : parts.first
    }

    /// Whether a key is on one side of another. The first column bounds the rows by itself, so that
    /// an index can begin there.
    ///
    /// - Parameter isIncluded: Whether the other key itself is on that side.
    private static func condition(
        _ table: TableDescription, _ bound: RowCondition.Comparison,
        _ side: RowCondition.Comparison, _ key: RowKey, isIncluded: Bool = false
    ) -> RowCondition? {
        var condition: RowCondition?
        for (column, value) in zip(table.primaryKey, key.values).reversed() {
            if let rest = condition {
                condition = .allOf([
                    .compares(column, bound, value),
                    .anyOf([.compares(column, side, value), rest]),
                ])
            } else {
                condition = .compares(column, isIncluded ? bound : side, value)
            }
        }
        return condition
    }
}
