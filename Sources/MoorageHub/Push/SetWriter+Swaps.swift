import MoorageCore

/// Updates that are in each other's way: each row first gives up its unique values, then takes the
/// new ones (docs/decisions/0048).
extension SetWriter {
    private struct Swapping {
        let refused: RefusedOperation
        /// The row as it is.
        let row: [Value]
        var operation: WriteOperation { refused.operation }
    }

    func swap(_ refused: [RefusedOperation]) throws -> [RefusedOperation] {
        let candidates = refused.filter(\.mayBeSwap)
        guard candidates.count > 1 else { return refused }
        let standing = try rows(of: candidates.map(\.operation))
        let groups = connected(
            candidates.compactMap { candidate in
                standing[candidate.operation.change].map { Swapping(refused: candidate, row: $0) }
            })
        let failed = Set(try swap(groups).map(\.operation.change))
        return refused.filter {
            let isWritten = $0.mayBeSwap && standing[$0.operation.change] != nil
            return !isWritten || failed.contains($0.operation.change)
        }
    }

    /// Writes all groups together. Where the database refuses that, it tries half of them, down to
    /// one group.
    private func swap(_ groups: [[Swapping]]) throws -> [RefusedOperation] {
        let all = groups.flatMap { $0 }
        guard all.count > 1 else { return all.map(\.refused) }
        for direction in FreeValues.Direction.allCases {
            try connection.savepoint()
            let operations = all.map(\.operation)
            let rows = Dictionary(all.map { ($0.operation.change, $0.row) }) { first, _ in first }
            guard let vacated = try vacating(operations, rows, direction, beside: operations),
                try isAccepted(vacated)
            else {
                try connection.rollbackToSavepoint()
                continue
            }
            let left = try attempt(zip(operations, all).map { restoring($0, $1.row) })
            if left.isEmpty {
                try connection.releaseSavepoint()
                return []
            }
            // The culprits must not remain half-way: all is undone, and tried without them.
            try connection.rollbackToSavepoint()
            let culprits = Set(left.map(\.operation.change))
            if culprits.count == all.count, groups.count > 1, all.contains(where: leavesReference) {
                // A row that refers to nothing meanwhile may make the database refuse all of them.
                return try swapHalves(groups)
            }
            let others = groups.map { $0.filter { !culprits.contains($0.operation.change) } }
            return all.filter { culprits.contains($0.operation.change) }.map(\.refused)
                + (try swap(others.filter { !$0.isEmpty }))
        }
        return try groups.count > 1 ? swapHalves(groups) : swapInTurn(all)
    }

    private func swapHalves(_ groups: [[Swapping]]) throws -> [RefusedOperation] {
        let middle = groups.count / 2
        return try swap(Array(groups[..<middle])) + swap(Array(groups[middle...]))
    }

    /// Groups of rows that are in each other's way. Rows that are in no such group make one group
    /// for each table: the database may call more values equal than the hub does.
    private func connected(_ all: [Swapping]) -> [[Swapping]] {
        var holders: [UniqueHolding: Int] = [:]
        for (place, one) in all.enumerated() {
            for holding in one.operation.holdings({ one.row[$0] }) { holders[holding] = place }
        }
        var parents = Array(all.indices)
        func root(_ place: Int) -> Int {
            var place = place
            while parents[place] != place { place = parents[place] }
            return place
        }
        var isAlone = [Bool](repeating: true, count: all.count)
        for (place, one) in all.enumerated() {
            let wanted = one.operation.holdings { one.operation.values(of: $0) ?? one.row[$0] }
            for holding in wanted {
                guard let holder = holders[holding], holder != place else { continue }
                isAlone[place] = false
                isAlone[holder] = false
                parents[root(place)] = root(holder)
            }
        }
        struct Name: Hashable {
            let root: Int
            let table: Int
        }
        let groups = Dictionary(grouping: all.indices) { place in
            isAlone[place]
                ? Name(root: -1, table: all[place].operation.table.number)
                : Name(root: root(place), table: -1)
        }
        return groups.values.map { $0.sorted() }.sorted { $0[0] < $1[0] }
            .map { $0.map { all[$0] } }
    }

