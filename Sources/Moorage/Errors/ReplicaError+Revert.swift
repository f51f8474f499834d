import MoorageCore

extension ReplicaError {
    static func alreadySent(_ table: String) -> ReplicaError {
        ReplicaError(
            .alreadySent,
            """
            The change of \(table) was sent, and the hub may have it, so it cannot be reverted. \
            Nothing changed. Wait for the answer, then change the row again.
            """, recovery: .changeCall)
    }

    static func pendingChanged(_ table: String) -> ReplicaError {
        ReplicaError(
            .pendingChanged,
            """
            The row of \(table) was edited or sent after the change was listed. Nothing changed. \
            List the pending changes again, and revert the one that is meant.
            """, recovery: .changeCall)
    }

    static func revertBlocked(_ table: String, by row: RowName, _ reason: String) -> ReplicaError {
        ReplicaError(
            .revertBlocked,
            """
            A change of \(table) cannot be reverted alone. A row of \(row.table) was changed here, \
            too, and \(reason). Nothing changed. Revert both in one call.
            """, recovery: .changeCall)
    }

    /// - Parameter reason: One of ``ChangeReason``, or what SQLite says.
    static func cannotRevert(_ table: String, _ reason: String) -> ReplicaError {
        ReplicaError(
            .revertBlocked,
            "A change of \(table) cannot be reverted now: \(reason). Nothing changed.",
            recovery: .changeCall)
    }

    static func stillPending(_ table: String) -> ReplicaError {
        ReplicaError(
            .resubmitBlocked,
            """
            A change of \(table) cannot be written again, because it is still pending. Nothing \
            changed. Correct the row, and the change is sent.
            """, recovery: .changeCall)
    }

    /// - Parameter reason: One of ``ChangeReason``, or what SQLite says.
    static func cannotResubmit(_ table: String, _ reason: String) -> ReplicaError {
        ReplicaError(
            .resubmitBlocked,
            """
            A change of \(table) cannot be written again: \(reason). Nothing changed. Write what \
            fits now, and dismiss this change.
            """, recovery: .changeCall)
    }
}
