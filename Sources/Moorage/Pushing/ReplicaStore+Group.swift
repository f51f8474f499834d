import GRDB
import MoorageCore
import MoorageWire

extension ReplicaStore {
    /// Runs changes of the app while the marker of a group exists, in the app's transaction.
    func group<Result>(_ db: Database, _ changes: () throws -> Result) throws -> Result {
        guard db.isInsideTransaction else { throw ReplicaError.groupOutsideTransaction }
        let marker = "SELECT id FROM _moorage_group LIMIT 1"
        // A group within a group is part of it.
        if try Int64.fetchOne(db, sql: marker) != nil { return try changes() }
        let tables = try load(db).tracked
        let before = try tables.map { table in
            try Int64.fetchOne(db, sql: "SELECT max(seq) FROM \(SQLText.name(table.logTable))")
                ?? .min
        }
        _ = try Self.openGroup(db)
        let result: Result
        do {
            result = try changes()
        } catch {
            try Self.closeGroup(db)
            throw error
        }
        try Self.closeGroup(db)
        var rows = 0
        for (table, seq) in zip(tables, before) {
            let keys = table.keyColumns.joined(separator: ", ")
            let sql = """
                SELECT count(*) FROM (
                  SELECT DISTINCT \(keys) FROM \(SQLText.name(table.logTable)) WHERE seq > ?)
                """
            rows += try Int.fetchOne(db, sql: sql, arguments: [seq]) ?? 0
        }
        let most = try Metadata(db: db).hubLimits().maximumBatchRows
        guard rows <= most else { throw ReplicaError.groupTooLarge(rows, most) }
        return result
    }

    /// - Returns: The group's number, which no other group of the file has.
    static func openGroup(_ db: Database) throws -> Int64 {
        try db.execute(sql: "INSERT INTO _moorage_group DEFAULT VALUES")
        return db.lastInsertedRowID
    }

    static func closeGroup(_ db: Database) throws {
        try db.execute(sql: "DELETE FROM _moorage_group")
    }

    /// Removes a marker that a writer left behind: a group ends with its transaction. It is called
    /// at the beginning of the replica's own transactions, before these make triggers or log
    /// anything that is no edit.
    static func endGroupLeftBehind(_ db: Database) throws {
        let marker = try RawStatement.fixed(db, "SELECT 1 FROM _moorage_group LIMIT 1")
        if try marker.firstInteger() != nil { try closeGroup(db) }
    }
}
