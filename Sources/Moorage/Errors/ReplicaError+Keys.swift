import MoorageCore

/// Keys that the hub hands out.
extension ReplicaError {
    static func noTableForKeys(_ table: String) -> ReplicaError {
        ReplicaError(
            .noSuchTable,
            """
            The replica does not sync a table \(table), or has suspended it. Nothing changed. Look \
            at the replica's status.
            """, recovery: .changeCall)
    }

    static func noKeysLeft(_ table: Identifier) -> ReplicaError {
        ReplicaError(
            .noKeysLeft,
            """
            This device has no keys of \(table) left. Nothing changed. Sync once: the hub hands \
            out more if its configuration has a `keyBlock` for the table.
            """, recovery: .changeCall)
    }
}
