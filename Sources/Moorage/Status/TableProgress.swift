/// How much of a table has arrived in a long copy.
public struct TableProgress: Hashable, Sendable, Identifiable {
    /// The table's name at the hub.
    public let table: String
    /// How many of its rows are here.
    public internal(set) var rowsDone: Int
    /// About how many rows the copy brings.
    public let rowsExpected: Int

    /// Progress that no replica has, for previews and tests of an app's screens.
    ///
    /// - Parameters:
    ///   - table: The table's name at the hub.
    ///   - rowsDone: How many of its rows are here.
    ///   - rowsExpected: About how many rows the copy brings.
    public init(table: String, rowsDone: Int, rowsExpected: Int) {
        self.table = table
        self.rowsDone = rowsDone
        self.rowsExpected = rowsExpected
    }

    /// The table's name.
    public var id: String { table }

    /// How much of the table is here, from 0 to 1.
    public var fraction: Double { Double.fraction(rowsDone, of: rowsExpected) }
}

extension Double {
    /// A part of a whole that is only about known: never above 1.
    static func fraction(_ part: Int, of whole: Int) -> Double {
        whole > 0 ? min(1, max(0, Double(part) / Double(whole))) : 1
    }
}
