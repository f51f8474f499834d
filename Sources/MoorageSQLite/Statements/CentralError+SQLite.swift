import GRDBSQLite
import MoorageCore
import MoorageHub

extension CentralError {
    /// The last error of a connection. SQLite's messages name tables, columns and constraints,
    /// never values.
    init(sqlite connection: OpaquePointer) {
        let extended = sqlite3_extended_errcode(connection)
        let message = sqlite3_errmsg(connection).map { String(cString: $0) } ?? "no message"
        self.init(Self.kind(extended, message), message)
    }

    private static func kind(_ extended: Int32, _ message: String) -> Kind {
        func refused(_ code: Refusal.Code) -> Kind {
            .refused(Refusal(code: code, message: "The central database refused it: \(message)."))
        }
        switch extended & 0xFF {
        case SQLITE_CONSTRAINT: return refused(constraint(extended))
        case SQLITE_MISMATCH: return refused(.type)
        case SQLITE_TOOBIG: return refused(.tooLarge)
        case SQLITE_BUSY, SQLITE_LOCKED: return .conflict
        case SQLITE_FULL, SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_NOTADB,
            SQLITE_CORRUPT, SQLITE_NOMEM:
            return .unavailable
        default: return .failed
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
