import MoorageCore

/// Finds values that no row has, for rows that give up their unique values for a moment
/// (docs/decisions/0048).
struct FreeValues {
    enum Direction: CaseIterable {
        case up, down
    }

    let connection: any CentralConnection
    let table: AttachedTable
    let facts: SwapFacts

    /// The distances that are tried: 1, 2, 3, 4, 6, 8, 12, … units of the last place.
    private static let distances = [1] + (1..<31).flatMap { [1 << $0, 3 << ($0 - 1)] }
    private static let fewest = 8

    /// - Parameters:
    ///   - key: The unique key that the column is part of.
    ///   - used: What rows of the batch have or take there. The search stays close to these values.
    /// - Returns: As many as `count`, or all that were found.
    func values(
        of column: Int, in key: [Int], near used: [Value], _ direction: Direction, count: Int
    ) throws -> [Value] {
        let type = table.description.columns[column].type
        var seen = Set(used.map(type.normalized))
        if let known = facts.freeValues[column] {
            let free = known.filter { !seen.contains(type.normalized($0)) }
            return Array((direction == .up ? free : free.reversed()).prefix(count))
        }
        guard let start = outermost(used, type, direction) else { return [] }
        var found: [Value] = []
        for nearest in Self.distances where found.count < count {
            var values: [Value] = []
            for number in 0..<max(count, Self.fewest) {
                let distance = nearest + number
                guard
                    let value = type.stepped(start, by: direction == .up ? distance : -distance),
                    seen.insert(type.normalized(value)).inserted
                else { continue }
                values.append(value)
            }
            found += try unheld(values, column, key)
        }
        return Array(found.prefix(count))
    }

    /// Free values among the smallest integers, the nearest first. A type of one byte may have no
    /// others.
    func smallValues(of column: Int, in key: [Int], near used: [Value]) throws -> [Value] {
        guard case .integer = table.description.columns[column].type,
            facts.freeValues[column] == nil,
            case .integer(let start)? = used.first(where: { !$0.isNull })
        else { return [] }
        func distance(_ value: Value) -> UInt64 {
            guard case .integer(let number) = value else { return .max }
            return number.magnitude > 255 ? .max : (number - min(max(start, -255), 255)).magnitude
        }
        let seen = Set(used)
        let values = (Int64(-128)...255).map(Value.integer).filter { !seen.contains($0) }
        return try unheld(values, column, key).sorted { distance($0) < distance($1) }
    }

    private func outermost(
        _ values: [Value], _ type: ColumnType, _ direction: Direction
    ) -> Value? {
        values.reduce(nil) { best, value in
            guard let best else { return value.isNull ? nil : value }
            let isFurther =
                direction == .up ? type.isBefore(best, value) : type.isBefore(value, best)
            return isFurther == true ? value : best
        }
    }

    /// The values that no row has. In a key of several columns one value alone decides nothing.
    private func unheld(_ values: [Value], _ column: Int, _ key: [Int]) throws -> [Value] {
        guard key.count == 1, !values.isEmpty else { return values }
        let reference = ForeignKey(columns: [column], referencedTable: "", referencedColumns: [])
        let type = table.description.columns[column].type
        try connection.savepoint()
        do {
            let rows = try connection.referringRows(
                table, through: reference, to: values.map { [$0] })
            try connection.releaseSavepoint()
            let held = Set(rows.map { type.normalized($0[column]) })
            return values.filter { !held.contains(type.normalized($0)) }
        } catch let error as CentralError {
            guard case .refused = error.kind else { throw error }
            try connection.rollbackToSavepoint()
            return []
        }
    }
}
