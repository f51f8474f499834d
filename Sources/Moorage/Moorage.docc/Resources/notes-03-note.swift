import Foundation
import GRDB

struct Note: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "note"

    var id = UUID().uuidString
    var text: String

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { db in
            try db.create(table: "note") { table in
                table.primaryKey("id", .text)
                table.column("text", .text).notNull()
            }
        }
        return migrator
    }
}
