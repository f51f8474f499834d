import MoorageCore

extension ReplicaError {
    static func alreadySent(_ table: String) -> ReplicaError {
        ReplicaError(
            .alreadySent,
            """
            The change of \(table) was sent, and the hub may have it: it cannot be reverted. Wait for \
            its answer, and change the row again. Nothing changed.
            """, recovery: .changeCall)
    }

    static func pendingChanged(_ table: String) -> ReplicaError {
        ReplicaError(
            .pendingChanged,
            """
            The row of \(table) was edited or sent after the change was listed. List the pending \
            changes again, and revert the one that is meant. Nothing changed.
            """, recovery: .changeCall)
    }

    static func cannotRevert(_ table: String, _ reason: String) -> ReplicaError {
        ReplicaError(
            .revertBlocked,
            "A change of \(table) cannot be reverted now: \(reason). Nothing changed.",
            recovery: .changeCall)
    }

    static func cannotResubmit(_ table: String, _ reason: String) -> ReplicaError {
        ReplicaError(
            .resubmitBlocked,
            """
            A change of \(table) cannot be written again: \(reason). Write it as it fits now, and \
            dismiss this one. Nothing changed.
            """, recovery: .changeCall)
    }

    static func revertBlocked(_ table: String, by row: RowName, _ reason: String) -> ReplicaError {
        ReplicaError(
            .revertBlocked,
            """
            A change of \(table) cannot be reverted alone: a row of \(row.table) that was changed here, \
            too, \(reason). Revert both in one call. Nothing changed.
            """, recovery: .changeCall)
    }
}
