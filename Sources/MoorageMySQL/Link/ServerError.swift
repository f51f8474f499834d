import CMariaDB
import MoorageCore
import MoorageHub

/// The server's error for a failed statement: its code, and the names in its message. Errors leave
/// out the message itself, because it may repeat values.
struct ServerError {
    let code: UInt32
    let state: String
    private let message: String

    init(code: UInt32, state: String, message: String) {
        self.code = code
        self.state = state
        self.message = message
    }

    /// The error as the hub sees it.
    var central: CentralError {
        // An owner's trigger may refuse a change with any code.
        if isSignal { return refused(.trigger, "A trigger of the owner's said no", name: nil) }
        return switch Int32(code) {
        case ER_DUP_ENTRY, ER_DUP_ENTRY_WITH_KEY_NAME, ER_DUP_KEY:
            refused(.unique, "Another row already has these values", name: last)
        case ER_NO_REFERENCED_ROW, ER_NO_REFERENCED_ROW_2, ER_ROW_IS_REFERENCED,
            ER_ROW_IS_REFERENCED_2:
            refused(
                .foreignKey, "A row that this one refers to, or that refers to it, forbids it",
                name: constraint)
        case ER_BAD_NULL_ERROR, ER_NO_DEFAULT_FOR_FIELD:
            refused(.notNull, "A value is required", name: first)
        // MariaDB's check, and MySQL's.
        case 4025, 3819: refused(.check, "A check does not hold", name: checkName)
        case ER_DATA_TOO_LONG, ER_WARN_DATA_OUT_OF_RANGE, ER_TRUNCATED_WRONG_VALUE,
            ER_TRUNCATED_WRONG_VALUE_FOR_FIELD, WARN_DATA_TRUNCATED, ER_DATA_OUT_OF_RANGE,
            ER_INVALID_CHARACTER_STRING, ER_CANT_CREATE_GEOMETRY_OBJECT, 3140, 3156, 3854, 3988:
            refused(.type, "A value does not fit its column", name: columnName)
        case ER_DIVISION_BY_ZERO, ER_WRONG_VALUE_FOR_TYPE:
            refused(.type, "A value cannot be calculated with", name: nil)
        case ER_NO_PARTITION_FOR_GIVEN_VALUE, ER_ROW_DOES_NOT_MATCH_GIVEN_PARTITION_SET:
            refused(.check, "No partition of the table takes the row", name: nil)
        case ER_SUBQUERY_NO_1_ROW, ER_TOO_MANY_ROWS:
            refused(.trigger, "A trigger of the owner's failed", name: nil)
        case ER_TOO_LONG_KEY, ER_TOO_BIG_ROWSIZE, ER_NET_PACKET_TOO_LARGE:
            refused(.tooLarge, "A value is too large for an index, a row or a packet", name: nil)
        case ER_TABLEACCESS_DENIED_ERROR, ER_COLUMNACCESS_DENIED_ERROR, ER_VIEW_CHECK_FAILED:
            refused(.permission, "The hub's user is not allowed to do this", name: command)
        case ER_LOCK_DEADLOCK, ER_LOCK_WAIT_TIMEOUT, ER_CHECKREAD, ER_QUERY_INTERRUPTED,
            ER_TABLE_DEF_CHANGED, ER_XA_RBDEADLOCK, 1969, 3024, 3572:
            CentralError(
                .conflict,
                "Another transaction was in the way, or a time limit was reached (\(code)).")
        case ER_OPTION_PREVENTS_STATEMENT, ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION:
            CentralError(.failed, "The central database takes no writes now (\(code)).")
        case 1665:  // ER_BINLOG_STMT_MODE_AND_ROW_ENGINE
            CentralError(
                .failed,
                """
                The server's binary log holds statements, and so it takes no write in READ COMMITTED, which \
                Moorage needs (1665). Set binlog_format to MIXED or ROW on it.
                """)
        case ER_BINLOG_CREATE_ROUTINE_NEED_SUPER:
            CentralError(
                .failed,
                """
                The server writes a binary log and lets only administrators make triggers. Set \
                log_bin_trust_function_creators = 1 on it, or attach as a user with the right SUPER.
                """)
        case ER_NO_SUCH_USER:
            CentralError(
                .failed,
                """
                A trigger runs as a user that does not exist (\(code)). Where it is Moorage's, `moorage attach` \
                makes it again.
                """)
        // Below 1,000: a file of the server's is gone, cannot be written, or its disk is full.
        case 1..<1000, ER_CON_COUNT_ERROR, ER_SERVER_SHUTDOWN, ER_CONNECTION_KILLED, ER_DISK_FULL:
            CentralError(
                .unavailable, "The central database cannot be reached or cannot work (\(code)).")
        case 2000...2999:
            CentralError(.unavailable, "The connection to the central database broke (\(code)).")
        default:
            CentralError(
                .failed, "The central database refused a statement of the hub (\(code)).")
        }
    }

