import MoorageCore
import MoorageWire

/// What a page contains so far: rows, removals and withheld rows, each row once.
struct PageContent {
    /// Rows that answer the pushed batch.
    var answered: Set<RowName> = []
    /// Rows of the pushed batch in tables that are suspended now. The next copy of such a table need
    /// not bring them, and the replica has them.
    var unread: Set<RowName> = []
    private var rows = ByteKeyedDictionary<RowColumns>()
    private var removals = ByteKeyedDictionary<[RowKey]>()
    private var withheld: [WithheldRow] = []
    private var seen: Set<RowName> = []
    private var alive: Set<RowName> = []
    /// The scope that each table was read in first.
    private var firstScopes = ByteKeyedDictionary<Scope>()
    /// Tables whose rows are all in `seen`, because they were read in another scope too.
    private var unfolded = ByteKeyedDictionary<Bool>()
    /// The bytes of the rows read since the budget began.
    private var byteCount = 0
    /// What is read now, how many rows it has brought so far, and their bytes.
    private var current: (table: Int, scope: Scope)?
    private var currentCount = 0
    private var currentBytes = 0

    /// From here on what is read counts against the budget; answers do not.
    mutating func beginBudget() { byteCount = 0 }

    private mutating func count(_ rows: Int, _ bytes: Int) {
        byteCount += bytes
        currentCount += rows
        currentBytes += bytes
    }

    // MARK: Answers

    /// Reads rows of the pushed batch, of any size.
    ///
    /// - Parameter alreadyHeld: Rows as the replica pushed them. If the row is the same here, the
    ///   page does not send it.
    mutating func answer(
        _ keys: [RowKey], of table: RequestedTable, pull: Pull, alreadyHeld: [RowKey: [Value]]
    ) throws {
        var unreadable: [RowKey: String] = [:]
        let found =
            pull.isCareful
            ? try readableRows(of: keys, in: table, pull, &unreadable)
            : try rows(of: keys, in: table, pull)
        for key in keys {
            if let reason = unreadable[key] {
                withhold(key, of: table, reason)
            } else {
                add(key, found[key], of: table, mayHold: true, alreadyHeld: alreadyHeld[key])
            }
        }
    }

    private mutating func withhold(_ key: RowKey, of table: RequestedTable, _ reason: String) {
        let name = RowName(table: table.name, key: key)
        guard seen.insert(name).inserted else { return }
        let column = table.restricted.primaryKey.first.map { table.asked.columns[$0] }
        withheld.append(WithheldRow(row: name, column: column ?? "", reason: reason))
    }

    /// The same rows. It halves the keys on which the database fails, until one key is alone.
    private func readableRows(
        of keys: [RowKey], in table: RequestedTable, _ pull: Pull,
        _ unreadable: inout [RowKey: String]
    ) throws -> [RowKey: [Value]] {
        if keys.isEmpty { return [:] }
        try pull.connection.savepoint()
        do {
            let found = try rows(of: keys, in: table, pull)
            try pull.connection.releaseSavepoint()
            return found
        } catch let error as CentralError where error.isOwnFault {
            try pull.connection.rollbackToSavepoint()
            guard keys.count > 1 else {
                unreadable[keys[0]] = WithheldReason.unreadable(error.message)
                return [:]
            }
            let middle = keys.count / 2
            let first = try readableRows(
                of: Array(keys[..<middle]), in: table, pull, &unreadable)
            let second = try readableRows(
                of: Array(keys[middle...]), in: table, pull, &unreadable)
            return first.merging(second) { one, _ in one }
        }
    }

    /// The rows that the replica's scopes show, as the replica has them.
    private func rows(
        of keys: [RowKey], in table: RequestedTable, _ pull: Pull
    ) throws -> [RowKey: [Value]] {
        var found: [RowKey: [Value]] = [:]
        for start in stride(from: 0, to: keys.count, by: Self.mostAtOnce) {
            let part = Array(keys[start..<min(keys.count, start + Self.mostAtOnce)])
            for row in try pull.connection.rows(
                table.attached, keys: part, in: pull.scopes.authorized)
            {
                found[table.attached.description.key(of: row)] = table.restrict(row)
            }
        }
        return found
    }

