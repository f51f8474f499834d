import MoorageCore

/// Writes operations set by set, and finds the ones that the database refuses
/// (docs/reference/hub.md, What the database refuses).
///
/// A set that is refused is undone and halved until each culprit is alone. What was refused for a
/// unique or foreign key is tried again after the rest. Unique values that swap go through
/// temporary states.
struct SetWriter {
    let connection: any CentralConnection
    /// Limits what may be written; `nil` for the owner, who sees everything.
    var visibility: Visibility?
    /// When the change of an operation was edited; `nil` to use the clock.
    var editedAt: ((WriteOperation) -> HubTime)?

    /// - Parameter operations: Inserts and updates in foreign-key order, then deletes in reverse.
    /// - Returns: What was refused for good; everything else is written.
    func write(_ operations: [WriteOperation]) throws -> [RefusedOperation] {
        let hasDeletes = operations.contains { $0.kind == .delete }
        var gone: [RefusedOperation] = []
        let refused = try retry(attemptVacating(operations), hasDeletes, gone: &gone)
        return refused + gone
    }

    private func retry(
        _ refused: [RefusedOperation], _ hasDeletes: Bool, gone: inout [RefusedOperation]
    ) throws -> [RefusedOperation] {
        var refused = refused
        var count: Int
        // Rows that changed places may have been in the way of others.
        repeat {
            count = refused.count
            refused = try swap(
                inTwoSteps(together(tryAgain(refused, hasDeletes, gone: &gone))))
        } while refused.count < count && !refused.isEmpty
        return refused
    }

    /// Writes all at once. If that fails, it writes the deletes when nothing more can be written
    /// before them. Otherwise a cascade would delete the rows that are about to move away.
    func attemptDeletesLast(_ operations: [WriteOperation]) throws -> [RefusedOperation] {
        let writes = operations.filter { $0.kind != .delete }
        let deletes = operations.filter { $0.kind == .delete }
        if writes.isEmpty || deletes.isEmpty { return try attempt(operations) }
        do {
            try atomically(operations)
            return []
        } catch let error as CentralError {
            guard case .refused = error.kind else { throw error }
        }
        var gone: [RefusedOperation] = []
        let refused = try retry(attempt(writes), false, gone: &gone)
        return try refused + attempt(deletes)
    }

    /// Tries what was refused for a unique or foreign key as long as more of it passes.
    ///
    /// - Parameter gone: Receives the updates whose rows are gone.
    private func tryAgain(
        _ refused: [RefusedOperation], _ hasDeletes: Bool, gone: inout [RefusedOperation]
    ) throws -> [RefusedOperation] {
        var refused = refused
        // Each round either writes at least one more, or ends.
        while refused.contains(where: { $0.refusal.mayPass }) {
            let final = refused.filter { !$0.refusal.mayPass }
            var again: [RefusedOperation] = []
            for operation in refused where operation.refusal.mayPass {
                if hasDeletes, try isGone(operation) {
                    gone.append(operation)
                } else {
                    again.append(operation)
                }
            }
            let left = try attempt(again.map(\.operation))
            refused = final + left
            if left.count == again.count { break }
        }
        return refused
    }

    /// Writes a row that the user sees only through another row of the batch: a document with its
    /// first member. Neither can be written without the other.
    private func together(_ refused: [RefusedOperation]) throws -> [RefusedOperation] {
        var refused = refused
        for row in refused where row.refusal.code == .permission && row.operation.kind == .insert {
            let below = refused.filter { $0.operation.refers(to: row.operation) }
            // All of them, or one that is enough. The others are tried again once the row is
            // written.
            let groups = below.count > 1 ? [below] + below.map { [$0] } : below.map { [$0] }
            for group in groups {
                do {
                    try atomically([row.operation] + group.map(\.operation))
                    let written = Set(([row] + group).map(\.operation.change))
                    refused.removeAll { written.contains($0.operation.change) }
                    break
                } catch let error as CentralError {
                    guard case .refused = error.kind else { throw error }
                }
            }
        }
        return refused
    }

    /// Whether a cascade of the batch removed the row of an update. The update would succeed
    /// without writing anything, and its values would be lost.
    private func isGone(_ refused: RefusedOperation) throws -> Bool {
        let operation = refused.operation
        guard operation.kind == .update else { return false }
        let rows = try connection.lockRows(operation.table, keys: [operation.key])
        return rows[operation.key]?.values == nil
    }

