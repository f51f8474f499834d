import MoorageCore
import MoorageHub

/// Rows that refer to nothing, written by sessions in `session_replication_role = replica`, or with
/// the triggers of their table switched off.
extension PostgresConnection {
    func referenceFindings(_ examination: Examination) throws -> [Finding] {
        try examination.synced.flatMap { table -> [Finding] in
            let own = table.description.foreignKeys
            guard !own.isEmpty, try hasFewRows(table.name) else { return [] }
            return try own.compactMap { try finding(of: $0, in: table.description) }
        }
    }

    /// Whether the table is small enough to check. A very large one takes longer than a doctor may.
    private func hasFewRows(_ table: String) throws -> Bool {
        let count = try link.simple(
            """
            SELECT count(*) <= \(Self.mostRows)
            FROM (SELECT FROM \(schema.table(table)) LIMIT \(Self.mostRows + 1)) AS t
            """)
        return count.text(0, 0) == "t"
    }

    private static let mostRows = 1_000_000

    private func finding(of foreign: ForeignKey, in table: TableDescription) throws -> Finding? {
        let columns = foreign.columns.map { table.columns[$0].name }
        let match = zip(foreign.referencedColumns, columns).map {
            "p.\(SQLText.name($0)) = l.\(SQLText.name($1))"
        }
        let isSet = columns.map { "l.\(SQLText.name($0)) IS NOT NULL" }
        let name = schema.table(table.name)
        let broken = """
            \(isSet.joined(separator: " AND ")) AND NOT EXISTS (SELECT FROM \
            \(schema.table(foreign.referencedTable)) AS p WHERE \(match.joined(separator: " AND ")))
            """
        let found = try link.simple("SELECT FROM \(name) AS l WHERE \(broken) LIMIT 1")
        guard found.rowCount > 0 else { return nil }
        return Finding(
            .brokenReferences, .problem, table: table.name,
            """
            \(table.name) has rows whose \(columns.joined(separator: ", ")) names no row of \
            \(foreign.referencedTable): a session wrote them without its checks (session_replication_role = \
            replica, or triggers switched off). Devices get them as they are, and list them.
            """,
            repair: .sql([
                "SELECT l.* FROM \(name) AS l WHERE \(broken)",
                "-- DELETE FROM \(name) AS l WHERE \(broken)",
            ]))
    }
}
