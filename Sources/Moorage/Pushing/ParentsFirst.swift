import MoorageCore

extension TableDescription {
    /// The changes of this table, which may refer to itself, parents before children.
    func parentsFirst(_ changes: [Change]) -> [Change] {
        let own = foreignKeys.filter {
            $0.referencedTable.hasSameBytes(as: name)
                && $0.referencedColumns.count == primaryKey.count
                && zip($0.referencedColumns, primaryKey).allSatisfy {
                    $0.hasSameBytes(as: columns[$1].name)
                }
        }
        guard !own.isEmpty, changes.count > 1 else { return changes }
        var position: [RowKey: Int] = [:]
        for (index, change) in changes.enumerated() { position[change.key] = index }
        func parents(_ change: Change) -> [Int] {
            own.compactMap { foreign in
                let values = foreign.columns.compactMap { Self.value($0, of: change) }
                guard values.count == foreign.columns.count else { return nil }
                return position[key(values)]
            }
        }
        var result: [Change] = []
        var state = [UInt8](repeating: 0, count: changes.count)
        for start in changes.indices where state[start] == 0 {
            var stack = [start]
            while let top = stack.last {
                if state[top] == 0 {
                    state[top] = 1
                    stack += parents(changes[top]).filter { state[$0] == 0 }
                } else {
                    stack.removeLast()
                    if state[top] == 1 {
                        state[top] = 2
                        result.append(changes[top])
                    }
                }
            }
        }
        return result
    }

    private static func value(_ column: Int, of change: Change) -> Value? {
        switch change.operation {
        case .insert(let row), .delete(let row): row[column]
        case .update(let edits): edits.first { $0.column == column }?.new
        case .refetch: nil
        }
    }
}
