import MoorageCore

/// Rows that a replica inserted and that differ now from what it pushed, above all by another key.
/// What refers to them in the batch still means them.
struct RekeyedRows {
    private struct Row {
        /// As it was pushed, by column of the hub.
        let pushed: [Int: Value]
        /// The values that differ now.
        let now: [Int: Value]
    }

    /// Columns of a table that others refer to.
    private struct Target: Hashable {
        let table: Int
        let columns: [Int]
    }

    private var tables: [(table: AttachedTable, rows: [Row])] = []
    private var places: [Target: (seen: Int, byValues: [[Value]: Int])] = [:]

    var isEmpty: Bool { tables.isEmpty }

    mutating func add(_ table: AttachedTable, pushed: [Int: Value], now: [Int: Value]) {
        let row = Row(pushed: pushed, now: now)
        if let place = tables.firstIndex(where: { $0.table.number == table.number }) {
            tables[place].rows.append(row)
        } else {
            tables.append((table, [row]))
        }
    }

    /// Where columns of a row have to point now, by column of the hub.
    mutating func redirections(
        of table: AttachedTable, _ value: (Int) -> Value?
    ) -> [Int: Value] {
        var result: [Int: Value] = [:]
        for foreign in table.description.foreignKeys {
            guard
                let parent = tables.firstIndex(where: {
                    $0.table.name.hasSameBytes(as: foreign.referencedTable)
                })
            else { continue }
            let description = tables[parent].table.description
            guard let referenced = foreign.positions(in: description) else { continue }
            let values = zip(foreign.columns, referenced).compactMap { own, theirs in
                value(own).map { description.columns[theirs].type.normalized($0) }
            }
            guard values.count == referenced.count, !values.contains(where: \.isNull),
                let row = find(values, in: referenced, of: parent)
            else { continue }
            for (own, theirs) in zip(foreign.columns, referenced) {
                if let now = row.now[theirs] { result[own] = now }
            }
        }
        return result
    }

    private mutating func find(_ values: [Value], in columns: [Int], of place: Int) -> Row? {
        let (table, rows) = tables[place]
        let target = Target(table: table.number, columns: columns)
        var index = places[target] ?? (0, [:])
        if index.seen < rows.count {
            for number in index.seen..<rows.count {
                let pushed = columns.compactMap { column in
                    rows[number].pushed[column].map {
                        table.description.columns[column].type.normalized($0)
                    }
                }
                if pushed.count == columns.count { index.byValues[pushed] = number }
            }
            index.seen = rows.count
            places[target] = index
        }
        return index.byValues[values].map { rows[$0] }
    }
}
