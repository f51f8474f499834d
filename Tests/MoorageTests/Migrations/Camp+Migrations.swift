import GRDB
import Moorage

/// A device whose app makes its tables with GRDB's migrator.
extension Camp {
    /// The first migration, and later ones by name.
    static func migrator(
        _ first: String = local, then later: KeyValuePairs<String, String> = [:]
    ) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { try $0.execute(sql: first) }
        for (name, sql) in later {
            migrator.registerMigration(name) { try $0.execute(sql: sql) }
        }
        return migrator
    }

    /// The file of a device that has synced once.
    func migratedFile() async throws -> DatabaseQueue {
        let file = try DatabaseQueue()
        try Replica.migrate(file, with: Self.migrator())
        try await open(file).sync()
        return file
    }

    /// Replaces `site` by a table with the same columns.
    ///
    /// - Parameter rows: What selects the rows of the new table.
    static func rebuild(_ rows: String = "SELECT * FROM site") -> String {
        """
        CREATE TABLE new(id TEXT PRIMARY KEY NOT NULL, name TEXT, height INTEGER);
        INSERT INTO new \(rows); DROP TABLE site; ALTER TABLE new RENAME TO site
        """
    }
}
