import MoorageCore
import MoorageHub

extension SQLiteConnection {
    func metadataSteps() -> [String] {
        let tables = MetadataTable.all.map { table in
            let columns = table.columns.map { column in
                switch column.kind {
                case .name: "\(column.name) TEXT NOT NULL"
                case .text: "\(column.name) TEXT"
                case .integer: "\(column.name) INTEGER"
                }
            }
            return """
                CREATE TABLE IF NOT EXISTS \(table.name) (
                  \(columns.joined(separator: ",\n  ")),
                  PRIMARY KEY (\(table.primaryKey.joined(separator: ", ")))
                )
                """
        }
        return tables + [
            """
            CREATE TABLE IF NOT EXISTS moorage_clock (
              number INTEGER PRIMARY KEY,
              nonce TEXT NOT NULL,  -- a restored file counts on with other nonces
              at INTEGER NOT NULL
            )
            """,
            """
            INSERT INTO moorage_clock (number, nonce, at)
            SELECT 0, lower(hex(randomblob(8))), \(Self.nowSQL)
            WHERE NOT EXISTS (SELECT 1 FROM moorage_clock)
            """,
        ]
    }

    func detachMetadataSteps() -> [String] {
        (MetadataTable.all.map(\.name) + ["moorage_clock"]).map { "DROP TABLE IF EXISTS \($0)" }
    }

    func attachSteps(for table: AttachedTable, previous: AttachedTable?) throws -> [String] {
        let triggers = TrackingTriggers(table, unique: try uniqueKeys(of: table.name))
        var steps: [String] = []
        let keyNames = { (table: TableDescription) in
            table.primaryKey.map { Value.text(table.columns[$0].name) }
        }
        if let previous, keyNames(previous.description) != keyNames(table.description) {
            steps.append("DROP TABLE IF EXISTS \(triggers.track)")
        }
        return steps + triggers.tableSteps + triggers.dropSteps + triggers.createSteps
            + triggers.fillSteps
    }

    func detachSteps(for table: AttachedTable) throws -> [String] {
        let triggers = TrackingTriggers(table, unique: [])
        return triggers.dropSteps + ["DROP TABLE IF EXISTS \(triggers.track)"]
    }

    func runStep(_ sql: String) throws {
        beginMovingSchema()
        try execute(sql)
    }

    func restamp(_ table: AttachedTable) throws {
        try execute("UPDATE \(table.objectName("track").quoted) SET version = NULL")
    }
}
