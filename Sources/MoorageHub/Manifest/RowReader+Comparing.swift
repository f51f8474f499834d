package import MoorageCore

/// What a client reads that compares its own rows with the hub's.
extension RowReader {
    /// Reads the rows of a range in key order, at least one. It passes over rows that no key names,
    /// because SQLite has their keys in another form than their types' normal one.
    ///
    /// - Parameters:
    ///   - limit: What the request may still read. It is less afterwards.
    ///   - most: Rows of this range at most.
    ///   - work: Called with each row.
    /// - Returns: The key of the last row that was read; `nil` where the range has no more rows.
    /// - Throws: ``RowProblem`` for a key with which the database compares no row, and where rows
    ///   that no key names are more than the request may read.
    package func scan(
        _ range: KeyRange, of table: RowTable, within limit: inout ReadLimit, most: Int = .max,
        _ work: (RowContent) throws -> Void
    ) throws -> RowKey? {
        let count = max(1, min(most, limit.rows))
        var query = query(
            of: table, order: table.description.primaryKey.map { RowOrder($0) }, limit: count + 1)
        query.condition = range.condition(of: table.description)
        var last: RowKey?
        var isOver = false
        // Reading can go on only behind a row that has a key.
        while last == nil, !isOver {
            var read = 0
            var place: [Value]?
            let isWhole = try refusing {
                try visit(query, of: table, within: &limit.bytes) { rows in
                    for values in rows {
                        read += 1
                        guard read <= count else { return }
                        let stored = query.order.map { values[$0.column] }
                        place = stored
                        let key = table.description.key(of: values)
                        guard key.names(stored) else { continue }
                        last = key
                        try work(RowContent(values, of: table))
                    }
                }
            }
            limit.rows -= min(read, count)
            isOver = isWhole && read <= count
            if last == nil, !isOver, limit.bytes < 0 {
                throw RowProblem.unnamedRows(of: table.name)
            }
            query.after = place
        }
        return isOver ? nil : last
    }

    private func refusing<Result>(_ work: () throws -> Result) throws -> Result {
        do {
            return try work()
        } catch let error as CentralError {
            guard case .refused(let refusal) = error.kind else { throw error }
            throw RowProblem(refusal)
        }
    }

    /// Reads the rows of these keys that the user may see, in any order, as far as the limit
    /// allows.
    ///
    /// - Parameter work: Called with each row.
    /// - Returns: How many of the keys were looked up, from the first.
    package func read(
        _ keys: [RowKey], of table: RowTable, within limit: inout ReadLimit,
        _ work: (RowContent) throws -> Void
    ) throws -> Int {
        var count = 0
        for part in keys.chunks(of: table.firstPiece) {
            if limit.isUsedUp { return count }
            let part = part.prefix(limit.rows)
            for values in try rows(Array(part), of: table) {
                limit.bytes -= values.byteCount
                try work(RowContent(values, of: table))
            }
            limit.rows -= part.count
            count += part.count
        }
        return count
    }

    /// The rows of these keys that the user may see, with related rows.
    ///
    /// - Parameter bytes: What the rows may have. The last rows that were read may exceed it.
    /// - Returns: The rows by key, and how many of the keys were looked up, from the first.
    /// - Throws: ``RowProblem`` where the related rows are too many.
    package func rows(
        _ keys: [RowKey], of table: RowTable, with related: [RelatedTree], bytes: inout Int
    ) throws -> (rows: [RowKey: RowContent], count: Int) {
        var limit = ReadLimit(rows: keys.count, bytes: bytes)
        var rows: [RowContent] = []
        let count = try read(keys, of: table, within: &limit) { rows.append($0) }
        bytes = limit.bytes
        if !related.isEmpty {
            try add(related, to: &rows, of: table, bytes: max(0, bytes))
            bytes -= rows.reduce(0) { $0 + $1.relatedBytes }
        }
        let byKey = rows.map { (table.description.key(of: $0.values), $0) }
        return (Dictionary(byKey, uniquingKeysWith: { first, _ in first }), count)
    }

    /// The keys among these of which the user could see a row that is gone. The hub remembers them
    /// for the retention time.
    package func gone(among keys: [RowKey], of table: RowTable) throws -> Set<RowKey> {
        if keys.isEmpty { return [] }
        let tracked = try connection.tracked(table.attached, keys: keys, in: visible)
        return Set(tracked.filter { !$0.value }.keys)
    }
}

extension RowKey {
    /// Whether a key in its normal form finds the row whose key is stored so. PostgreSQL and MariaDB
    /// store −0.0, and find it by 0. SQLite stores NULL in keys, which nothing finds.
    fileprivate func names(_ stored: [Value]) -> Bool {
        zip(values, stored).allSatisfy { value, stored in
            value == stored && !value.isNull || value == .real(0) && stored == .real(-0.0)
        }
    }
}
