extension ReplicaError {
    static let groupOutsideTransaction = ReplicaError(
        .groupOutsideTransaction,
        """
        A group of changes is part of one transaction. Call `group` within `write`, or begin a \
        transaction first. Nothing changed.
        """, recovery: .changeCall)

    static func groupTooLarge(_ rows: Int, _ most: Int) -> ReplicaError {
        ReplicaError(
            .groupTooLarge,
            """
            The group changes \(rows) rows, and a batch may have \(most) at most. Let the \
            transaction roll back. Make smaller groups.
            """, recovery: .changeCall)
    }
}