    /// Writes all of them, or those that the database accepts.
    func attempt(_ operations: [WriteOperation]) throws -> [RefusedOperation] {
        if operations.isEmpty { return [] }
        do {
            try atomically(operations)
            return []
        } catch let error as CentralError {
            guard case .refused(let refusal) = error.kind else { throw error }
            if operations.count == 1 {
                return operations.map { RefusedOperation(operation: $0, refusal: refusal) }
            }
            let middle = operations.count / 2
            let first = try attempt(Array(operations[..<middle]))
            return try first + attempt(Array(operations[middle...]))
        }
    }

    /// All or nothing, constraints included.
    func atomically(_ operations: [WriteOperation]) throws {
        try connection.savepoint()
        do {
            try connection.deferConstraints()
            try execute(operations)
            try check(operations)
            try connection.releaseSavepoint()
        } catch {
            try connection.rollbackToSavepoint()
            throw error
        }
    }

    /// Checks the constraints that waited, and that the replica may see what was written.
    func check(_ operations: [WriteOperation]) throws {
        try connection.checkConstraints(written(operations))
        if let visibility { try runs(operations).forEach(visibility.check) }
    }

    /// One statement for each run of the same table, kind and columns.
    func execute(_ operations: [WriteOperation]) throws {
        for run in runs(operations) {
            guard let first = run.first else { continue }
            switch first.kind {
            case .insert, .delete: try executeAtOnce(run, first)
            case .update:
                // Other rows may set other columns: one statement for each set of columns.
                let groups = Dictionary(grouping: run, by: \.columns)
                for columns in groups.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
                    let rows = groups[columns, default: []]
                    if let first = rows.first { try executeAtOnce(rows, first) }
                }
            }
        }
    }

    /// - Parameter first: One of the rows; all have its table, kind and columns.
    private func executeAtOnce(_ rows: [WriteOperation], _ first: WriteOperation) throws {
        let (table, columns) = (first.table, first.columns)
        func write() throws {
            switch first.kind {
            case .insert: try connection.insert(table, columns: columns, rows: rows.map(\.values))
            case .update:
                try connection.update(
                    table, columns: columns,
                    rows: rows.map { KeyedValues(key: $0.key, values: $0.values) })
            case .delete: try connection.delete(table, keys: rows.map(\.key))
            }
        }
        guard let editedAt else { return try write() }
        let times = rows.map { KeyedTime(key: $0.key, changedAt: editedAt($0)) }
        try connection.keeping(times, of: table, write)
    }

    private func runs(_ operations: [WriteOperation]) -> [[WriteOperation]] {
        var runs: [[WriteOperation]] = []
        for operation in operations {
            if let last = runs.last?.last, last.table.number == operation.table.number,
                last.kind == operation.kind,
                operation.kind != .insert || last.columns == operation.columns
            {
                runs[runs.count - 1].append(operation)
            } else {
                runs.append([operation])
            }
        }
        return runs
    }

    private func written(_ operations: [WriteOperation]) -> [WrittenRows] {
        runs(operations).compactMap { run in
            run.first.map { first in
                WrittenRows(
                    table: first.table, written: first.kind == .delete ? [] : run.map(\.key),
                    deleted: first.kind == .delete ? run.map(\.values) : [])
            }
        }
    }
}

extension WriteOperation {
    /// Whether a foreign key of the row points to the other one.
    func refers(to other: WriteOperation) -> Bool {
        table.description.foreignKeys.contains { refers(to: other, through: $0) }
    }

    func refers(to other: WriteOperation, through foreign: ForeignKey) -> Bool {
        guard foreign.referencedTable.hasSameBytes(as: other.table.name),
            let positions = foreign.positions(in: other.table.description)
        else { return false }
        return zip(foreign.columns, positions).allSatisfy { column, referenced in
            guard let own = columns.firstIndex(of: column),
                let value = other.columns.firstIndex(of: referenced)
            else { return false }
            return table.description.columns[column].type.equal(
                values[own], other.values[value])
        }
    }
}

extension Refusal {
    /// Whether the same write may pass once others have been made.
    ///
    /// A user may see a row through others of the same batch: a document through its members.
    fileprivate var mayPass: Bool {
        code == .unique || code == .foreignKey || code == .permission
    }
}
