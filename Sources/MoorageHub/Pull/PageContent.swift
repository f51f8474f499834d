import MoorageCore
import MoorageWire

/// What a page holds so far: rows, removals and what is withheld, each row once.
struct PageContent {
    /// Rows that answer the pushed batch.
    var answered: Set<RowName> = []
    private var rows = ByBytes<RowColumns>()
    private var removals = ByBytes<[Key]>()
    private var withheld: [WithheldRow] = []
    private var seen: Set<RowName> = []
    private var alive: Set<RowName> = []
    private var byteCount = 0

    /// From here on what is read counts against the budget; answers do not.
    mutating func beginBudget() { byteCount = 0 }

    /// How many rows are read from the database at once before their size is known.
    private static let firstChunk = 16

    /// Reads rows in any order.
    ///
    /// - Returns: Whether all of them fitted into the budget of bytes.
    mutating func read(
        _ keys: [Key], of table: RequestedTable, pull: Pull, budget: Int, mayHold: Set<Key>,
        alreadyHeld: [Key: [Value]] = [:]
    ) throws -> Bool {
        try readInOrder(
            keys, of: table, pull: pull, budget: budget, mayHold: mayHold, alreadyHeld: alreadyHeld)
            == keys.count
    }

    /// Reads rows from the first key on until the budget is used up; at least one since the budget
    /// began.
    ///
    /// - Parameters:
    ///   - mayHold: Keys of which a removal may be told.
    ///   - alreadyHeld: Rows that the replica pushed as they are: one that is the same here needs
    ///     no echo.
    /// - Returns: How many keys were dealt with.
    mutating func readInOrder(
        _ keys: [Key], of table: RequestedTable, pull: Pull, budget: Int, mayHold: Set<Key>,
        alreadyHeld: [Key: [Value]] = [:]
    ) throws -> Int {
        let description = table.attached.description
        var done = 0
        var chunk = Self.firstChunk
        var chunkBytes = 0
        var chunkRows = 0
        while done < keys.count {
            let part = Array(keys[done..<min(keys.count, done + chunk)])
            let missing = part.filter {
                !seen.contains(RowName(table: table.attached.name, key: $0))
            }
            var found: [Key: [Value]] = [:]
            if !missing.isEmpty {
                for row in try pull.connection.rows(
                    table.attached, keys: missing, in: pull.scopes.held)
                {
                    found[description.key(of: row)] = table.restrict(row)
                }
            }
            for key in part {
                let bytes = found[key]?.reduce(0) { $0 + $1.byteCount } ?? key.byteCount
                if byteCount > 0, byteCount + bytes > budget { return done }
                add(key, found[key], of: table, mayHold: mayHold, alreadyHeld: alreadyHeld[key])
                byteCount += bytes
                chunkBytes += bytes
                chunkRows += 1
                done += 1
            }
            // The next chunk is as large as the rows so far let expect to fit.
            let average = max(1, chunkBytes / max(1, chunkRows))
            chunk = max(1, min(5000, max(0, min(budget, 8_000_000) - byteCount) / average))
        }
        return done
    }

    private mutating func add(
        _ key: Key, _ row: [Value]?, of table: RequestedTable, mayHold: Set<Key>,
        alreadyHeld: [Value]?
    ) {
        let name = RowName(table: table.attached.name, key: key)
        guard seen.insert(name).inserted else { return }
        guard let row else {
            if mayHold.contains(key) { removals[table.attached.name, default: []].append(key) }
            return
        }
        alive.insert(name)
        if let reason = table.restricted.withheldColumn(in: row) {
            withheld.append(WithheldRow(row: name, column: reason.column, reason: reason.reason))
            return
        }
        if planted(.echoSuppressed), answered.contains(name) { return }
        if let alreadyHeld, planted(.echoAssumed) || table.restricted.equal(alreadyHeld, row) {
            return
        }
        rows[table.attached.name, default: RowColumns(columnCount: row.count)].append(row)
    }

    /// Rows that the page found to be there though the scope that it read does not have them any more: those
    /// that are in the replica's scopes only since the walk's target. No mark accounts for them.
    func newcomers(
        among keys: [Key], of table: RequestedTable, pull: Pull, beyond target: Mark
    ) throws -> Set<RowName> {
        let name = table.attached.name
        let found = keys.filter { alive.contains(RowName(table: name, key: $0)) }
        if found.isEmpty { return [] }
        let new = try pull.connection.newcomers(
            table.attached, among: found, in: pull.scopes.held, beyond: target)
        return Set(new.map { RowName(table: name, key: $0) })
    }

    /// Which of these rows the page found to be there.
    func visible(among names: Set<RowName>) -> Set<RowName> { names.intersection(alive) }

    func page(
        since: SyncCursor, cursor: SyncCursor, isCaughtUp: Bool, tables: [RequestedTable],
        expectedRows: Int? = nil
    ) -> Page {
        Page(
            since: since, cursor: cursor, isCaughtUp: isCaughtUp,
            tables: tables.compactMap { table in
                rows[table.attached.name].map {
                    TableRows(
                        table: table.attached.name, columns: table.restricted.columns.map(\.name),
                        content: $0)
                }
            },
            removals: tables.reversed().compactMap { table in
                removals[table.attached.name].map {
                    TableKeys(table: table.attached.name, keys: $0)
                }
            },
            withheld: withheld, expectedRows: expectedRows)
    }
}
