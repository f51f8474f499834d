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
    /// The same of the values by what they say, where 1, 1.0 and '1' are one.
    private var meanings: UInt64 = 0

    /// Reads the table once.
    ///
    /// - Parameter names: The columns that count, always in the same order.
    init(_ db: Database, of table: String, columns names: [String]) throws {
        let columns = names.map(SQLText.name)
        let all = (columns + columns.map(ColumnConversion.meaning(of:))).joined(separator: ", ")
        let statement = try RawStatement(db, "SELECT \(all) FROM \(SQLText.name(table))")
        func hash(_ places: Range<Int>) -> UInt64 {
            var row = Hasher()
            for place in places { statement.hash(place, into: &row) }
            return UInt64(bitPattern: Int64(row.finalize()))
        }
        while try statement.step() {
            sum &+= hash(0..<names.count)
            meanings &+= hash(names.count..<2 * names.count)
            rows += 1
        }
    }

    /// Whether the rows say the same, in whatever type.
    func means(_ other: TableDigest) -> Bool {
        rows == other.rows && meanings == other.meanings
    }
}
