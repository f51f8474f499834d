import MoorageCore

/// Writes operations set by set, and finds the ones that the database refuses (docs/design.md,
/// 5.3).
///
/// A set that is refused is undone and halved until the culprits stand alone; what was refused for
/// a unique or foreign key is tried again after the rest; unique values that swap go through
/// temporary states.
struct SetWriter {
    let connection: any CentralConnection
    /// What was written must stay within; `nil` for the owner, who sees all.
    var visibility: Visibility?
    /// When what an operation writes was edited; `nil` where the clock says it.
    var editedAt: ((WriteOperation) -> Int64)?

    /// - Parameter operations: Inserts and updates in foreign-key order, then deletes in reverse.
    /// - Returns: What was refused for good; everything else is written.
    func write(_ operations: [WriteOperation]) throws -> [RefusedOperation] {
        let hasDeletes = operations.contains { $0.kind == .delete }
        var gone: [RefusedOperation] = []
        let refused = try settle(attemptVacating(operations), hasDeletes, gone: &gone)
        return refused + gone
    }

    private func settle(
        _ refused: [RefusedOperation], _ hasDeletes: Bool, gone: inout [RefusedOperation]
    ) throws -> [RefusedOperation] {
        var refused = refused
        var count: Int
        // What changed places may have been in the way of others.
        repeat {
            count = refused.count
            refused = try swap(
                inTwoSteps(together(tryAgain(refused, hasDeletes, gone: &gone))))
        } while refused.count < count && !refused.isEmpty
        return refused
    }

    /// All at once; or else the deletes when nothing more can be written before them: a cascade would take
    /// the rows that are about to move away from under it.
    private func attemptDeletesLast(_ operations: [WriteOperation]) throws -> [RefusedOperation] {
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
        let refused = try settle(attempt(writes), false, gone: &gone)
        return try refused + attempt(deletes)
    }

