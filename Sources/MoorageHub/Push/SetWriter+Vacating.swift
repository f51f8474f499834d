import MoorageCore

/// Rows that give up their unique values for a moment (docs/decisions/0048).
extension SetWriter {
    /// A row that goes must not keep a unique value that another one takes. A changed key is a
    /// delete and an insert. If the insert came after the delete, the delete's cascades would
    /// remove the rows that move along. So such rows give up their unique values first.
    func attemptVacating(_ operations: [WriteOperation]) throws -> [RefusedOperation] {
        let vacated = inTheWay(operations)
        if vacated.isEmpty { return try attemptDeletesLast(operations) }
        try connection.savepoint()
        try giveUp(vacated, beside: operations)
        let refused = try attemptDeletesLast(operations)
        let kept = Set(refused.map(\.operation.change))
        // A row that stays after all must keep its values.
        if !vacated.contains(where: { kept.contains($0.change) }) {
            try connection.releaseSavepoint()
            return refused
        }
        try connection.rollbackToSavepoint()
        return try attemptDeletesLast(operations)
    }

    /// The deletes of rows whose unique values an insert or update of the batch takes.
    private func inTheWay(_ operations: [WriteOperation]) -> [WriteOperation] {
        guard operations.contains(where: { $0.kind == .delete }) else { return [] }
        let used = Set(
            operations.filter { $0.kind != .delete }.flatMap { $0.holdings($0.values(of:)) })
        if used.isEmpty { return [] }
        return operations.filter {
            $0.kind == .delete && $0.holdings($0.values(of:)).contains(where: used.contains)
        }
    }

    /// Gives up the values of all rows together. If the database refuses that, it halves the rows
    /// down to single ones. A row for which the database accepts nothing keeps its values.
    private func giveUp(_ deletes: [WriteOperation], beside operations: [WriteOperation]) throws {
        let rows = Dictionary(deletes.map { ($0.change, $0.values) }) { first, _ in first }
        for direction in FreeValues.Direction.allCases {
            if let vacated = try vacating(deletes, rows, direction, beside: operations),
                try isAccepted(vacated)
            {
                return
            }
        }
        guard deletes.count > 1 else {
            for delete in deletes { _ = try giveUpAlone(delete, delete.values, beside: operations) }
            return
        }
        let middle = deletes.count / 2
        try giveUp(Array(deletes[..<middle]), beside: operations)
        try giveUp(Array(deletes[middle...]), beside: operations)
    }

    /// Tries one candidate after the other for one row.
    ///
    /// - Returns: The columns that it gave up; `nil` when the database accepted nothing.
    func giveUpAlone(
        _ operation: WriteOperation, _ row: [Value], beside operations: [WriteOperation]
    ) throws -> [Int]? {
        let places = columnsToGiveUp(operation)
        guard !places.isEmpty else { return nil }
        let free = FreeValues(
            connection: connection, table: operation.table,
            facts: try connection.swapFacts(operation.table))
        let table = operation.table.description
        let candidates = try places.map { key, column -> [Value] in
            let used = operations.usedValues(column, of: operation.table) + [row[column]]
            let found = try FreeValues.Direction.allCases.map {
                try free.values(of: column, in: key, near: used, $0, count: Self.candidates)
            }
            let longest = found.map(\.count).max() ?? 0
            let mixed = (0..<longest).flatMap { place in
                found.compactMap { place < $0.count ? $0[place] : nil }
            }
            let small = try free.smallValues(of: column, in: key, near: used)
            return (table.columns[column].isNullable ? [.null] : []) + mixed
                + small.prefix(Self.candidates)
        }
        for place in 0..<(candidates.map(\.count).max() ?? 0) {
            let values = candidates.compactMap { $0.isEmpty ? nil : $0[min(place, $0.count - 1)] }
            guard values.count == places.count else { return nil }
            let vacated = operation.vacating(places.map(\.column), values)
            if try isAccepted([vacated]) { return places.map(\.column) }
        }
        return nil
    }

    private static let candidates = 12

