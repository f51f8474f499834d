import Foundation
import GRDB
import MoorageCore

/// The app's part of a file's schema, without what SQLite, GRDB and the replica keep there.
struct MigratedSchema: Equatable {
    /// Type, name, table and SQL of each object.
    private var objects: Set<[StoredValueForm]>

    init(_ db: Database) throws {
        let statement = try RawStatement(
            db,
            """
            SELECT type, name, tbl_name, sql FROM main.sqlite_master
            WHERE name NOT GLOB '_moorage_*' AND name NOT GLOB 'sqlite_*'
              AND name NOT GLOB 'grdb_*'
            """)
        var objects: Set<[StoredValueForm]> = []
        while try statement.step() {
            objects.insert((0..<statement.columnCount).map(statement.column))
        }
        self.objects = objects
    }

    /// Whether the migrations that the file has are not those of the app any more.
    ///
    /// It follows GRDB's `hasSchemaChanges(_:)`, which counts the replica's tables, too. The
    /// migrations run once more, in a temporary file.
    ///
    /// - Throws: What a migration throws there, as it is. ``ReplicaError`` for the app's own file.
    static func isChanged(
        _ database: any DatabaseWriter, _ migrator: DatabaseMigrator
    ) throws -> Bool {
        let now = try database.inOneTransaction(.deferred) { db in
            (
                hasOthers: try migrator.hasBeenSuperseded(db),
                last: try migrator.appliedMigrations(db).last, schema: try MigratedSchema(db),
                synced: try Metadata(db: db).exists() ? TableRecords(db: db).localNames() : []
            )
        }
        if now.hasOthers { return true }
        guard let last = now.last else { return false }
        let made = try Self.made(by: migrator, upTo: last, database.configuration)
        return made != now.schema.leavingOut(now.synced.map(\.local), unlessIn: made)
    }

    /// Leaves out synced tables that no migration makes: they were made from the hub's schema.
    private func leavingOut(_ synced: [String], unlessIn other: MigratedSchema) -> MigratedSchema {
        let left = Set(synced.map { Identifier(folding: $0) })
            .subtracting(other.objects.compactMap { Self.table(of: $0) })
        var result = self
        result.objects = objects.filter { object in
            Self.table(of: object).map { !left.contains($0) } ?? true
        }
        return result
    }

    private static func table(of object: [StoredValueForm]) -> Identifier? {
        guard object.count > 2, case .value(.text(let name)) = object[2] else { return nil }
        return Identifier(folding: name)
    }

    private static func made(
        by migrator: DatabaseMigrator, upTo last: String, _ configuration: Configuration
    ) throws -> MigratedSchema {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "moorage-\(ProcessInfo.processInfo.globallyUniqueString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // As the app's database, except for what belongs to its own queues.
        var configuration = configuration
        configuration.readonly = false
        configuration.targetQueue = nil
        configuration.writeTargetQueue = nil
        configuration.label = "moorage.migrations"
        let queue = try DatabaseQueue(
            path: folder.appending(path: "schema.db").path, configuration: configuration)
        try migrator.migrate(queue, upTo: last)
        return try queue.writeWithoutTransaction { try MigratedSchema($0) }
    }
}