    /// Whether a text has a character that a character set lacks. MySQL has extra codes for this,
    /// which it uses when it converts a value before it checks the column.
    var isAboutCharacters: Bool {
        !isSignal && ([3854, 3988].contains(code) || message.hasPrefix("Incorrect string value"))
    }

    /// The class of SQL states that `SIGNAL` uses.
    private var isSignal: Bool { state.hasPrefix("45") }

    /// Whether the statement or its prepared form no longer fits the tables.
    var isSchemaChange: Bool {
        [
            ER_BAD_FIELD_ERROR, ER_NO_SUCH_TABLE, ER_NEED_REPREPARE, ER_TABLE_DEF_CHANGED,
            ER_UNKNOWN_STMT_HANDLER,
        ].contains(Int32(code))
    }

    /// Whether the server rolled back the whole transaction with its savepoints, not only the
    /// statement.
    var endsTransaction: Bool {
        !isSignal && [ER_LOCK_DEADLOCK, ER_CHECKREAD, ER_XA_RBDEADLOCK].contains(Int32(code))
    }

    /// Whether the connection cannot be used any more.
    var isEnd: Bool {
        !isSignal
            && ((2000...2999).contains(code)
                || [ER_SERVER_SHUTDOWN, ER_CONNECTION_KILLED].contains(Int32(code)))
    }

    private func refused(_ code: Refusal.Code, _ words: String, name: String?) -> CentralError {
        let message = "\(words)\(name.map { ", \($0)" } ?? "") (\(self.code))."
        return CentralError(.refused(Refusal(code: code, message: message)), message)
    }

    // MARK: Names in the message

    /// The texts in single quotes. Values are in single quotes, too.
    private var quoted: [String] {
        message.split(separator: "'", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }

    /// `Duplicate entry '…' for key 'name'`. The value may contain quotes, so the key is the last
    /// quoted text.
    private var last: String? {
        guard message.hasSuffix("'"), let range = message.dropLast().lastIndex(of: "'") else {
            return nil
        }
        return "key \(message[message.index(after: range)...].dropLast())"
    }

    /// `Column 'name' cannot be null`. The name is the first quoted text.
    private var first: String? {
        message.hasPrefix("Column '") || message.hasPrefix("Field '")
            ? quoted.first.map { "column \($0)" } : nil
    }

    /// `… for column 'name' at row 1`. The names of the database and the table may precede it,
    /// where the table may be a temporary one of the server's. The column is the last name.
    private var columnName: String? {
        let matches = message.ranges(of: "for column ")
        guard let match = matches.last else { return nil }
        let rest = message[match.upperBound...]
        guard let end = rest.firstRange(of: " at row") else { return nil }
        let path = rest[..<end.lowerBound]
        let name = path.ranges(of: "`.`").last.map { path[$0.upperBound...] } ?? path
        return "column " + name.filter { !"`'\"".contains($0) }
    }

    /// `TRIGGER command denied to user …`. The command may be several words with commas.
    private var command: String? {
        guard let range = message.firstRange(of: " command denied") else { return nil }
        let words = message[..<range.lowerBound]
        guard words.allSatisfy({ $0.isASCII && ($0.isUppercase || " ,".contains($0)) }) else {
            return nil
        }
        return "which needs the right \(words)"
    }

    private var constraint: String? {
        guard let match = message.firstRange(of: "CONSTRAINT ") else { return nil }
        let name = message[match.upperBound...].prefix { $0 != " " }
        return "constraint " + name.filter { !"`\"".contains($0) }
    }

    /// ``CONSTRAINT `name` failed for …``, or `Check constraint 'name' is violated.`
    private var checkName: String? {
        constraint ?? quoted.first.map { "constraint \($0)" }
    }
}
