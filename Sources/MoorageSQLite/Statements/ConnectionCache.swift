import GRDB
import MoorageCore
import MoorageHub

/// What one piece of work leaves for the next: prepared statements, and what was read of the
/// schema.
///
/// The statements are in GRDB's cache, which finalizes them before the connection closes.
/// `@unchecked Sendable`: only the database's own queue uses the cache.
final class ConnectionCache: @unchecked Sendable {
    private var texts = CachedSQLTexts()
    /// Whether the schema is steady. While Moorage's own steps change it, the cache keeps nothing
    /// that is read of it.
    var isSchemaSteady = true
    /// The types for which the connection knows how to compare values.
    var comparedTypes: Set<ColumnType> = []
    private var schema: String?
    private var shapes: [Int: TableShape] = [:]
    private var tracked: [TrackingTable]?

    func beginWork() {
        if !isSchemaSteady { schema = nil }
        isSchemaSteady = true
    }

    /// The cached statement of this text; `nil` when the cache does not keep it.
    func statement(_ sql: String, on database: Database) throws -> Statement? {
        guard texts.keep(sql) else { return nil }
        return try database.cachedStatement(sql: sql)
    }

    /// Forgets everything when the schema has changed. What was read before is out of date. Every
    /// use of a prepared statement would prepare it again.
    func forget(unless stamp: String, on database: Database) {
        guard schema != stamp || !isSchemaSteady else { return }
        schema = isSchemaSteady ? stamp : nil
        texts.removeAll()
        database.clearSchemaCache()
        shapes = [:]
        tracked = nil
    }

    func shape(
        of table: AttachedTable, at stamp: String, read: () throws -> TableShape
    ) rethrows -> TableShape {
        if schema == stamp, let known = shapes[table.number], known.table == table { return known }
        let shape = try read()
        if schema == stamp { shapes[table.number] = shape }
        return shape
    }

    func tracked(at stamp: String, read: () throws -> [TrackingTable]) rethrows -> [TrackingTable] {
        if schema == stamp, let tracked { return tracked }
        let tables = try read()
        if schema == stamp { tracked = tables }
        return tables
    }
}
