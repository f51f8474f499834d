import MoorageCore
import MoorageHub

/// Which index of a tracking table a scan in key order takes.
extension MySQLConnection {
    /// Up to so many tracking rows are sorted for each page.
    static let mostSorted = 50_000

    /// `FORCE INDEX` where a scan in key order must follow the primary key.
    ///
    /// Left alone, MySQL reads all of the scopes by another index and sorts it for each page, so
    /// that a scan takes the square of their size. Of scopes with few rows in a large table that
    /// is right: the primary key would lead through everyone's rows.
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
