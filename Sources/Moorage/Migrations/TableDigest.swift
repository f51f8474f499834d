import GRDB
import MoorageCore

/// What a table's rows contain, in a few numbers: one for the keys, and one for each column.
///
/// The numbers do not depend on the order of the rows. Two digests have the same number of a column
/// if each key has the same value there. They differ otherwise, except for one case in 2^64. Values
/// are compared as they are stored, byte by byte, so 1 and 1.0 differ.
///
/// Swift seeds its hashes for each process. So digests of one process alone can be compared.
struct TableDigest: Equatable {
    private let keys: UInt64
    private var columns: [Identifier: UInt64] = [:]

    /// Reads the table once.
    ///
    /// - Parameters:
    ///   - keyNames: The columns of the key, always in the same order.
    ///   - names: Columns of the table that are no part of its key.
    init(_ db: Database, of table: String, key keyNames: [String], columns names: [String]) throws {
        let statement = try RawStatement(
            db, "SELECT \(SQLText.names(keyNames + names)) FROM \(SQLText.name(table))")
        let places = keyNames.count..<(keyNames.count + names.count)
        var keys: UInt64 = 0
        var sums = [UInt64](repeating: 0, count: names.count)
        while try statement.step() {
            var key = Hasher()
            for place in keyNames.indices { statement.hash(place, into: &key) }
            for place in places {
                var value = key
                statement.hash(place, into: &value)
                sums[place - places.lowerBound] &+= UInt64(bitPattern: Int64(value.finalize()))
            }
            keys &+= UInt64(bitPattern: Int64(key.finalize()))
        }
        self.keys = keys
        for (name, sum) in zip(names, sums) { columns[Identifier(folding: name)] = sum }
    }

    /// The digest of these columns alone; it leaves out those that it does not have.
    func restricted(to names: [String]) -> TableDigest {
        let wanted = Set(names.map { Identifier(folding: $0) })
        var result = self
        result.columns = columns.filter { wanted.contains($0.key) }
        return result
    }
}
