import GRDB
import MoorageCore
import MoorageWire

/// Tables from the hub's schema. A clone gets the rows next, and then triggers and secondary indexes.
/// A file that is opened has all of these before the first row.
extension ReplicaStore {
    /// Creates the tables, or goes on with an interrupted clone.
    ///
    /// - Throws: `fileNotEmpty` when the file is a replica, or has one of the tables, and no clone is
    ///   under way.
    func beginCloning(_ db: Database, newID: String, schema: SchemaAnswer) throws {
        let meta = Metadata(db: db)
        if try meta.exists(), try meta.isCloning() {
            try open(db, newID: newID)
            return try adopt(db, hub: schema.hub, schema: schema.schema)
        }
        guard try !meta.exists() || meta.text(.hub) == nil else {
            throw ReplicaError.alreadyReplica
        }
        let made = Set(tables.map(\.id))
        try db.inTransaction(.immediate) {
            for description in try describe(tables.map(\.id), of: schema.schema, db) {
                _ = try create(description, referringTo: made, db)
            }
            try meta.create()
            try meta.set(.clone, "loading")
            return .commit
        }
        try open(db, newID: newID)
        try adopt(db, hub: schema.hub, schema: schema.schema)
    }

    /// The tables as the app is to have them.
    private func describe(
        _ names: [Identifier], of schema: SchemaDescription, _ db: Database
    ) throws -> [TableDescription] {
        let schema = try schema.named(in: LocalSchema(db: db), listing: tables)
        return try names.map { name in
            guard let description = schema.table(named: name.text) else {
                throw ReplicaError.unknownTable(name.text)
            }
            return description
        }
    }

    private func create(
        _ table: TableDescription, referringTo tables: Set<Identifier>, _ db: Database
    ) throws -> CloneSQL {
        guard try LocalSchema(db: db).table(named: table.name) == nil else {
            throw ReplicaError.fileNotEmpty(table.name)
        }
        let sql = CloneSQL(table: table, tables: tables)
        try db.execute(sql: sql.createTable)
        return sql
    }

    /// Creates the tables that a file lacks, with all their indexes. The app may use them at once.
    ///
    /// - Parameters:
    ///   - lacking: The tables, by the names that the app uses.
    ///   - schema: The hub's schema.
    ///   - hub: The hub that has just sent it; `nil` if the file remembers it.
    /// - Throws: `differentHub`, `unknownTable`. Then nothing changed.
    func createTables(
        _ lacking: [Identifier], of schema: SchemaDescription, _ db: Database, hub: String?
    ) throws {
        try db.inTransaction(.immediate) {
            let meta = Metadata(db: db)
            if let hub, try meta.exists() { try meta.check(hub: hub) }
            // Another process may have made some of them meanwhile.
            var there = Set(try LocalSchema(db: db).tableNames().map { Identifier(folding: $0) })
            let made = Set(lacking)
            // A foreign key to a table that is gone would fail each insert of the app.
            let referred = tables.map(\.id).filter {
                made.contains($0) || there.contains(Identifier(folding: $0.text))
            }
            for table in try describe(lacking, of: schema, db)
            where there.insert(Identifier(folding: table.name)).inserted {
                let sql = try create(table, referringTo: Set(referred), db)
                for index in sql.createIndexes { try db.execute(sql: index) }
            }
            return .commit
        }
    }

    /// Makes indexes and triggers, once all rows are here.
    func endCloning(_ db: Database) throws {
        try transaction(db) { transaction in
            guard try transaction.meta.isCloning() else { return }
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
