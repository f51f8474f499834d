import MoorageCore
import MoorageHub

extension PostgresConnection {
    func hasOwnTable(_ name: String) throws -> Bool {
        let answer = try link.simple(
            "SELECT to_regclass(\(SQLText.literal(schema.table(name)))) IS NOT NULL")
        return answer.text(0, 0) == "t"
    }

    func metadataSteps() -> [String] {
        MetadataTable.all.flatMap { table in
            let columns = table.columns.map { column in
                let type =
                    switch column.kind {
                    case .name: "text COLLATE \"C\" NOT NULL"
                    case .text: "text"
                    case .integer: "bigint"
                    }
                return "  \(SQLText.name(column.name)) \(type)"
            }
            let key = table.primaryKey.map(SQLText.name).joined(separator: ", ")
            let name = schema.table(table.name)
            let step = """
                CREATE TABLE IF NOT EXISTS \(name) (
                \(columns.joined(separator: ",\n")),
                  PRIMARY KEY (\(key))
                )
                """
            let indexes = table.indexed.map { column in
                let index = SQLText.name(table.indexName(column))
                return "CREATE INDEX IF NOT EXISTS \(index) ON \(name) (\(SQLText.name(column)))"
            }
            return [step] + indexes
        } + [
            // Rows whose scopes were derived by a transaction that could not see what others had
            // committed (docs/reference/hub.md, Scopes on PostgreSQL). `upper` is the place of a
            // scope ancestor; NULL for the row itself.
            """
            CREATE TABLE IF NOT EXISTS \(ScopedTrackingSQL.unresolvedMoveTable(schema)) (
              id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
              number bigint NOT NULL,
              upper integer,
              row_key text[] NOT NULL
            )
            """
        ]
    }

    func detachMetadataSteps() -> [String] {
        ((MetadataTable.all.map(\.name) + MetadataTable.formerNames).map { schema.table($0) } + [
            ScopedTrackingSQL.unresolvedMoveTable(schema)
        ])
        .map {
            "DROP TABLE IF EXISTS \($0)"
        }
    }
}
