import CMariaDB

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

    /// Whether a text has a character that a character set lacks. MySQL has extra codes for this,
    /// which it uses when it converts a value before it checks the column.
    var isAboutCharacters: Bool {
        !isSignal && ([3854, 3988].contains(code) || message.hasPrefix("Incorrect string value"))
    }

    /// The class of SQL states that `SIGNAL` uses.
    var isSignal: Bool { state.hasPrefix("45") }

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

    // MARK: Names in the message

    /// The texts in single quotes. Values are in single quotes, too.
    private var quoted: [String] {
        message.split(separator: "'", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }

    /// `Duplicate entry '…' for key 'name'`. The value may contain quotes, so the key is the last
    /// quoted text.
    var keyName: String? {
        guard message.hasSuffix("'"), let range = message.dropLast().lastIndex(of: "'") else {
            return nil
        }
        return "key \(message[message.index(after: range)...].dropLast())"
    }

    /// `Column 'name' cannot be null`. The name is the first quoted text.
    var requiredColumn: String? {
        message.hasPrefix("Column '") || message.hasPrefix("Field '")
            ? quoted.first.map { "column \($0)" } : nil
    }

    /// `… for column 'name' at row 1`. The names of the database and the table may precede it,
    /// where the table may be a temporary one of the server's. The column is the last name.
    var columnName: String? {
        let matches = message.ranges(of: "for column ")
        guard let match = matches.last else { return nil }
        let rest = message[match.upperBound...]
        guard let end = rest.firstRange(of: " at row") else { return nil }
        let path = rest[..<end.lowerBound]
        let name = path.ranges(of: "`.`").last.map { path[$0.upperBound...] } ?? path
        return "column " + name.filter { !"`'\"".contains($0) }
    }

    /// `TRIGGER command denied to user …`. The command may be several words with commas.
    var neededRight: String? {
        guard let range = message.firstRange(of: " command denied") else { return nil }
        let words = message[..<range.lowerBound]
        guard words.allSatisfy({ $0.isASCII && ($0.isUppercase || " ,".contains($0)) }) else {
            return nil
        }
        return "which needs the right \(words)"
    }

    var constraint: String? {
        guard let match = message.firstRange(of: "CONSTRAINT ") else { return nil }
        let name = message[match.upperBound...].prefix { $0 != " " }
        return "constraint " + name.filter { !"`\"".contains($0) }
    }

    /// ``CONSTRAINT `name` failed for …``, or `Check constraint 'name' is violated.`
    var checkName: String? {
        constraint ?? quoted.first.map { "constraint \($0)" }
    }
}
