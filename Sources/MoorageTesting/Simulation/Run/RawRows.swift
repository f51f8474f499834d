import GRDB
import GRDBSQLite
import MoorageCore

extension Database {
    /// The rows of a query, byte for byte.
    func rawRows(_ sql: String) throws -> [[Value]] {
        // GRDB's cache takes names for one that look alike.
        let isPlain = sql.utf8.allSatisfy { $0 < 0x80 }
        let owner = isPlain ? try cachedStatement(sql: sql) : try makeStatement(sql: sql)
        let statement = owner.sqliteStatement
        defer { withExtendedLifetime(owner) { _ = sqlite3_reset(statement) } }
        var rows: [[Value]] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW:
                let count = sqlite3_column_count(statement)
                rows.append((0..<count).map { Self.value(statement, $0) })
            case SQLITE_DONE: return rows
            default: throw lastError(sql)
            }
        }
    }

    private func lastError(_ sql: String) -> DatabaseError {
        DatabaseError(
            resultCode: ResultCode(rawValue: sqlite3_extended_errcode(sqliteConnection)),
            message: "\(sql): \(String(cString: sqlite3_errmsg(sqliteConnection)))")
    }

    private static func value(_ statement: OpaquePointer?, _ column: Int32) -> Value {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, column))
        case SQLITE_FLOAT: return .real(sqlite3_column_double(statement, column))
        case SQLITE_NULL: return .null
        case let type:
            let start = sqlite3_column_blob(statement, column)
            let bytes = UnsafeRawBufferPointer(
                start: start, count: Int(sqlite3_column_bytes(statement, column)))
            return type == SQLITE_TEXT
                ? .text(String(decoding: bytes, as: UTF8.self)) : .blob(Array(bytes))
        }
    }

    /// A transaction of a user's or of another program's: all of it, or nothing.
    ///
    /// - Returns: Whether it was committed; a constraint may refuse it, and in a shortened story a
    ///   table may be missing.
    func commit(_ sql: String) throws -> Bool {
        // SQLite lets one by: a row that replaces its own parent keeps a reference that SET NULL took.
        let isChecked = sql.contains("OR REPLACE")
        let before = isChecked ? try brokenReferences() : 0
        for part in ["BEGIN IMMEDIATE", sql, "COMMIT"] {
            if isChecked, part == "COMMIT", try brokenReferences() > before {
                sqlite3_exec(sqliteConnection, "ROLLBACK", nil, nil, nil)
                return false
            }
            let code = sqlite3_exec(sqliteConnection, part, nil, nil, nil)
            if code == SQLITE_OK { continue }
            let error = lastError(part)
            if sqlite3_get_autocommit(sqliteConnection) == 0 {
                sqlite3_exec(sqliteConnection, "ROLLBACK", nil, nil, nil)
            }
            if [SQLITE_CONSTRAINT, SQLITE_ERROR].contains(code & 0xFF) { return false }
            throw error
        }
        return true
    }

    private func brokenReferences() throws -> Int {
        try rawRows("PRAGMA foreign_key_check").count
    }
}

/// A digest of bytes, the same on every machine (FNV-1a).
struct Digest: Hashable, Sendable {
    private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }

    mutating func add(_ number: UInt64) {
        for shift in stride(from: 0, to: 64, by: 8) {
            value = (value ^ (number >> UInt64(shift) & 0xFF)) &* 0x100_0000_01b3
        }
    }

    var text: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
