import MoorageCore
import MoorageHub

/// Rows that refer to nothing, written by sessions with `foreign_key_checks = 0`.
extension MySQLConnection {
    func referenceFindings(_ examination: Examination, _ edges: [ForeignEdge]) throws -> [Finding] {
        try examination.synced.flatMap { table -> [Finding] in
            let own = edges.filter { $0.child.hasSameBytes(as: table.name) }
            guard !own.isEmpty, try hasFewRows(table.name) else { return [] }
            return try own.compactMap { try finding(of: $0) }
        }
    }

    /// Whether the table is small enough to check. A very large one takes longer than a doctor may.
    private func hasFewRows(_ table: String) throws -> Bool {
        let count = try link.query(
            """
            SELECT count(*) FROM (SELECT 1 FROM \(SQLText.name(table)) LIMIT \(Self.mostRows + 1)) AS t
            """, isKept: false)
        return count.integer(0, 0) ?? 0 <= Self.mostRows
    }

    private static let mostRows: Int64 = 1_000_000

    private func finding(of edge: ForeignEdge) throws -> Finding? {
        let found = try link.query(
            "SELECT 1 \(edge.broken(SQLText.name)) LIMIT 1", isKept: false)
        guard found.rowCount > 0 else { return nil }
        let broken = edge.broken(SQLText.ownersName)
        return Finding(
            .brokenReferences, .problem, table: edge.child,
            """
            \(edge.child) has rows whose \(edge.columns.joined(separator: ", ")) names no row of \(edge.parent): a \
            session wrote them with foreign_key_checks = 0. Devices get them as they are, and list them.
            """,
            repair: .sql(["SELECT l.* \(broken)", "-- DELETE l \(broken)"]))
    }
}

extension ForeignEdge {
    /// The rows `l` that refer to nothing.
    fileprivate func broken(_ name: (String) -> String) -> String {
        let match = zip(referenced, columns).map { "p.\(name($0)) = l.\(name($1))" }
        let isSet = columns.map { "l.\(name($0)) IS NOT NULL" }
        return """
            FROM \(name(child)) AS l LEFT JOIN \(name(parent)) AS p ON \(match.joined(separator: " AND ")) \
            WHERE \(isSet.joined(separator: " AND ")) AND p.\(name(referenced[0])) IS NULL
            """
    }
}
