import GRDB

/// Whether a connection enforces foreign keys.
///
/// SQLite sets the flag when it compiles the PRAGMA. When it runs it, it marks every statement of the
/// connection, the app's own too, to be prepared again: so it is compiled, and run only where that did
/// not do. A statement that writes rows keeps what was so when it was compiled: the app's rows are
/// written by transactions with foreign keys off alone.
enum ForeignKeys {
    static func areOn(_ db: Database) throws -> Bool {
        // Never kept: the answer, too, is part of the compiled statement.
        try RawStatement(db, "PRAGMA foreign_keys").firstInteger() == 1
    }

    static func turn(on isOn: Bool, _ db: Database) throws {
        let sql = "PRAGMA foreign_keys = \(isOn ? "ON" : "OFF")"
        _ = try RawStatement(db, sql)
        if try areOn(db) != isOn { try db.execute(sql: sql) }
    }
}
