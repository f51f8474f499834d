import MoorageCore
import MoorageWire

/// What arrives from the hub, and what does not arrive there.
extension ReplicaError {
    /// - Parameters:
    ///   - pending: How many changes from before the call the hub has not answered.
    ///   - sendable: How many of these are not of a suspended table.
    ///   - hasPulled: Whether everything that the hub had at the call is here.
    ///   - suspended: The names of the suspended tables.
    ///   - last: Why the last try failed.
    static func notCaughtUp(
        within limit: Duration, pending: Int, sendable: Int, hasPulled: Bool,
        suspended: [String], last: ReplicaError?
    ) -> ReplicaError {
        var parts: [String] = []
        if pending == 1 { parts.append("1 local change is not at the server") }
        if pending > 1 { parts.append("\(pending) local changes are not at the server") }
        if !hasPulled { parts.append("changes of the server may be missing here") }
        if !suspended.isEmpty {
            parts.append("these tables are suspended: \(suspended.joined(separator: ", "))")
        }
        let what = parts.isEmpty ? "the last answer came too late" : parts.joined(separator: "; ")
        let next: String
        if let last {
            next = "The last try failed: \(last.message)"
        } else if hasPulled, sendable == 0, !suspended.isEmpty {
            next = "No change is lost. Look at the replica's status for the reason."
        } else {
            next = "No change is lost. Call again."
        }
        return ReplicaError(
            .notCaughtUp,
            "The replica has not caught up within \(limit): \(what). \(next)",
            recovery: last?.recovery ?? .retry(after: nil), cause: last)
    }

    /// No try failed, and yet changes are not at the hub.
    static let changesLeft = ReplicaError(
        .notCaughtUp, "Changes remain in the log of this device. The replica tries again.",
        recovery: .retry(after: nil))

    /// - Parameter what: One of ``ProtocolReason``.
    static func protocolViolation(_ what: String) -> ReplicaError {
        ReplicaError(
            .protocolViolation,
            """
            The hub's answer breaks the protocol: \(what). Nothing of it was applied. Report this \
            as a defect.
            """, recovery: .reportBug)
    }

    static func removalForbidden(_ table: String, by local: String) -> ReplicaError {
        ReplicaError(
            .removalForbidden,
            """
            The hub or `startOver` removes a row of \(table). The local table \(local) refers to \
            it, and its foreign key forbids the removal. Nothing changed. Declare ON DELETE \
            CASCADE, SET NULL or SET DEFAULT, or delete the referring rows.
            """, recovery: .changeSchema)
    }

    static func differentHub(_ known: String, answered: String) -> ReplicaError {
        ReplicaError(
            .differentHub,
            """
            The file is a replica of the hub \(known), and the hub \(answered) answered. Nothing \
            changed. Correct the address, or clone into a new file.
            """, recovery: .choose)
    }

    static func rowsOfUnknown(_ table: Identifier) -> ReplicaError {
        ReplicaError(
            .tableSuspended,
            """
            The hub sent rows of \(table), which this replica does not sync. The page was not \
            applied. Report this as a defect.
            """, recovery: .reportBug)
    }

    static func triggersLost(_ table: Identifier) -> ReplicaError {
        ReplicaError(
            .tableSuspended,
            """
            The triggers of \(table) were lost for a while. The page was not applied. The replica \
            compares the table with the hub first, and tries again.
            """, recovery: .retry(after: nil))
    }

    /// The hub refuses a batch of one change.
    static let changeTooLarge = ReplicaError(
        .hub(.tooLarge),
        """
        The hub does not accept even a single change of the batch. The changes stay on this \
        device. Ask whoever runs the hub to raise its limits.
        """, recovery: .askOperator)
}
