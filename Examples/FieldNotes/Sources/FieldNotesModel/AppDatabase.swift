import Foundation
import GRDB

/// The app's own file: plain GRDB.
public enum AppDatabase {
    public static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { db in
            // The declared type says to the hub that the text is a UUID.
            let uuid = Database.ColumnType(rawValue: "UUID")
            try db.create(table: Site.databaseTableName) { table in
                table.primaryKey("id", uuid)
                table.column("name", .text).notNull()
            }
            try db.create(table: Note.databaseTableName) { table in
                table.primaryKey("id", uuid)
                table.column("site_id", uuid).notNull().indexed()
                    .references(Site.databaseTableName, onDelete: .cascade)
                table.column("text", .text).notNull()
                table.column("written_at", .datetime).notNull()
            }
        }
        return migrator
    }

    public static func open(at path: String) throws -> DatabasePool {
        var configuration = Configuration()
        // Another process may write, such as a second command.
        configuration.busyMode = .timeout(5)
        // Lets the system suspend the app while it uses the file (docs/guides/background.md).
        configuration.observesSuspensionNotifications = true
        return try DatabasePool(path: path, configuration: configuration)
    }
}
