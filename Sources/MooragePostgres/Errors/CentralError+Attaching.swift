import MoorageHub

/// Steps of attaching that the database refuses.
extension CentralError {
    static func roleLacksRight(_ role: String) -> CentralError {
        CentralError(
            .failed,
            """
            The role \(role) lacks a right that this step needs. The step changed nothing. \
            `moorage doctor` says which right, and how to grant it.
            """)
    }

    /// - Parameter owners: The names of roles, as SQL.
    static func objectsOfOthers(_ owners: String, role: String) -> CentralError {
        CentralError(
            .failed,
            """
            Moorage's tables and functions belong to \(owners), and the role \(role) may not \
            change them. The step changed nothing. Attach and detach as \(owners), or run GRANT \
            \(owners) TO \(role).
            """)
    }

    static func partitionedTableDecides(_ partitioned: String, scopesOf table: String)
        -> CentralError
    {
        CentralError(
            .failed,
            """
            The table \(partitioned) is partitioned, so it cannot decide about the scopes of \
            \(table). Leave the `scope` of \(table) out, or let it go through tables that are not \
            partitioned.
            """)
    }
}
