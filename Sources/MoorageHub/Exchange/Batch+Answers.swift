import MoorageCore

extension Batch {
    /// The changes whose rows the next page answers.
    ///
    /// A page leaves out an inserted row that the replica has as the hub stored it. If the replica
    /// asks for other columns than those of the batch, or by other names, it may have nothing in
    /// some of them. So it gets that row.
    func changes(answeredFor requested: [TableColumns]) -> [Change] {
        let others = tables.filter { table in !requested.contains { $0.hasSameBytes(as: table) } }
        if others.isEmpty { return changes }
        return changes.map { change in
            guard case .insert = change.operation,
                others.contains(where: { $0.name.hasSameBytes(as: change.table) })
            else { return change }
            return Change(
                table: change.table, key: change.key, operation: .refetch,
                editedAt: change.editedAt, isAgain: change.isAgain, group: change.group)
        }
    }
}
