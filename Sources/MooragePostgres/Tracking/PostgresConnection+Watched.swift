import MoorageCore
import MoorageHub

extension PostgresConnection {
    /// A renamed schema keeps its tables and triggers, but the functions still write to its old
    /// name. Such triggers count as missing.
    func trackingProblems() throws -> [Int: String] {
        let found = try link.simple(
            """
            SELECT c.relname, g.tgname
            FROM pg_trigger AS g JOIN pg_class AS c ON c.oid = g.tgrelid
            JOIN pg_proc AS p ON p.oid = g.tgfoid
            WHERE c.relnamespace = \(schema.number) AND g.tgname LIKE 'moorage\\_%'
              AND g.tgenabled IN ('A', 'O')
              AND strpos(p.prosrc, \(SQLText.literal(SQLText.name(schema.name) + "."))) > 0
            """)
        let standing = Set(
            (0..<found.rowCount).map { row in
                [found.text(row, 0) ?? "", found.text(row, 1) ?? ""].map { Array($0.utf8) }
            })
        let tables = try link.simple(
            """
            SELECT c.relname, c.relkind = 'p' FROM pg_class AS c
            WHERE c.relnamespace = \(schema.number) AND c.relkind IN ('r', 'p')
            """)
        var isPartitioned = ByteKeyedDictionary<Bool>()
        for row in 0..<tables.rowCount {
            isPartitioned[tables.text(row, 0) ?? ""] = tables.text(row, 1) == "t"
        }
        var problems: [Int: String] = [:]
        for table in try attachedTables() {
            guard let isPartitioned = isPartitioned[table.name] else { continue }
            let kinds =
                isPartitioned ? ["row", "truncate"] : ["insert", "update", "delete", "truncate"]
            let missing = kinds.map(table.objectName).first {
                !standing.contains([Array(table.name.utf8), Array($0.utf8)])
            }
            problems[table.number] = missing.map {
                TrackingReason.triggerMissingOrOff($0, on: table.name)
            }
        }
        return problems
    }
}
