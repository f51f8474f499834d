import GRDBSQLite

/// Runs untrusted SQL on a connection. The SQL may only make tables and indexes: it cannot attach
/// files, and cannot run without end.
enum SafeSQL {
    /// - Returns: Whether SQLite accepted it.
    static func run(_ sql: [UInt8], on connection: OpaquePointer) -> Bool {
        let limits = [
            (SQLITE_LIMIT_LENGTH, 100_000), (SQLITE_LIMIT_EXPR_DEPTH, 30),
            (SQLITE_LIMIT_COLUMN, 60),
        ]
        let old = limits.map { sqlite3_limit(connection, $0.0, Int32($0.1)) }
        defer {
            for (limit, value) in zip(limits, old) { sqlite3_limit(connection, limit.0, value) }
        }
        sqlite3_set_authorizer(
            connection,
            { _, action, first, _, _, _ in
                switch action {
                case SQLITE_CREATE_TABLE, SQLITE_CREATE_INDEX, SQLITE_READ, SQLITE_REINDEX,
                    SQLITE_FUNCTION:
                    return SQLITE_OK
                case SQLITE_INSERT, SQLITE_UPDATE:
                    let name = first.map { String(cString: $0) }
                    return name == "sqlite_master" ? SQLITE_OK : SQLITE_DENY
                default: return SQLITE_DENY
                }
            }, nil)
        defer { sqlite3_set_authorizer(connection, nil, nil) }
        return (sql + [0]).withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                sqlite3_exec(connection, $0.baseAddress, nil, nil, nil) == SQLITE_OK
            }
        }
    }
}
