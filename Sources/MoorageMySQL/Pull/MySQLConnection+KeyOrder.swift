import MoorageCore
import MoorageHub

/// Chooses the index of a tracking table for a scan in key order.
extension MySQLConnection {
    /// A page sorts at most this many tracking rows.
    static let mostSorted = 50_000

    /// `FORCE INDEX` where a scan in key order must follow the primary key.
    ///
    /// Without it MySQL reads all of the scopes by another index and sorts them for each page, so
    /// that a scan takes quadratic time. For scopes with few rows in a large table MySQL's choice
    /// is right. There the primary key would lead through everyone's rows.
    func keyOrderIndex(_ shape: TableShape, _ scopes: Set<Scope>) throws -> String {
        guard try shape.table.scopes.isEmpty || isLarge(shape, scopes) else { return "" }
        return " FORCE INDEX (PRIMARY)"
    }

    private func isLarge(_ shape: TableShape, _ scopes: Set<Scope>) throws -> Bool {
        guard !scopes.isEmpty else { return false }
        let names = scopes.sorted().map { SQLText.literal(Array($0.name.utf8)) }
        let counted = try link.query(
            """
            SELECT count(*) FROM (SELECT 1 FROM \(shape.track) FORCE INDEX (by_version)
              WHERE scope IN (\(names.joined(separator: ", "))) LIMIT \(Self.mostSorted + 1)) AS part
            """, Parameters(), [.integer], isKept: false)
        return (counted.integer(0, 0) ?? 0) > Self.mostSorted
    }
}
