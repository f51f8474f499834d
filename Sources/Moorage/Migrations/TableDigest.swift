import GRDB
import MoorageCore

/// What some columns of a table contain, in two numbers.
///
/// The numbers do not depend on the order of the rows. Two digests of the same columns are equal if
/// the rows are. They differ otherwise, except for one case in 2^64. Values are compared as they are
/// stored, byte by byte, so 1 and 1.0 differ.
///
/// Swift seeds its hashes for each process. So digests of one process alone can be compared.
struct TableDigest: Equatable {
    private var rows = 0
    private var sum: UInt64 = 0

    /// Reads the table once.
    ///
    /// - Parameter names: The columns that count, always in the same order.
    init(_ db: Database, of table: String, columns names: [String]) throws {
        let statement = try RawStatement(
            db, "SELECT \(SQLText.names(names)) FROM \(SQLText.name(table))")
        while try statement.step() {
            var row = Hasher()
            for place in names.indices { statement.hash(place, into: &row) }
            sum &+= UInt64(bitPattern: Int64(row.finalize()))
            rows += 1
        }
    }
}
