import GRDB
import MoorageCore
import MoorageWire

/// Makes an empty file a replica. First come the tables from the hub's schema, then the rows, and
/// then triggers and secondary indexes.
extension ReplicaStore {
    /// Creates the tables, or goes on with an interrupted clone.
    ///
    /// - Throws: `fileNotEmpty` when the file is a replica, or has one of the tables, and no clone is
    ///   under way.
    func beginCloning(_ db: Database, newID: String, schema: SchemaAnswer) throws {
        let meta = Metadata(db: db)
        if try meta.exists(), try meta.text(.clone) != nil {
            try open(db, newID: newID)
            return try adopt(db, hub: schema.hub, schema: schema.schema)
        }
        guard try !meta.exists() || meta.text(.hub) == nil else {
            throw ReplicaError.alreadyReplica
        }
        let made = Set(tables.map(\.id))
        try db.inTransaction(.immediate) {
            for table in tables {
                guard let description = schema.schema.table(named: table.name) else {
                    throw ReplicaError.unknownTable(table.name)
                }
                guard try LocalSchema(db: db).table(named: table.name) == nil else {
                    throw ReplicaError.fileNotEmpty(table.name)
                }
                try db.execute(sql: CloneSQL(table: description, tables: made).createTable)
            }
            try meta.create()
            try meta.set(.clone, "loading")
            return .commit
        }
        try open(db, newID: newID)
        try adopt(db, hub: schema.hub, schema: schema.schema)
    }

    /// Whether a clone is under way: its tables have no triggers yet.
    func isCloning(_ db: Database) throws -> Bool { try Metadata(db: db).text(.clone) != nil }

    /// Makes indexes and triggers, once all rows are here.
    func endCloning(_ db: Database) throws {
        try transaction(db) { transaction in
            guard try transaction.meta.text(.clone) != nil else { return }
            let made = Set(tables.map(\.id))
            for table in transaction.tables.synced {
                for sql in CloneSQL(table: table.description, tables: made).createIndexes {
                    try db.execute(sql: sql)
                }
            }
            try transaction.meta.set(.clone, .null)
            try StoreSchema(db: db, configured: tables).refresh(.running)
        }
    }
}
