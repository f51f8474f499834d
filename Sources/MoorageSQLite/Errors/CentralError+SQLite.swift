import GRDBSQLite
import MoorageCore
import MoorageHub

extension CentralError {
    /// The last error of a connection. SQLite's words name tables, columns and constraints, never
    /// values.
    init(sqlite connection: OpaquePointer) {
        let extended = sqlite3_extended_errcode(connection)
        let words = sqlite3_errmsg(connection).map { String(cString: $0) } ?? "no message"
        let (kind, message) = Self.translation(extended, words)
        self.init(kind, message)
    }

    private static func translation(_ extended: Int32, _ words: String) -> (Kind, String) {
        func refused(_ code: Refusal.Code) -> (Kind, String) {
            let message = "The central database refused it: \(words)."
            return (.refused(Refusal(code: code, message: message)), message)
        }
        switch extended & 0xFF {
        case SQLITE_CONSTRAINT: return refused(constraint(extended))
        case SQLITE_MISMATCH: return refused(.type)
        case SQLITE_TOOBIG: return refused(.tooLarge)
        case SQLITE_BUSY, SQLITE_LOCKED:
            return (.conflict, "Another program has a lock (\(words)).")
        case SQLITE_FULL, SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_NOTADB,
            SQLITE_CORRUPT, SQLITE_NOMEM:
            return (.unavailable, "The central database cannot work: \(words).")
        default: return (.failed, "The central database refused a statement of the hub: \(words).")
        }
    }

    private static func constraint(_ extended: Int32) -> Refusal.Code {
        switch extended >> 8 {
        case 1: .check
        case 3: .foreignKey
        case 5: .notNull
        case 6, 8, 10: .unique
        case 12: .type
        default: .trigger
        }
    }
}
