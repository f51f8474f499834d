import GRDB

extension ReplicaError {
    /// The error of a local write that was refused because the table's rows only come from the hub;
    /// `nil` for any other error.
    ///
    /// Whoever writes gets the error of a trigger from SQLite. This error says what it means.
    ///
    /// - Parameter error: What the app's write threw.
    public init?(localWrite error: any Error) {
        guard let error = error as? DatabaseError,
            error.extendedResultCode == .SQLITE_CONSTRAINT_TRIGGER,
            let message = error.message, message.hasPrefix(TrackingSQL.readOnlyPrefix)
        else { return nil }
        let what = message.dropFirst(TrackingSQL.readOnlyPrefix.count)
        self.init(
            .readOnly,
            """
            \(what): it cannot be changed here. Nothing was written. Change it in the central \
            database.
            """, recovery: .askOperator, cause: error)
    }
}
