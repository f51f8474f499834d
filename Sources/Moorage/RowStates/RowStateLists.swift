import MoorageCore
import SQLiteSupport

/// Notes rows of which a list for review says something new. The lists have keys as the hub writes
/// them, which only this library can convert to the app's.
enum RowStateLists {
    /// How the names of everything here begin.
    static let prefix = "_moorage_restate"
    /// The rows whose state is to be read again.
    static let table = "_moorage_restated"
    private static let lists = [
        "_moorage_refused", "_moorage_overruled", "_moorage_deferred", "_moorage_withheld",
    ]
    private static let overruledIndex = "_moorage_restate_overruled"

    /// What the file needs for some tables; nothing for none.
    static func definitions(for tables: [TrackedTable]) -> [RowStateDefinition] {
        if tables.isEmpty { return [] }
        // An app may list its tables in another order each time.
        let tables = tables.sorted { $0.name < $1.name }
        let createTable = """
            CREATE TABLE \(table)(tbl TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY(tbl, key)) \
            WITHOUT ROWID
            """
        let createIndex = "CREATE INDEX \(overruledIndex) ON _moorage_overruled(tbl, key)"
        return [
            RowStateDefinition(name: table, sql: createTable),
            RowStateDefinition(name: overruledIndex, sql: createIndex),
        ] + lists.flatMap { triggers(of: $0, for: tables) } + [inFlightTrigger(for: tables)]
    }

    private static func triggers(
        of list: String, for tables: [TrackedTable]
    ) -> [RowStateDefinition] {
        let names = tables.map { SQLText.literal($0.name.text) }.joined(separator: ", ")
        let events = [
            ("added", "INSERT", "NEW"), ("removed", "DELETE", "OLD"), ("left", "UPDATE", "OLD"),
            ("changed", "UPDATE", "NEW"),
        ]
        return events.map { kind, event, row in
            let name = "\(prefix)_\(kind)\(list)"
            let sql = """
                CREATE TRIGGER \(name) AFTER \(event) ON \(list) WHEN \(row).tbl IN (\(names))
                BEGIN
                  INSERT INTO \(table)(tbl, key) SELECT \(row).tbl, \(row).key WHERE NOT EXISTS (
                    SELECT 1 FROM \(table) WHERE tbl = \(row).tbl AND key = \(row).key);
                END
                """
            return RowStateDefinition(name: name, sql: sql)
        }
    }

    /// A batch leaves the file with its answer, and when it is unprepared.
    private static func inFlightTrigger(for tables: [TrackedTable]) -> RowStateDefinition {
        let name = "\(prefix)_inflight"
        let clear = tables.flatMap { RowStateSQL(table: $0).clearInFlight }
        let sql = """
            CREATE TRIGGER \(name) AFTER DELETE ON _moorage_inflight
            BEGIN
            \(clear.map { "  \($0);" }.joined(separator: "\n"))
            END
            """
        return RowStateDefinition(name: name, sql: sql)
    }

    /// Notes every row of a table that a list has.
    static func noteAll(of table: TrackedTable) -> [String] {
        lists.map {
            """
            INSERT OR IGNORE INTO \(self.table)(tbl, key) \
            SELECT tbl, key FROM \($0) WHERE tbl = \(SQLText.literal(table.name.text))
            """
        }
    }

    /// What the lists say of the row `?1`, `?2`.
    static let read = """
        SELECT (SELECT code FROM _moorage_refused WHERE tbl = ?1 AND key = ?2 ORDER BY id DESC LIMIT 1),
          EXISTS (SELECT 1 FROM _moorage_overruled WHERE tbl = ?1 AND key = ?2),
          EXISTS (SELECT 1 FROM _moorage_deferred WHERE tbl = ?1 AND key = ?2),
          EXISTS (SELECT 1 FROM _moorage_withheld WHERE tbl = ?1 AND key = ?2)
        """
}
