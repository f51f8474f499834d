import MoorageWire

/// What ends an exchange or a comparison.
extension HubError {
    // MARK: Replica and user

    static let differentUser = HubError(
        .differentUser,
        """
        This file is another user's replica. Let that user sign in again, or start over with \
        `startOver`. Nothing changed.
        """)

    static let replicaRevoked = HubError(
        .replicaRevoked,
        "This replica may not sync any more. Ask whoever runs the hub. Nothing changed.")

    static let replicaWiped = HubError(
        .replicaWiped,
        """
        The hub ordered this replica to delete its synced rows and changes. It may not sync \
        any more. Ask whoever runs the hub.
        """)

    static let tooManyReplicas = HubError(
        .tooMany,
        """
        This user has begun as many replicas as one user may within the retention time. Use \
        one of them, or ask whoever runs the hub for a higher limit. Nothing changed.
        """, retryAfter: .seconds(3_600))

    static let tooManyStreamsOfUser = HubError(
        .tooMany,
        "This user has as many streams of changes as one user may. End one of them first.",
        retryAfter: .seconds(5))

    /// - Parameters:
    ///   - own: The id of the hub that the file belongs to.
    ///   - hub: The id of this hub.
    static func differentHub(own: String, hub: String) -> HubError {
        HubError(
            .differentHub,
            """
            This file is a replica of the hub \(own), and this is the hub \(hub). Point the \
            replica at its own hub, or make a new file for this one. Nothing changed.
            """)
    }

    static func clientTooOld(minimum: String) -> HubError {
        HubError(
            .clientTooOld,
            """
            This version of the app may not sync any more: the hub asks for \(minimum) or newer. \
            Update the app. Its changes are kept.
            """)
    }

    // MARK: Messages

    static let cursorInvalid = HubError(
        .cursorInvalid,
        "The cursor has a checkpoint that this hub never made. Please report this.")

    static func noKey(of table: String) -> HubError {
        HubError(
            .malformed,
            "Reading should go on behind a key that table \(table) cannot have. Please report this."
        )
    }

    static let cursorExpired = HubError(
        .cursorExpired,
        """
        The cursor is of another epoch, or of a time that the hub has forgotten. Sync the \
        replica first.
        """)

    static func noTableForUser(_ table: String) -> HubError {
        HubError(
            .unknownTable,
            """
            The hub has no table \(table) for this user. Attach the table, or give the user a \
            right to it.
            """)
    }

    static func noTableWithColumns(_ table: String) -> HubError {
        HubError(
            .unknownTable,
            """
            The hub has no table \(table) with these columns. Attach the table with them, or sync \
            the replica first.
            """)
    }

    /// - Parameter reason: A full sentence, with what would fix it.
    static func tableSuspended(_ reason: String) -> HubError { HubError(.tableSuspended, reason) }

    // MARK: The hub's side

    static let rowsLocked = HubError(
        .busy,
        """
        Other transactions have locks on rows of this batch. The hub stored nothing of it, and \
        the replica sends it again.
        """, retryAfter: .seconds(1))

    static let cursorExpiredMeanwhile = HubError(
        .busy,
        "The replica's cursor expired during the exchange. The next exchange reads again.",
        retryAfter: .seconds(1))

    static let historyWentBack = HubError(
        .busy,
        "The hub's history went back. The next exchange begins a new epoch.",
        retryAfter: .seconds(1))

    static let batchMissing = HubError(
        .internalError, "The exchange has no batch where it pushes one. Please report this.")
}