    /// Tries what was refused for a unique or foreign key as long as more of it passes.
    ///
    /// - Parameter gone: Takes the updates whose rows went meanwhile.
    private func tryAgain(
        _ refused: [RefusedOperation], _ hasDeletes: Bool, gone: inout [RefusedOperation]
    ) throws -> [RefusedOperation] {
        var refused = refused
        // Each round either writes at least one more, or ends.
        while refused.contains(where: { $0.refusal.mayPass }), !planted(.refusedNotTriedAgain) {
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

    /// A row that is its user's through another one of the batch only: a document with its first member.
    /// Neither can be written without the other.
    private func together(_ refused: [RefusedOperation]) throws -> [RefusedOperation] {
        var refused = refused
        for row in refused where row.refusal.code == .permission && row.operation.kind == .insert {
            let below = refused.filter { $0.operation.refers(to: row.operation) }
            // All of them, or one that does: the others are tried again with the row in place.
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

    /// An update whose row went with a cascade of the batch has nothing left to write to: it would
    /// succeed, and its values would stand nowhere.
    private func isGone(_ refused: RefusedOperation) throws -> Bool {
        let operation = refused.operation
        guard operation.kind == .update else { return false }
        let rows = try connection.lockRows(operation.table, keys: [operation.key])
        return rows[operation.key]?.values == nil
    }

    /// A row that goes must not hold a unique value that another one takes: a changed key is a delete
    /// and an insert, and were the insert left for after the delete, its cascades would take the rows
    /// that move along. So such rows give up their unique values first.
    private func attemptVacating(_ operations: [WriteOperation]) throws -> [RefusedOperation] {
        let vacated = inTheWay(operations)
        if vacated.isEmpty { return try attemptDeletesLast(operations) }
        try connection.savepoint()
        do {
            try execute(vacated.enumerated().compactMap { vacate($1, number: $0) })
            let refused = try attemptDeletesLast(operations)
            let kept = Set(refused.map(\.operation.change))
            // A row that stays after all must hold its values.
            if !vacated.contains(where: { kept.contains($0.change) }) {
                try connection.releaseSavepoint()
                return refused
            }
        } catch let error as CentralError {
            guard case .refused = error.kind else { throw error }
        }
        try connection.rollbackToSavepoint()
        return try attemptDeletesLast(operations)
    }

    /// The deletes of rows whose unique values an insert or update of the batch takes.
    private func inTheWay(_ operations: [WriteOperation]) -> [WriteOperation] {
        struct Holding: Hashable {
            let table: Int
            let key: Int
            let values: [Value]
        }
        func holdings(_ operation: WriteOperation) -> [Holding] {
            let table = operation.table.description
            return table.uniqueKeys.enumerated().compactMap { number, columns in
                let values = columns.compactMap { column in
                    operation.columns.firstIndex(of: column).map {
                        table.columns[column].type.normalized(operation.values[$0])
                    }
                }
                guard values.count == columns.count, !values.contains(where: \.isNull) else {
                    return nil
                }
                return Holding(table: operation.table.number, key: number, values: values)
            }
        }
        guard operations.contains(where: { $0.kind == .delete }) else { return [] }
        let taken = Set(operations.filter { $0.kind != .delete }.flatMap(holdings))
        if taken.isEmpty { return [] }
        return operations.filter {
            $0.kind == .delete && holdings($0).contains(where: taken.contains)
        }
    }

    /// Writes all of them, or those that the database takes.
    private func attempt(_ operations: [WriteOperation]) throws -> [RefusedOperation] {
        if operations.isEmpty { return [] }
        do {
            try atomically(operations)
            return []
        } catch let error as CentralError {
            guard case .refused(let refusal) = error.kind else { throw error }
            if operations.count == 1 || planted(.refusalTakesAll) {
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
            if !planted(.constraintsLeftToCommit) {
                try connection.checkConstraints(written(operations))
            }
            if let visibility { try runs(operations).forEach(visibility.check) }
            try connection.releaseSavepoint()
        } catch {
            try connection.rollbackToSavepoint()
            throw error
        }
    }

    /// One statement for each run of the same table, kind and columns.
    private func execute(_ operations: [WriteOperation]) throws {
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

    // MARK: Values that swap

    /// Updates that stand in each other's way: each first gives up its unique values, then takes
    /// the new ones.
    private func swap(_ refused: [RefusedOperation]) throws -> [RefusedOperation] {
        var candidates = refused.filter {
            $0.refusal.code == .unique && $0.operation.kind == .update
        }
        guard candidates.count > 1, !planted(.swapsRefused) else { return refused }
        let others = refused.filter {
            !($0.refusal.code == .unique && $0.operation.kind == .update)
        }
        var failed: [RefusedOperation] = []
        while candidates.count > 1 {
            try connection.savepoint()
            do {
                try execute(candidates.enumerated().compactMap { vacate($1.operation, number: $0) })
            } catch let error as CentralError {
                // Not even a temporary value is taken (a check, a foreign key): they stay refused.
                guard case .refused = error.kind else { throw error }
                try connection.rollbackToSavepoint()
                return others + failed + candidates
            }
            let left = try attempt(candidates.map(\.operation))
            if left.isEmpty {
                try connection.releaseSavepoint()
                return others + failed
            }
            // The culprits must not stand half-way: all is undone, and tried without them.
            try connection.rollbackToSavepoint()
            let culprits = Set(left.map(\.operation.change))
            failed += left
            candidates.removeAll { culprits.contains($0.operation.change) }
        }
        return others + failed + candidates
    }

    /// The operation's unique columns, with values that nobody else has.
    private func vacate(_ operation: WriteOperation, number: Int) -> WriteOperation? {
        let table = operation.table.description
        let unique = Set(table.uniqueKeys.flatMap { $0 })
        let columns = operation.columns.filter { column in
            unique.contains(column) && !table.isKey(column) && !table.columns[column].isGenerated
        }
        if columns.isEmpty { return nil }
        let values = columns.map { column -> Value in
            table.columns[column].isNullable
                ? .null
                : table.columns[column].type.temporaryValue(number: operation.change + number)
        }
        return WriteOperation(
            change: operation.change, table: operation.table, kind: .update, key: operation.key,
            columns: columns, values: values)
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
    /// A row may be seen through others of the same batch: a document through its members.
    fileprivate var mayPass: Bool {
        code == .unique || code == .foreignKey || code == .permission
    }
}

extension ColumnType {
    /// A value that no row is likely to hold, for the moment in which two rows swap theirs.
    fileprivate func temporaryValue(number: Int) -> Value {
        let low = Int64(-1_000_000_007) - Int64(number)
        switch self {
        case .integer: return .integer(low)
        case .boolean: return .integer(Int64(number & 1))
        case .real: return .real(Double(low) - 0.5)
        case .decimal: return .text(String(low))
        case .text: return .text("~\(number)~")
        case .json: return .text("\"~\(number)~\"")
        case .blob: return .blob(Array("~\(number)~".utf8))
        case .uuid: return .text(UUIDText.text(bytes(number)))
        case .date: return .text(date(number))
        case .timestamp, .instant: return .text(date(number) + " 00:00:00")
        case .time: return .text("23:\(pad(number / 60 % 60)):\(pad(number % 60))")
        }
    }

    private func bytes(_ number: Int) -> [UInt8] {
        (0..<16).map { $0 < 8 ? 0xFE : UInt8(truncatingIfNeeded: number >> ((15 - $0) * 8)) }
    }

    private func date(_ number: Int) -> String {
        "0\(100 + number / 336 % 900)-\(pad(number / 28 % 12 + 1))-\(pad(number % 28 + 1))"
    }

    private func pad(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
}
