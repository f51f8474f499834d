import MoorageCore

/// New rows that refer to each other.
extension SetWriter {
    /// Where a database checks foreign keys at each statement, neither of two rows that refer to
    /// each other can be the first. So the hub writes the rows without these references, and adds
    /// the references afterwards. Whoever made the rows did the same.
    ///
    /// It writes all of them or none: if one row of a circle is refused, no row of it is written.
    func inTwoSteps(_ refused: [RefusedOperation]) throws -> [RefusedOperation] {
        let inserts = refused.filter {
            $0.operation.kind == .insert && $0.refusal.code == .foreignKey
        }.map(\.operation)
        guard !inserts.isEmpty else { return refused }
        let (first, then) = split(inserts)
        guard !then.isEmpty else { return refused }
        do {
            try atomically(first + then)
        } catch let error as CentralError {
            guard case .refused = error.kind else { throw error }
            return refused
        }
        let written = Set(inserts.map(\.change))
        return refused.filter { !written.contains($0.operation.change) }
    }

    /// The rows without their references to each other, and the updates that add these.
    private func split(
        _ inserts: [WriteOperation]
    ) -> (first: [WriteOperation], then: [WriteOperation]) {
        var first: [WriteOperation] = []
        var then: [WriteOperation] = []
        for insert in inserts {
            let table = insert.table.description
            let open = Set(
                table.foreignKeys.filter { foreign in
                    inserts.contains { insert.refers(to: $0, through: foreign) }
                }.flatMap { foreign in
                    foreign.columns.filter { table.columns[$0].isNullable && !table.isKey($0) }
                })
            let places = insert.columns.indices.filter { open.contains(insert.columns[$0]) }
            var values = insert.values
            for place in places { values[place] = .null }
            first.append(
                WriteOperation(
                    change: insert.change, table: insert.table, kind: .insert, key: insert.key,
                    columns: insert.columns, values: values))
            guard !places.isEmpty else { continue }
            then.append(
                WriteOperation(
                    change: insert.change, table: insert.table, kind: .update, key: insert.key,
                    columns: places.map { insert.columns[$0] },
                    values: places.map { insert.values[$0] }))
        }
        return (first, then)
    }
}
