import GRDB
import MoorageCore
import SQLiteSupport

/// What some columns of a table contain, in a few numbers.
///
/// The numbers do not depend on the order of the rows. Two digests of the same columns are equal if
/// the rows are. They differ otherwise, except for one case in 2^64. Values are compared as they are
/// stored, byte by byte, so 1 and 1.0 differ.
///
/// Swift seeds its hashes for each process. So digests of one process alone can be compared.
struct TableDigest: Equatable {
    private var rows = 0
    private var sum: UInt64 = 0
    /// By column: its values with their keys, and what they say, where 1, 1.0 and '1' are one.
    private var columns: [(values: UInt64, meanings: UInt64)]

    /// Reads the table once.
    ///
    /// - Parameters:
    ///   - keys: The key's columns, always in the same order.
    ///   - names: The other columns that count, in the same order, too.
    init(_ db: Database, of table: String, keys: [String], columns names: [String]) throws {
        columns = names.map { _ in (0, 0) }
        let values = names.map(SQLText.name)
        let meanings = values.map(ColumnConversion.meaning(of:))
        let all = (keys.map(SQLText.name) + values + meanings).joined(separator: ", ")
        let statement = try RawStatement(db, "SELECT \(all) FROM \(SQLText.name(table))")
        while try statement.step() {
            var key = Hasher()
            for place in keys.indices { statement.hash(place, into: &key) }
            func hash(_ place: Int) -> UInt64 {
                var value = key
                statement.hash(place, into: &value)
                return UInt64(bitPattern: Int64(value.finalize()))
            }
            sum &+= UInt64(bitPattern: Int64(key.finalize()))
            for column in names.indices {
                columns[column].values &+= hash(keys.count + column)
                columns[column].meanings &+= hash(keys.count + names.count + column)
            }
            rows += 1
        }
    }

    static func == (left: TableDigest, right: TableDigest) -> Bool { left.equals(right) }

    /// Whether the rows are the same.
    ///
    /// - Parameter retyped: The columns whose values need only say the same, as places among the
    ///   columns.
    func equals(_ other: TableDigest, retyped: Set<Int> = []) -> Bool {
        rows == other.rows && sum == other.sum && columns.count == other.columns.count
            && columns.indices.allSatisfy { column in
                retyped.contains(column)
                    ? columns[column].meanings == other.columns[column].meanings
                    : columns[column].values == other.columns[column].values
            }
    }
}