    // MARK: One after the other

    /// Row by row, so that one free value is enough. Where rows may be taken out for a moment, no
    /// free value is needed.
    private func swapInTurn(_ group: [Swapping]) throws -> [RefusedOperation] {
        var group = group
        var failed: [RefusedOperation] = []
        while group.count > 1, group.count <= Self.mostInTurn {
            let stuck = try writeInTurn(group)
            if stuck.isEmpty { return failed }
            failed += group.filter { stuck.contains($0.operation.change) }.map(\.refused)
            group.removeAll { stuck.contains($0.operation.change) }
        }
        return failed + group.map(\.refused)
    }

    private static let mostInTurn = 32

    /// - Returns: The changes that cannot be written. If there are any, nothing is written.
    private func writeInTurn(_ group: [Swapping]) throws -> Set<Int> {
        let all = group.map(\.operation)
        try connection.savepoint()
        do {
            var pending = group
            // How rows that gave way are written in the end.
            var last: [Int: WriteOperation] = [:]
            while !pending.isEmpty {
                let left = try pending.filter { one in
                    try !isAccepted { try execute([last[one.operation.change] ?? one.operation]) }
                }
                if left.count == pending.count, try !giveWay(left, beside: all, &last) {
                    try connection.rollbackToSavepoint()
                    return Set(left.map(\.operation.change))
                }
                pending = left
            }
            try connection.deferConstraints()
            try check(all)
            try connection.releaseSavepoint()
            return []
        } catch let error as CentralError {
            try connection.rollbackToSavepoint()
            guard case .refused = error.kind else { throw error }
            return Set(all.map(\.change))
        }
    }

    /// Lets one row give up its unique values, or takes it out.
    private func giveWay(
        _ pending: [Swapping], beside all: [WriteOperation], _ last: inout [Int: WriteOperation]
    ) throws -> Bool {
        let open = pending.filter { last[$0.operation.change] == nil }
        for one in open where try giveUpAlone(one.operation, one.row, beside: all) != nil {
            last[one.operation.change] = restoring(one.operation, one.row)
            return true
        }
        for one in open {
            let operation = one.operation
            guard let columns = try connection.swapFacts(operation.table).columnsPutBack else {
                continue
            }
            let delete = WriteOperation(
                change: operation.change, table: operation.table, kind: .delete,
                key: operation.key, columns: Array(one.row.indices), values: one.row)
            guard try isAccepted([delete]) else { continue }
            last[operation.change] = WriteOperation(
                change: operation.change, table: operation.table, kind: .insert,
                key: operation.key, columns: columns,
                values: columns.map { operation.values(of: $0) ?? one.row[$0] })
            return true
        }
        return false
    }

    // MARK: Rows

    /// The operation, with the values of columns that the row gave up beyond what it writes.
    private func restoring(_ operation: WriteOperation, _ row: [Value]) -> WriteOperation {
        columnsToGiveUp(operation).map(\.column).filter { !operation.columns.contains($0) }
            .reduce(operation) { $0.setting(StoredValue(column: $1, value: row[$1])) }
    }

    private func leavesReference(_ one: Swapping) -> Bool {
        let table = one.operation.table.description
        let foreign = Set(table.foreignKeys.flatMap(\.columns))
        return columnsToGiveUp(one.operation).contains {
            foreign.contains($0.column) && !table.columns[$0.column].isNullable
        }
    }

    /// The rows as they are, by change. A row that is gone has no entry.
    private func rows(of operations: [WriteOperation]) throws -> [Int: [Value]] {
        var result: [Int: [Value]] = [:]
        for own in Dictionary(grouping: operations, by: \.table.number).values {
            guard let table = own.first?.table else { continue }
            let rows = try connection.lockRows(table, keys: own.map(\.key))
            for operation in own {
                if let row = rows[operation.key]?.values { result[operation.change] = row }
            }
        }
        return result
    }
}

extension RefusedOperation {
    /// Whether it is an update that fails because of another row's unique value.
    fileprivate var mayBeSwap: Bool { refusal.code == .unique && operation.kind == .update }
}
