import GRDB

/// Whether a connection enforces foreign keys.
///
/// SQLite sets the flag when it compiles the PRAGMA. Running the PRAGMA makes SQLite prepare every
/// statement of the connection again, the app's own too. So it is compiled, and run only if that
/// was not enough. A statement that writes rows keeps the flag with which it was compiled. So only
/// transactions with foreign keys off write the app's rows.
enum ForeignKeys {
    static func areOn(_ db: Database) throws -> Bool {
        // Never cached: the answer is also part of the compiled statement.
        try RawStatement(db, "PRAGMA foreign_keys").firstInteger() == 1
    }

    static func turn(on isOn: Bool, _ db: Database) throws {
        let sql = "PRAGMA foreign_keys = \(isOn ? "ON" : "OFF")"
        _ = try RawStatement(db, sql)
        if try areOn(db) != isOn { try db.execute(sql: sql) }
    }
}
