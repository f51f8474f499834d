import GRDB
import MoorageCore
import MoorageWire

/// What one page did.
package struct ApplyResult: Hashable, Sendable {
    /// The page did not continue the replica's cursor and was dropped (C1).
    var isDropped = false
    var rowsWritten = 0
    var rowsRemoved = 0
    var refused = 0
    package internal(set) var isCaughtUp = false
    /// Rows of the current scan that are here, and about how many there are in all.
    var rowsDone = 0
    var rowsExpected: Int?
    /// The same by table; empty from a hub of an earlier version.
    var tables: [TableProgress] = []
    /// Rows came that are above all keys that SQLite could choose here by itself.
    var wantsKeys = false
    /// Values that columns had before they were synced are in the log now, and are to be sent.
    var hasFilled = false
}

extension ReplicaStore {
    /// Applies the answer to a batch together with its first page, or one more page. It is one
    /// transaction, with foreign keys off during it (docs/reference/client.md, Applying pages).
    ///
    /// - Throws: ``ReplicaError``; then nothing of the page is applied.
    func apply(
        _ db: Database, outcomes: Outcomes?, page: Page, at time: ExchangeTime, isLive: Bool = false
    ) throws -> ApplyResult {
        var saved: ExchangeJournal.Unsaved?
        let result = try transaction(db, .applying) { transaction in
            // A sync compares tables that lost their triggers first. A live stream cannot.
            if isLive, !transaction.tables.repairable.isEmpty {
                return ApplyResult(isDropped: true)
            }
            // Another process on the same file may have applied the outcomes already, or prepared a
            // batch, without moving the cursor. Then the page is late all the same.
            let meta = transaction.meta
            guard try page.since == meta.cursor(),
                try outcomes?.number == meta.inFlightBatch()?.batch.number
            else { return ApplyResult(isDropped: true) }
            // The welcome of this answer may have suspended a table that the request asked for. The
            // next request leaves the table out, and brings the answer to the batch again.
            if transaction.tables.hasSuspendedPart(of: page) { return ApplyResult(isDropped: true) }
            let result = try PageApplying(transaction, page: page, at: time).run(outcomes)
            saved = try saveExchanges(db, at: time.here)
            return result
        }
        if let saved { journal?.saved(saved) }
        return result
    }
}

/// The work of one page, in the order of docs/reference/client.md, Applying pages.
final class PageApplying {
    let transaction: StoreTransaction
    let page: Page
    let time: ExchangeTime
    var now: DeviceTime { time.here }
    private var result = ApplyResult()
    private var writers: [Identifier: TableWriter] = [:]
    private var setAside: [PendingRow] = []
    private var pageKeys: Set<RowName> = []

    init(_ transaction: StoreTransaction, page: Page, at time: ExchangeTime) {
        self.transaction = transaction
        self.page = page
        self.time = time
    }

    private var statements: RawStatements { transaction.statements }

    func run(_ outcomes: Outcomes?) throws -> ApplyResult {
        try resolveCandidates(DeferredRows(statements: statements).all())
        let applier = OutcomeApplier(transaction, at: time)
        let applied = try applier.apply(outcomes)
        result.refused = applied.refused
        let deferred = try DeferredRows(statements: statements).all()
        var removed = try applyRemovals()
        for row in applied.refusedRows {
            guard let row = try writer(row.table.name).remove(row.key) else { continue }
            result.rowsRemoved += 1
            removed.append(row)
        }
        try applyRows()
        try placeRowsSetAside(deferred)
        try withhold()
        try writeStored(applied.storedColumns)
        try applied.unsent?.list(at: now)
        try LocalReferences(transaction).carryOut(removed)
        try dropUnconfirmed()
        try finish()
        result.wantsKeys = try !transaction.leadSequences()
        for writer in writers.values where writer.hasWritten {
            try transaction.notify(writer.table.tracked.local.name)
        }
        for writer in writers.values where writer.hasFilled {
            result.hasFilled = true
            try transaction.notify(writer.table.tracked.logTable)
        }
        return result
    }

    private func writer(_ name: String) throws -> TableWriter {
        try writer(Identifier(name))
    }

    private func writer(_ name: Identifier) throws -> TableWriter {
        if let writer = writers[name] { return writer }
        guard let table = transaction.tables.table(named: name) else {
            throw ReplicaError.rowsOfUnknown(name)
        }
        guard transaction.tables.repair(of: name) == .none else {
            throw ReplicaError.triggersLost(name)
        }
        // A first scan checks all foreign keys at its end, so it records no single rows.
        let writer = try TableWriter(
            transaction, table: table, isRecorded: page.since.checkpoint != nil,
            unconfirmed: transaction.tables.unconfirmedRows(of: name), now: now)
        writers[name] = writer
        return writer
    }

    // MARK: Candidates

