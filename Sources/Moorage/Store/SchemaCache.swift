import GRDB
import MoorageCore

/// What a file says of its schemas, each part read once. Every table asks for them, and SQLite
/// looks through all tables or triggers to find one. An instance is for one transaction.
final class SchemaCache {
    private var hub: SchemaDescription?
    private var local: LocalSchema?
    private var triggers: [Identifier: String]?
    private var stated: Set<Identifier>?

    /// The hub's schema in the app's names, decoded once.
    ///
    /// - Parameter tables: The tables that the app lists.
    func hubSchema(_ meta: Metadata, listing tables: [ReplicaTable]) throws -> SchemaDescription? {
        if let hub { return hub }
        hub = try meta.schema()?.named(in: local(meta.db), listing: tables)
        return hub
    }

    /// The app's tables. They do not change while the replica's own tables and triggers are made.
    func local(_ db: Database) -> LocalSchema {
        if let local { return local }
        let read = LocalSchema(db: db)
        local = read
        return read
    }

    /// The tables whose rows have states, as they were before the app's list was followed.
    func statedTables(_ meta: Metadata) throws -> Set<Identifier> {
        if let stated { return stated }
        let read = try meta.statedTables()
        stated = read
        return read
    }

    /// The replica's triggers by name, as they were before the replica made any again.
    func triggers(_ db: Database) throws -> [Identifier: String] {
        if let triggers { return triggers }
        var read: [Identifier: String] = [:]
        let sql = """
            SELECT name, sql FROM sqlite_master
            WHERE type = 'trigger' AND name LIKE '\\_moorage\\_%' ESCAPE '\\'
            """
        for row in try Row.fetchAll(db, sql: sql) {
            let name: String = row["name"]
            let text: String? = row["sql"]
            read[Identifier(name)] = text
        }
        triggers = read
        return read
    }
}