    /// Updates that give up the unique values of these rows; `nil` when too few values are free.
    ///
    /// - Parameter rows: The rows as they are, by change.
    func vacating(
        _ operations: [WriteOperation], _ rows: [Int: [Value]], _ direction: FreeValues.Direction,
        beside others: [WriteOperation]
    ) throws -> [WriteOperation]? {
        var values: [Int: [Int: Value]] = [:]
        for own in Dictionary(grouping: operations, by: \.table.number).values {
            guard let table = own.first?.table else { continue }
            let places = own.map(columnsToGiveUp)
            let description = table.description
            // One list of free values for each column, handed out row by row.
            let required = Set(places.joined().map(\.column)).filter {
                !description.columns[$0].isNullable
            }
            let facts = required.isEmpty ? SwapFacts() : try connection.swapFacts(table)
            let free = FreeValues(connection: connection, table: table, facts: facts)
            for column in required {
                let users = zip(own, places).filter { $0.1.contains { $0.column == column } }
                guard let key = users.first?.1.first(where: { $0.column == column })?.key else {
                    continue
                }
                let used =
                    others.usedValues(column, of: table)
                    + users.compactMap { rows[$0.0.change]?[column] }
                let found = try free.values(
                    of: column, in: key, near: used, direction, count: users.count)
                guard found.count == users.count else { return nil }
                for (user, value) in zip(users, found) {
                    values[user.0.change, default: [:]][column] = value
                }
            }
        }
        return operations.compactMap { operation in
            let columns = columnsToGiveUp(operation).map(\.column)
            if columns.isEmpty { return nil }
            return operation.vacating(
                columns, columns.map { values[operation.change]?[$0] ?? .null })
        }
    }

    /// Runs updates whose values others replace. It writes nothing when one is refused.
    func isAccepted(_ vacated: [WriteOperation]) throws -> Bool {
        try isAccepted { try connection.leavingReferences { try execute(vacated) } }
    }

    /// Runs writes whose constraints may wait. It writes nothing when one is refused.
    func isAccepted(_ write: () throws -> Void) throws -> Bool {
        try connection.savepoint()
        do {
            try connection.deferConstraints()
            try write()
            try connection.releaseSavepoint()
            return true
        } catch let error as CentralError {
            guard case .refused = error.kind else { throw error }
            try connection.rollbackToSavepoint()
            return false
        }
    }

    /// One column of each unique key that the operation writes, because one is enough. The best is
    /// one that it writes anyway and that can be NULL. The worst is one of a foreign key that
    /// cannot be NULL.
    func columnsToGiveUp(_ operation: WriteOperation) -> [(key: [Int], column: Int)] {
        let table = operation.table.description
        let foreign = Set(table.foreignKeys.flatMap(\.columns))
        func rank(_ column: Int) -> Int {
            let isNullable = table.columns[column].isNullable
            return (foreign.contains(column) && !isNullable ? 4 : 0)
                + (operation.columns.contains(column) ? 0 : 2) + (isNullable ? 0 : 1)
        }
        var chosen: [(key: [Int], column: Int)] = []
        for key in table.uniqueKeys where key.contains(where: operation.columns.contains) {
            if key.contains(where: { column in chosen.contains { $0.column == column } }) {
                continue
            }
            let free = key.filter { !table.isKey($0) && !table.columns[$0].isGenerated }
            if let best = free.min(by: { rank($0) < rank($1) }) { chosen.append((key, best)) }
        }
        return chosen
    }
}

/// What a row occupies in a unique key.
struct UniqueHolding: Hashable {
    let table: Int
    let key: Int
    let values: [Value]
}

extension WriteOperation {
    /// The value that it writes to a column.
    func values(of column: Int) -> Value? {
        columns.firstIndex(of: column).map { values[$0] }
    }

    /// What a row with these values occupies; a key with a NULL occupies nothing.
    func holdings(_ value: (Int) -> Value?) -> [UniqueHolding] {
        let description = table.description
        return description.uniqueKeys.enumerated().compactMap { number, columns in
            let values = columns.compactMap { column in
                value(column).map { description.columns[column].type.normalized($0) }
            }
            guard values.count == columns.count, !values.contains(where: \.isNull) else {
                return nil
            }
            return UniqueHolding(table: table.number, key: number, values: values)
        }
    }

    func vacating(_ columns: [Int], _ values: [Value]) -> WriteOperation {
        WriteOperation(
            change: change, table: table, kind: .update, key: key, columns: columns,
            values: values)
    }
}

extension [WriteOperation] {
    /// The values that they write to a column of a table, or delete.
    func usedValues(_ column: Int, of table: AttachedTable) -> [Value] {
        filter { $0.table.number == table.number }.compactMap { $0.values(of: column) }
    }
}
