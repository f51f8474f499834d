import CMariaDB
import MoorageCore
import MoorageHub

/// What the hub says of an error of the server's. The words of a refusal have no final stop,
/// because the names in the error follow them.
extension ServerError {
    /// The error as the hub sees it.
    var central: CentralError {
        // An owner's trigger may refuse a change with any code.
        if isSignal { return refused(.trigger, RefusalWords.triggerRefused, name: nil) }
        return switch Int32(code) {
        // MariaDB's check, and MySQL's.
        case 4025, 3819: refused(.check, RefusalWords.check, name: checkName)
        case ER_NO_PARTITION_FOR_GIVEN_VALUE, ER_ROW_DOES_NOT_MATCH_GIVEN_PARTITION_SET:
            refused(.check, "No partition of the table accepts the row", name: nil)
        case ER_DUP_ENTRY, ER_DUP_ENTRY_WITH_KEY_NAME, ER_DUP_KEY:
            refused(.unique, RefusalWords.unique, name: keyName)
        case ER_NO_REFERENCED_ROW, ER_NO_REFERENCED_ROW_2, ER_ROW_IS_REFERENCED,
            ER_ROW_IS_REFERENCED_2:
            refused(.foreignKey, RefusalWords.foreignKey, name: constraint)
        case ER_BAD_NULL_ERROR, ER_NO_DEFAULT_FOR_FIELD:
            refused(.notNull, RefusalWords.notNull, name: requiredColumn)
        case ER_DATA_TOO_LONG, ER_WARN_DATA_OUT_OF_RANGE, ER_TRUNCATED_WRONG_VALUE,
            ER_TRUNCATED_WRONG_VALUE_FOR_FIELD, WARN_DATA_TRUNCATED, ER_DATA_OUT_OF_RANGE,
            ER_INVALID_CHARACTER_STRING, ER_CANT_CREATE_GEOMETRY_OBJECT, 3140, 3156, 3854, 3988:
            refused(.type, RefusalWords.misfit, name: columnName)
        case ER_DIVISION_BY_ZERO, ER_WRONG_VALUE_FOR_TYPE:
            refused(.type, "The central database cannot calculate with a value", name: nil)
        case ER_SUBQUERY_NO_1_ROW, ER_TOO_MANY_ROWS:
            refused(.trigger, RefusalWords.triggerFailed, name: nil)
        case ER_TABLEACCESS_DENIED_ERROR, ER_COLUMNACCESS_DENIED_ERROR, ER_VIEW_CHECK_FAILED:
            refused(.permission, "The hub's user is not allowed to do this", name: neededRight)
        case ER_TOO_LONG_KEY, ER_TOO_BIG_ROWSIZE, ER_NET_PACKET_TOO_LARGE:
            refused(.tooLarge, "A value is too large for an index, a row or a packet", name: nil)
        case ER_LOCK_DEADLOCK, ER_LOCK_WAIT_TIMEOUT, ER_CHECKREAD, ER_QUERY_INTERRUPTED,
            ER_TABLE_DEF_CHANGED, ER_XA_RBDEADLOCK, 1969, 3024, 3572:
            CentralError.otherTransactionInTheWay(code)
        case ER_OPTION_PREVENTS_STATEMENT, ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION:
            CentralError.noWrites(code)
        case 1665:  // ER_BINLOG_STMT_MODE_AND_ROW_ENGINE
            CentralError.binaryLogOfStatements(code)
        case ER_BINLOG_CREATE_ROUTINE_NEED_SUPER: CentralError.triggersForbidden
        case ER_NO_SUCH_USER: CentralError.triggerWithoutUser(code)
        // Below 1,000: a file of the server's is gone, cannot be written, or its disk is full.
        case 1..<1000, ER_CON_COUNT_ERROR, ER_SERVER_SHUTDOWN, ER_CONNECTION_KILLED, ER_DISK_FULL:
            CentralError.cannotWork(code)
        case 2000...2999: CentralError.connectionLost(code)
        default: CentralError.statementRefused(code)
        }
    }

    private func refused(_ code: Refusal.Code, _ words: String, name: String?) -> CentralError {
        let message = "\(words)\(name.map { ", \($0)" } ?? "") (\(self.code))."
        return CentralError(.refused(Refusal(code: code, message: message)), message)
    }
}