    // MARK: Scopes

    /// How many rows are read from the database at once before their size is known.
    private static let firstCount = 16
    private static let mostAtOnce = 5000
    /// No more of the budget than this is read at once, however large the budget is.
    private static let mostBytesAtOnce = 8_000_000

    /// How many rows to read next: as many as should fit, judging by those of this table and scope
    /// so far. A few more are added, so that a page does not end with ever smaller pieces.
    mutating func nextCount(of reading: ScopeReading, _ limits: PageLimits, most: Int) -> Int {
        let table = reading.table.attached.number
        if current?.table != table || current?.scope != reading.scope {
            current = (table, reading.scope)
            (currentCount, currentBytes) = (0, 0)
        }
        guard currentCount > 0 else { return min(Self.firstCount, most) }
        let average = max(1, currentBytes / currentCount)
        let left = max(0, min(limits.maximumBytes - byteCount, Self.mostBytesAtOnce))
        let fitting = min(left / average, Self.mostAtOnce)
        return max(1, min(fitting + fitting / 16 + 1, most))
    }

    /// Adds a piece of a scope, from its first tracking row on, until the budget is used up. The
    /// first row since the budget began goes in whatever its size.
    ///
    /// - Parameter count: The most tracking rows to take from the piece.
    /// - Returns: How many tracking rows it has handled.
    mutating func add(
        _ part: TrackedContent, _ count: Int, _ reading: ScopeReading, _ plan: PullPlan,
        _ pull: Pull, _ cursor: SyncCursor
    ) throws -> Int {
        begin(reading.scope, of: reading.table)
        if isPlain(part, reading, pull) {
            return addPlain(part, count, of: reading.table, pull.limits.maximumBytes)
        }
        let table = reading.table
        let keys = (0..<count).map { reading.key(of: $0, in: part) }
        let names = keys.map { RowName(table: table.name, key: $0) }
        // A row that this scope does not show may be in another one.
        let elsewhere = try rows(
            of: keys.indices.filter { !part.isFound[$0] && !seen.contains(names[$0]) }
                .map { keys[$0] }, in: table, pull)
        for (index, key) in keys.enumerated() {
            let row: [Value]? =
                if seen.contains(names[index]) { nil } else if part.isFound[index] {
                    part.rows[index]
                } else { elsewhere[key] }
            let bytes = row?.reduce(0) { $0 + $1.byteCount } ?? key.byteCount
            if byteCount > 0, byteCount + bytes > pull.limits.maximumBytes { return index }
            // A removal goes only to a replica that may have the row. So the key of a row that was
            // never the replica's does not leak.
            let mayHold =
                part.wasLiveBefore[index] || plan.isPartial(reading.scope)
                || cursor.ahead.contains(names[index])
            add(key, row, of: table, mayHold: mayHold, alreadyHeld: nil)
            self.count(1, bytes)
        }
        return count
    }

    /// Whether the piece has only rows that the page has not met. This is so in the first scope in
    /// which it reads the table, if there are no answers. Such rows are not named one by one.
    private func isPlain(
        _ part: TrackedContent, _ reading: ScopeReading, _ pull: Pull
    ) -> Bool {
        firstScopes[reading.table.name] == reading.scope
            && reading.isAuthorized && answered.isEmpty
            && part.isFound.allSatisfy { $0 } && part.versions.allSatisfy { $0 != nil }
    }

