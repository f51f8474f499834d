import MoorageCore
import MoorageHub

/// What a query must answer, computed over a table's rows in memory.
struct QueryOracle {
    let description: TableDescription
    let rows: [[Value]]

    func rows(_ query: RowQuery) -> [[Value]] {
        var found = met(query)
        if let after = query.after {
            found = found.filter { row in
                compare(query.order.map { row[$0.column] }, after, query.order) > 0
            }
        }
        found.sort { left, right in
            compare(
                query.order.map { left[$0.column] }, query.order.map { right[$0.column] },
                query.order) < 0
        }
        return found.prefix(query.limit).map { row in query.columns.map { row[$0] } }
    }

    func count(_ query: RowQuery, most: Int) -> Int { min(most, met(query).count) }

    private func met(_ query: RowQuery) -> [[Value]] {
        rows.filter { row in
            guard let condition = query.condition else { return true }
            return isMet(condition, by: row) == true
        }
    }

    /// `nil` where SQL says UNKNOWN.
    private func isMet(_ condition: RowCondition, by row: [Value]) -> Bool? {
        switch condition {
        case .isNull(let column): return row[column].isNull
        case .isOneOf(let column, let values):
            guard !row[column].isNull else { return nil }
            return values.contains { compare(row[column], $0, column) == 0 }
        case .compares(let column, let comparison, let value):
            guard !row[column].isNull else { return nil }
            let order = compare(row[column], value, column)
            switch comparison {
            case .less: return order < 0
            case .lessOrEqual: return order <= 0
            case .greater: return order > 0
            case .greaterOrEqual: return order >= 0
            }
        case .allOf(let parts):
            let answers = parts.map { isMet($0, by: row) }
            if answers.contains(false) { return false }
            return answers.contains(nil) ? nil : true
        case .anyOf(let parts):
            let answers = parts.map { isMet($0, by: row) }
            if answers.contains(true) { return true }
            return answers.contains(nil) ? nil : false
        case .not(let part): return isMet(part, by: row).map { !$0 }
        }
    }

    private func compare(_ left: [Value], _ right: [Value], _ order: [RowOrder]) -> Int {
        for (place, part) in order.enumerated() {
            let result = compare(left[place], right[place], part.column)
            if result != 0 { return part.isDescending ? -result : result }
        }
        return 0
    }

    /// Negative where the left value is less. NULL is less than every value.
    private func compare(_ left: Value, _ right: Value, _ column: Int) -> Int {
        if left.isNull || right.isNull { return (left.isNull ? 0 : 1) - (right.isNull ? 0 : 1) }
        let type = description.columns[column].type
        if let isBefore = type.isBefore(left, right), let isBehind = type.isBefore(right, left) {
            return (isBehind ? 1 : 0) - (isBefore ? 1 : 0)
        }
        switch (type.normalized(left), type.normalized(right)) {
        case (.integer(let left), .integer(let right)):
            return (left > right ? 1 : 0) - (left < right ? 1 : 0)
        case (.text(let left), .text(let right)):
            return compare(Array(left.utf8), Array(right.utf8))
        case (.blob(let left), .blob(let right)): return compare(left, right)
        default: return 0
        }
    }

    private func compare(_ left: [UInt8], _ right: [UInt8]) -> Int {
        if left == right { return 0 }
        return left.lexicographicallyPrecedes(right) ? -1 : 1
    }
}
