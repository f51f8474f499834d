/// Rows of some columns, stored column by column.
public struct RowColumns: Hashable, Sendable {
    /// The columns, each with ``count`` values.
    public private(set) var columns: [ValueColumn]
    /// How many rows there are.
    public private(set) var count = 0

    /// No rows yet.
    public init(columnCount: Int) {
        columns = Array(repeating: ValueColumn(), count: columnCount)
    }

    /// - Precondition: There is at least one column, and all have one length.
    public init(_ columns: [ValueColumn]) {
        self.columns = columns
        count = columns.first?.count ?? 0
    }

    /// - Parameter rows: Each with `columnCount` values.
    public init(_ rows: [[Value]], columnCount: Int) {
        self.init(columnCount: columnCount)
        for row in rows { append(row) }
    }

    /// - Precondition: One value for each column.
    public mutating func append(_ row: [Value]) {
        precondition(row.count == columns.count, "a row of another width than its columns")
        for (index, value) in row.enumerated() { columns[index].append(value) }
        count += 1
    }

    /// Adds some of other rows.
    ///
    /// - Precondition: `other` has as many columns, and `rows` are rows of it.
    public mutating func append(_ other: RowColumns, rows: Range<Int>) {
        precondition(other.columns.count == columns.count, "rows of another width")
        for index in columns.indices { columns[index].append(other.columns[index], rows: rows) }
        count += rows.count
    }

    /// About how many bytes each row needs.
    package var byteCounts: [Int] {
        columns.reduce(into: Array(repeating: 0, count: count)) { sums, column in
            for row in sums.indices { sums[row] += column.byteCount(row) }
        }
    }

    /// - Precondition: `index` is below ``count``.
    public subscript(index: Int) -> [Value] { columns.map { $0[index] } }

    /// The rows one by one.
    public var rows: [[Value]] { (0..<count).map { self[$0] } }
}
