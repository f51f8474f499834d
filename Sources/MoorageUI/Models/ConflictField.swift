public import Moorage

/// A column in conflict, with the values of both sides.
public struct ConflictField: Hashable, Sendable, Identifiable {
    /// The column's name at the hub.
    public let column: String
    /// The value before the edit; `nil` if there was no row.
    public let base: Value?
    /// What the change asked for; `nil` if it did not ask for this column.
    public let mine: Value?
    /// The central value; `nil` if there was no row.
    public let theirs: Value?
    /// The value after the merge; `nil` if there is no row.
    public let result: Value?

    /// The column's name.
    public var id: String { column }
}

extension OverruledChange {
    /// The columns whose values differ between the sides, by name. If this device deleted the row,
    /// these are the columns that the other side changed.
    public var fields: [ConflictField] {
        let sides = [mine ?? base ?? [:], theirs, result].compactMap { $0 }
        return Set(sides.flatMap(\.keys)).sorted().compactMap { column in
            let isSame = sides.allSatisfy { $0[column] == sides[0][column] }
            if isSame, sides.count > 1 { return nil }
            return ConflictField(
                column: column, base: base?[column], mine: mine?[column],
                theirs: theirs?[column], result: result?[column])
        }
    }
}

extension RowKey {
    /// The key as a person reads it.
    public var displayText: String {
        values.map { $0.displayText ?? "NULL" }.joined(separator: ", ")
    }
}

extension Value {
    /// The value as a person reads it; `nil` for NULL. Bytes are counted, not shown.
    public var displayText: String? {
        switch self {
        case .null: nil
        case .integer(let number): String(number)
        case .real(let number): String(number)
        case .text(let text): text
        case .blob(let bytes): bytes.count == 1 ? "1 byte" : "\(bytes.count) bytes"
        }
    }
}