    /// Resolves the candidates of the page's keys before the page changes anything. Otherwise a
    /// removal would stay blocked, or the replica would push a delete that nobody made.
    private func resolveCandidates(_ deferred: [PendingRow]) throws {
        let named =
            page.removals.map(\.table) + page.tables.map(\.table) + deferred.map(\.name.table)
        let names = Set(named.map { Identifier($0) })
        for table in transaction.tables.synced where names.contains(table.name) {
            let log = SQLText.name(table.tracked.logTable)
            let sql = "SELECT 1 FROM \(log) WHERE op = \(LogOperation.candidate.sql) LIMIT 1"
            guard try statements(sql).exists([]) else { continue }
            let reading = LogReading(table: table, statements: statements)
            for key in try keys(of: table, deferred) {
                guard let localKey = table.localKey(key) else { continue }
                try reading.resolveCandidates(localKey: localKey)
            }
        }
    }

    private func keys(of table: SyncedTable, _ deferred: [PendingRow]) throws -> [RowKey] {
        var keys: [RowKey] = []
        for removal in page.removals where table.name == removal.table {
            keys += removal.keys.map { table.description.key($0.values) }
        }
        for rows in page.tables where table.name == rows.table {
            let layout = try PageLayout(table, rows.columns)
            keys += try (0..<rows.content.count).map { try layout.key(rows.content[$0]) }
        }
        for row in deferred where table.name == row.name.table {
            keys.append(row.name.key)
        }
        return keys
    }

    // MARK: Removals and rows

    private func applyRemovals() throws -> [RemovedRow] {
        var removed: [RemovedRow] = []
        for removal in page.removals {
            let writer = try writer(removal.table)
            for wireKey in removal.keys {
                let key = writer.table.description.key(wireKey.values)
                let name = writer.table.rowName(key)
                pageKeys.insert(name)
                try DeferredRows(statements: statements).remove(name)
                try WithheldRows(statements: statements).remove(name)
                if let row = try writer.remove(key) {
                    result.rowsRemoved += 1
                    removed.append(row)
                }
            }
        }
        return removed
    }

    private func applyRows() throws {
        let hasDeferred = try !DeferredRows(statements: statements).isEmpty()
        let hasWithheld = try !WithheldRows(statements: statements).isEmpty()
        for rows in page.tables {
            let writer = try writer(rows.table)
            let layout = try PageLayout(writer.table, rows.columns)
            let isPlain = !hasDeferred && !hasWithheld
            for row in 0..<rows.content.count {
                if isPlain, try writer.writePlain(rows.content, at: row, layout: layout) {
                    result.rowsWritten += 1
                    continue
                }
                let values = rows.content[row]
                let key = try layout.key(values)
                let name = writer.table.rowName(key)
                if hasDeferred {
                    pageKeys.insert(name)
                    try DeferredRows(statements: statements).remove(name)
                }
                if hasWithheld { try WithheldRows(statements: statements).remove(name) }
                try put(
                    PendingRow(name: name, columns: rows.columns, values: values), writer, layout)
            }
        }
    }

    private func put(_ row: PendingRow, _ writer: TableWriter, _ layout: PageLayout) throws {
        switch try writer.write(row.values, key: row.name.key, layout: layout) {
        case .written: result.rowsWritten += 1
        case .blocked: break
        case .collided: setAside.append(row)
        case .cannotHold(let column, let reason):
            try WithheldRows(statements: statements).add(
                row.name, column: column, reason: reason, isHere: true)
        }
    }

    // MARK: Unique values

    /// Places rows whose unique value another row still has. It tries them again, then swaps them,
    /// and then defers them.
    private func placeRowsSetAside(_ deferred: [PendingRow]) throws {
        let old = deferred.filter { !pageKeys.contains($0.name) }
        var rows = old + setAside
        setAside = []
        var count = -1
        while !rows.isEmpty, rows.count != count {
            count = rows.count
            for row in rows {
                let writer = try writer(row.name.table)
                try put(row, writer, try PageLayout(writer.table, row.columns))
            }
            rows = setAside
            setAside = []
        }
        rows = try swap(rows)
        let list = DeferredRows(statements: statements)
        for row in old { try list.remove(row.name) }
        for row in rows { try list.add(row) }
    }

    /// Removes all rows and inserts them again as the page wants them. Returns those that still
    /// collide.
    private func swap(_ all: [PendingRow]) throws -> [PendingRow] {
        var rows = all
        var left: [PendingRow] = []
        while !rows.isEmpty {
            try statements("SAVEPOINT moorage_swap").run()
            var failed: [PendingRow] = []
            do {
                var prepared: [(PendingRow, TableWriter, WholeRow)] = []
                for row in rows {
                    let writer = try writer(row.name.table)
                    let layout = try PageLayout(writer.table, row.columns)
                    guard
                        let whole = try writer.wholeRow(
                            row.values, key: row.name.key, layout: layout)
                    else { continue }
                    prepared.append((row, writer, whole))
                }
                for (row, writer, _) in prepared { try writer.delete(row.name.key) }
                for (row, writer, whole) in prepared where try !writer.putIn(whole) {
                    failed.append(row)
                }
            } catch {
                // SQLite may have rolled back the whole transaction by itself. Then there is no
                // savepoint.
                try? statements("ROLLBACK TO moorage_swap").run()
                try? statements("RELEASE moorage_swap").run()
                throw error
            }
            if failed.isEmpty {
                try statements("RELEASE moorage_swap").run()
                result.rowsWritten += rows.count
                return left
            }
            try statements("ROLLBACK TO moorage_swap").run()
            try statements("RELEASE moorage_swap").run()
            left += failed
            let names = Set(failed.map(\.name))
            rows.removeAll { names.contains($0.name) }
        }
        return left
    }