    /// Begins a scope of a table. Another scope may show the same rows again.
    private mutating func begin(_ scope: Scope, of table: RequestedTable) {
        let name = table.name
        guard let first = firstScopes[name] else {
            firstScopes[name] = scope
            return
        }
        if first == scope || unfolded[name] != nil { return }
        unfolded[name] = true
        let listed = rows[name]?.rows.map {
            RowName(table: name, key: table.restricted.key(of: $0))
        }
        for row in (listed ?? []) + withheld.map(\.row).filter({ $0.table.hasSameBytes(as: name) })
        {
            seen.insert(row)
            alive.insert(row)
        }
    }

    private mutating func addPlain(
        _ part: TrackedContent, _ count: Int, of table: RequestedTable, _ budget: Int
    ) -> Int {
        var added = 0
        for bytes in part.rows.byteCounts.prefix(count) {
            if byteCount > 0, byteCount + bytes > budget { break }
            self.count(1, bytes)
            added += 1
        }
        let name = table.name
        var first = 0
        for row in table.restricted.withheldRows(in: part.rows, 0..<added) {
            append(part.rows, first..<row.row, of: name)
            first = row.row + 1
            let key = table.attached.description.key(part.keys[row.row])
            withheld.append(
                WithheldRow(
                    row: RowName(table: name, key: key),
                    column: table.asked.columns[row.column], reason: row.reason))
        }
        append(part.rows, first..<added, of: name)
        return added
    }

    private mutating func append(_ more: RowColumns, _ range: Range<Int>, of table: String) {
        if range.isEmpty { return }
        rows[table, default: RowColumns(columnCount: more.columns.count)].append(more, rows: range)
    }

    private mutating func add(
        _ key: RowKey, _ row: [Value]?, of table: RequestedTable, mayHold: Bool,
        alreadyHeld: [Value]?
    ) {
        let name = RowName(table: table.name, key: key)
        guard !seen.contains(name) else { return }
        guard let row else {
            // If this scope does not allow the removal, another one may.
            guard mayHold else { return }
            seen.insert(name)
            removals[table.name, default: []].append(key)
            return
        }
        seen.insert(name)
        alive.insert(name)
        if let reason = table.restricted.withheldColumn(in: row) {
            withheld.append(
                WithheldRow(
                    row: name, column: table.asked.columns[reason.column], reason: reason.reason))
            return
        }
        if let alreadyHeld, table.restricted.equal(alreadyHeld, row) {
            return
        }
        rows[table.name, default: RowColumns(columnCount: row.count)].append(row)
    }

    /// Rows that the page found to exist, although the scope that it read does not have them any
    /// more. They came into the replica's scopes only after the scan's upper bound. No checkpoint
    /// accounts for them.
    func newcomers(
        among keys: [RowKey], of table: RequestedTable, pull: Pull, beyond upperBound: Checkpoint
    ) throws -> Set<RowName> {
        let name = table.name
        let found = keys.filter { alive.contains(RowName(table: name, key: $0)) }
        if found.isEmpty { return [] }
        let new = try pull.connection.newcomers(
            table.attached, among: found, in: pull.scopes.authorized, beyond: upperBound)
        return Set(new.map { RowName(table: name, key: $0) })
    }

    /// Which of these rows the page found to exist.
    func visible(among names: Set<RowName>) -> Set<RowName> { names.intersection(alive) }

    func page(
        since: SyncCursor, cursor: SyncCursor, isCaughtUp: Bool, tables: [RequestedTable],
        expected: [ExpectedTable]? = nil
    ) -> Page {
        Page(
            since: since, cursor: cursor, isCaughtUp: isCaughtUp,
            tables: tables.compactMap { table in
                rows[table.name].map {
                    TableRows(
                        table: table.name, columns: table.asked.columns,
                        content: $0)
                }
            },
            removals: tables.reversed().compactMap { table in
                removals[table.name].map {
                    TableKeys(table: table.name, keys: $0)
                }
            },
            withheld: withheld, expectedRows: expected.map { $0.reduce(0) { $0 + $1.rows } },
            expectedTables: expected ?? [])
    }
}
