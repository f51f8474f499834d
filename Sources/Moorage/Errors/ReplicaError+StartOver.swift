/// Emptying the file for another user.
extension ReplicaError {
    /// Each copy of the file was out of date before the file could be emptied.
    static let copyOutdated = ReplicaError(
        .database,
        """
        Other processes write to the file all the time, so no copy of it is complete. Nothing \
        changed. Stop them, and call `startOver` again.
        """, recovery: .changeCall)

    static let copyExists = ReplicaError(
        .fileNotEmpty,
        "There is a file already at the path for the copy. Nothing changed. Choose another path.",
        recovery: .changeCall)

    /// The copy of the file could not be made durable, or an old one could not be removed.
    static func copyFailed(_ cause: any Error) -> ReplicaError {
        ReplicaError(
            .database,
            """
            The copy of the file could not be written to the disk. Nothing changed. Choose another \
            path, or free some space, and call `startOver` again.
            """, recovery: .changeCall, cause: cause)
    }

    static func changesPending(_ tables: [(name: String, count: Int)]) -> ReplicaError {
        let names = tables.map { "\($0.name) (\($0.count))" }.joined(separator: ", ")
        return ReplicaError(
            .changesPending,
            """
            Suspended tables have changes that were never sent: \(names). Nothing changed. Sync \
            once they go on, or call `startOver(archivingTo:)`, which keeps a copy of the file.
            """, recovery: .changeCall)
    }
}
