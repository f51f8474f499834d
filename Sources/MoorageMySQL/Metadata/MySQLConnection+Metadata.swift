import MoorageCore
import MoorageHub

extension MySQLConnection {
    func hasOwnTable(_ name: String) throws -> Bool {
        let answer = try link.query(
            """
            SELECT count(*) FROM information_schema.tables
            WHERE table_schema = database() AND table_name = \(SQLText.literal(name))
            """)
        return answer.integer(0, 0) == 1
    }

    func metadataSteps() -> [String] { Self.metadataSteps(link.kind) }

    static func metadataSteps(_ kind: ServerKind) -> [String] {
        let collation = "CHARACTER SET utf8mb4 COLLATE \(kind.binaryCollation)"
        let tables = MetadataTable.all.reversed().map { table in
            var lines = table.columns.map { column in
                let type =
                    switch column.kind {
                    case .name: "VARCHAR(255) \(collation) NOT NULL"
                    case .text: "LONGTEXT \(collation)"
                    case .integer:
                        table.primaryKey.contains(column.name) ? "BIGINT NOT NULL" : "BIGINT"
                    }
                return "  \(SQLText.name(column.name)) \(type)"
            }
            let key = table.primaryKey.map(SQLText.name).joined(separator: ", ")
            lines.append("  PRIMARY KEY (\(key))")
            for column in table.indexed {
                let isText = table.columns.contains { $0.name == column && $0.kind == .text }
                lines.append(
                    "  KEY \(SQLText.name(table.indexName(column))) (\(SQLText.name(column))\(isText ? "(255)" : ""))"
                )
            }
            return """
                CREATE TABLE IF NOT EXISTS \(SQLText.name(table.name)) (
                \(lines.joined(separator: ",\n"))
                ) ENGINE = InnoDB ROW_FORMAT = DYNAMIC
                """
        }
        // moorage_meta tells the hub that all this exists, so it comes last: each statement that
        // creates a table commits.
        return [
            """
            CREATE TABLE IF NOT EXISTS "moorage_clock" (
              number BIGINT NOT NULL PRIMARY KEY,
              nonce VARCHAR(32) CHARACTER SET ascii NOT NULL,
              at BIGINT NOT NULL
            ) ENGINE = InnoDB
            """,
            // A numbering step locks its one row.
            """
            CREATE TABLE IF NOT EXISTS "moorage_turn" (id TINYINT NOT NULL PRIMARY KEY) ENGINE = InnoDB
            """,
            "INSERT IGNORE INTO moorage_turn (id) VALUES (1)",
            // What the current numbering step takes from the queues, where that is much. It is
            // empty when the step ends.
            """
            CREATE TABLE IF NOT EXISTS "moorage_taken" (
              place INTEGER NOT NULL, id BIGINT UNSIGNED NOT NULL, PRIMARY KEY (place, id)
            ) ENGINE = InnoDB
            """,
            """
            INSERT INTO moorage_clock (number, nonce, at)
            SELECT 0, \(nonceSQL), \(nowSQL) FROM moorage_turn
            WHERE NOT EXISTS (SELECT 1 FROM moorage_clock)
            """,
        ] + tables
    }

    /// A different text each time. (MySQL has no `md5` from 9.6 on.)
    static let nonceSQL = "LEFT(sha2(concat(uuid(), rand()), 256), 16)"

    func detachMetadataSteps() -> [String] {
        // moorage_meta goes last, so that the hub still finds a partial removal.
        (["moorage_clock", "moorage_turn", "moorage_taken"]
            + MetadataTable.formerNames + MetadataTable.all.reversed().map(\.name)).map {
                "DROP TABLE IF EXISTS \(SQLText.name($0))"
            }
    }
}
