import MoorageCore

extension TableDescription {
    /// The first value that a device cannot hold, with the reason: such a row is withheld, never
    /// changed.
    func withheldColumn(in row: [Value]) -> (column: String, reason: String)? {
        for (column, value) in zip(columns, row) {
            if let reason = column.type.reasonToWithhold(value) { return (column.name, reason) }
        }
        return nil
    }
}

extension ColumnType {
    fileprivate func reasonToWithhold(_ value: Value) -> String? {
        switch (self, value) {
        case (_, .real(let number)) where number.isNaN: "NaN has no place in SQLite"
        case (_, .real(let number)) where !number.isFinite: "infinity cannot be exchanged"
        case (.decimal, .text) where !accepts(value): "NaN or infinity is no decimal number"
        case (.date, .text), (.timestamp, .text), (.instant, .text):
            accepts(value) ? nil : "the date lies outside the years 0001 to 9999, or is infinite"
        default: nil
        }
    }
}
