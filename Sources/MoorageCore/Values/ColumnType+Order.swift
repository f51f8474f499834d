extension ColumnType {
    /// Whether values of this type have an order that every database agrees on.
    package var isOrdered: Bool {
        switch self {
        case .integer, .real, .decimal, .date, .time, .timestamp, .instant: true
        case .boolean, .text, .blob, .uuid, .json: false
        }
    }

    /// Whether values of this type can be added.
    public var isNumber: Bool {
        switch self {
        case .integer, .real, .decimal: true
        default: false
        }
    }

    /// Whether the left value comes before the right one. `nil` when the type has no order, or when
    /// a value is NULL or not of the type.
    package func isBefore(_ left: Value, _ right: Value) -> Bool? {
        guard isOrdered, accepts(left), accepts(right) else { return nil }
        switch (normalized(left), normalized(right)) {
        case (.integer(let a), .integer(let b)): return a < b
        case (.real(let a), .real(let b)): return a < b
        case (.text(let a), .text(let b)):
            if case .decimal = self {
                guard let a = DecimalText(a), let b = DecimalText(b) else { return nil }
                return a.isLess(than: b)
            }
            // Dates and times have one length up to their fraction.
            return a.utf8.lexicographicallyPrecedes(b.utf8)
        default: return nil
        }
    }
}
