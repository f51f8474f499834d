import GRDB

extension ReplicaError {
    /// The error of a local write that the replica refused: `readOnly` because the table's rows only
    /// come from the hub, `permission` because the user may not make it. `nil` for any other error.
    ///
    /// Whoever writes gets the error of a trigger from SQLite. This error says what it means.
    ///
    /// - Parameter error: What the app's write threw.
    public init?(localWrite error: any Error) {
        guard let error = error as? DatabaseError,
            error.extendedResultCode == .SQLITE_CONSTRAINT_TRIGGER, let message = error.message
        else { return nil }
        func what(after prefix: String) -> Substring? {
            message.hasPrefix(prefix) ? message.dropFirst(prefix.count) : nil
        }
        if let what = what(after: TrackingSQL.readOnlyPrefix) {
            self.init(
                .readOnly,
                """
                \(what): it cannot be changed here. Nothing was written. Change it in the central \
                database.
                """, recovery: .askOperator, cause: error)
        } else if let what = what(after: RightTriggers.prefix) {
            self.init(
                .permission,
                """
                The user may not \(what). Nothing was written. Ask whoever runs the hub for the \
                right.
                """, recovery: .askOperator, cause: error)
        } else {
            return nil
        }
    }
}