    // MARK: The rest

    private func withhold() throws {
        let list = WithheldRows(statements: statements)
        for row in page.withheld {
            guard let table = transaction.tables.table(named: row.row.table) else { continue }
            let key = table.description.key(row.row.key.values)
            try list.add(
                table.rowName(key), column: row.column, reason: row.reason,
                isHere: false)
            if transaction.tables.unconfirmedRows(of: table.name) != nil {
                try writer(table.name).sawKey(key)
            }
        }
    }

    /// Writes stored values into rows that the page could not write. They are deferred, withheld,
    /// edited since, or in a table that is only sent. Otherwise such a row would keep the pushed
    /// value, which the hub never had. The next edit, or a reverted edit, would then be in conflict
    /// with its own device.
    private func writeStored(_ columns: [OutcomeApplier.StoredColumn]) throws {
        guard !columns.isEmpty else { return }
        let deferred = DeferredRows(statements: statements)
        let withheld = WithheldRows(statements: statements)
        for column in columns {
            let name = column.table.rowName(column.key)
            let writer = try writer(column.table.name)
            guard
                try deferred.contains(name) || withheld.contains(name)
                    || writer.hasLocalChange(column.key)
                    // No page brings the row.
                    || !column.table.description.direction.isReceived
            else { continue }
            try writer.writeStored(column)
        }
    }

    /// Removes the rows that a complete copy did not bring, except those with a local change. It
    /// lists them as recovered, unless the app chose to drop them.
    private func dropUnconfirmed() throws {
        guard page.cursor.scan == nil, page.cursor.checkpoint != nil else {
            return
        }
        for name in transaction.tables.unconfirmed.sorted()
        where page.cursor.tables[name] != nil {
            let writer = try writer(name)
            let removed = try writer.dropUnconfirmed()
            result.rowsRemoved += removed.count
            try LocalReferences(transaction).carryOut(removed)
            try transaction.records.change(name) { $0.state.finishCopy() }
            try transaction.meta.bump()
        }
        try forgetUnread()
    }

    /// The tables that were read with their present columns now. The cursor may name other columns:
    /// the page may answer an older request. It also names tables that the hub has suspended, and
    /// nothing of them was read.
    private func forgetUnread() throws {
        for name in transaction.tables.partlyUnread.sorted()
        where !transaction.tables.isSuspendedAtHub(name) {
            guard let table = transaction.tables.table(named: name),
                let signature = page.cursor.tables[name], signature != page.since.tables[name],
                signature == table.description.signature
            else { continue }
            let reading = LogReading(table: table, statements: statements)
            try UndecidedFills(reading: reading).removeRest()
            try transaction.records.change(name) {
                $0.unreadColumns = []
                $0.staleColumns = []
            }
            try transaction.meta.bump()
        }
    }

    /// Remembers which tables may have rows of the hub from now on (V3). An earlier build does not
    /// remember it, so a table that leaves the cursor with this page counts, too.
    private func rememberCopies() throws {
        let tables = transaction.tables
        func isNew(_ name: Identifier) -> Bool { !tables.wasCopied(name) }
        let covered = page.since.coveredTables(where: isNew).union(
            page.cursor.coveredTables(where: isNew))
        guard try transaction.records.rememberCopies(of: covered) else { return }
        try transaction.meta.bump()
    }

    private func finish() throws {
        let meta = transaction.meta
        let isStart = page.since.checkpoint == nil
        if isStart { try meta.set(.checksEverything, 1) }
        try meta.set(page.cursor)
        try rememberCopies()
        // What has arrived of the subscriptions follows from the cursor.
        if page.since.complete != page.cursor.complete
            || page.since.scan?.position?.scope != page.cursor.scan?.position?.scope
        {
            try transaction.notify(SubscriptionTable.name)
        }
        if let epoch = page.cursor.epoch { try meta.set(.epoch, epoch.text) }
        let hasDeferred = try !DeferredRows(statements: statements).isEmpty()
        try ScanProgress(meta: meta).add(page, rowsWritten: result.rowsWritten, to: &result)
        guard page.isCaughtUp else { return }
        let everything = try meta.integer(.checksEverything) == 1
        let isWhole = try ForeignKeyCheck(transaction).check(everything: everything)
        try meta.set(.checksEverything, isWhole ? 0 : 1)
        try ScanProgress(meta: meta).end()
        // Rows whose triggers were lost may have changes that nobody has recorded yet.
        guard !hasDeferred, transaction.tables.repairable.isEmpty else { return }
        result.isCaughtUp = true
        try meta.set(.lastCaughtUp, CaughtUpTime(device: now, hub: time.hub).text)
    }
}
