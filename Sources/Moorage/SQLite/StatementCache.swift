import GRDB
import GRDBSQLite
import MoorageCore
import MoorageSupport

/// Statements that are prepared once for the life of a connection, and lent to one transaction
/// after another.
///
/// They are in GRDB's cache of the connection. GRDB finalizes them before it closes the connection,
/// when the system is short of memory, and when it sees the schema change.
final class StatementCache: Sendable {
    private struct State {
        var texts = CachedSQLTexts()
        var lent: Set<OpaquePointer> = []
    }
    private let state = Locked(State())

    /// The kept statement of this text; `nil` when it is not kept, or is lent already.
    func lend(_ db: Database, _ sql: String) throws -> RawStatement? {
        guard state.withLock({ $0.texts.keep(sql) }) else { return nil }
        let statement = try db.cachedStatement(sql: sql)
        let handle = statement.sqliteStatement
        guard state.withLock({ $0.lent.insert(handle).inserted }) else { return nil }
        return try RawStatement(prepared: statement, db) { [self] in
            state.withLock { _ = $0.lent.remove(handle) }
        }
    }

    /// Called after the schema changed: otherwise SQLite would prepare the old statements again at
    /// each use.
    func forget(_ db: Database) {
        state.withLock { $0.texts.removeAll() }
        db.clearSchemaCache()
    }
}
