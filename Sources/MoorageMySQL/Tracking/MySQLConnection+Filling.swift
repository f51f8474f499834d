import MoorageCore
import MoorageHub

/// Tracking rows for rows that were in a table before its triggers.
///
/// Each part is written under the lock of a numbering step. A queue records what others write
/// meanwhile. A later step numbers these changes and corrects the tracking rows.
extension MySQLConnection {
    func fillTracking(
        _ table: AttachedTable, batch: Int, progress: (Int) throws -> Void
    ) throws {
        try openIfNeeded()
        try awaitPreparedTransactions()
        let columns = try nativeColumns(of: table.name)
        let shape = try TableShape(
            table, columns: columns, facts: facts(of: table.name, columns: columns), kind: link.kind
        )
        let sql = TrackingSQL(shape)
        var (after, count): ([Value]?, Int) = (nil, 0)
        while true {
            let part = try nextKeys(shape, after, batch: max(1, batch))
            guard let last = part.last else { return }
            guard last != after else { throw CentralError.keysReadAlike(of: table.name) }
            try begin(.write)
            do {
                let number = try nextNumber()
                for keys in chunks(part.keys, { shape.elements(of: $0) }) {
                    try fill(sql, keys, as: number)
                }
                try commit()
            } catch {
                rollback()
                throw error
            }
            (after, count) = (last, count + part.keys.count)
            try progress(count)
        }
    }

    func repairSteps(for table: AttachedTable) throws -> [String] {
        let columns = try nativeColumns(of: table.name)
        let shape = try TableShape(
            table, columns: columns, facts: facts(of: table.name, columns: columns), kind: link.kind
        )
        return TrackingSQL(shape).repairSteps
    }

    /// The next keys in the order of the key's own index, and the last one's position there. Not
    /// every key shows what the server sorts by.
    private func nextKeys(_ shape: TableShape, _ after: [Value]?, batch: Int) throws
        -> (keys: [RowKey], last: [Value]?)
    {
        var parameters = Parameters()
        var condition = "1 = 1"
        if let after {
            condition = shape.isRowBehind("l")
            for value in shape.orderValues(after) { parameters.add(value) }
        }
        let outputs =
            zip(shape.keys, shape.tracked("l")).map { $0.output($1) }
            + shape.keys.map { $0.orderOutput("l") }
        let order = shape.keys.map { "l.\($0.column.quoted)" }.joined(separator: ", ")
        parameters.add(Int64(batch))
        let found = try link.query(
            """
            SELECT \(outputs.joined(separator: ", ")) FROM \(shape.name) AS l
            WHERE \(condition) ORDER BY \(order) LIMIT ?
            """, parameters, shape.keyKinds + shape.keys.map(\.orderKind))
        let (rows, width) = (found.rowCount, shape.keys.count)
        return (
            (0..<rows).map { shape.key(found, $0, from: 0) },
            rows == 0 ? nil : (width..<(2 * width)).map { found.value(rows - 1, $0) }
        )
    }

    private func fill(_ sql: TrackingSQL, _ keys: [RowKey], as number: Int64) throws {
        let shape = sql.shape
        let target = """
            INSERT IGNORE INTO \(shape.track) (\(shape.keyList()), scope, live, version, live_since, changed_at)
            """
        if shape.table.scopes.isEmpty {
            try link.query(
                """
                \(target)
                SELECT \(shape.trackedList("l")), '\(Scope.everything.name)', 1, \(number), \(number),
                  \(Self.nowSQL)
                FROM \(shape.keyRows()) STRAIGHT_JOIN \(shape.name) AS l ON \(shape.match("l", "x"))
                """, keyList(shape, keys), isKept: false)
            return
        }
        let source = shape.keyRows().replacing(") AS x", with: ") AS c")
        for query in sql.scopes(of: source, shape.keyList("c")) {
            try link.query(
                """
                \(target) SELECT d.*, 1, \(number), \(number), \(Self.nowSQL) FROM (\(query)) AS d
                """, keyList(shape, keys), isKept: false)
        }
    }

    private func keyList(_ shape: TableShape, _ keys: [RowKey]) -> Parameters {
        var list = Parameters()
        list.add(shape.list(keys))
        return list
    }
}
