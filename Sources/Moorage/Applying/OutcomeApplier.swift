import GRDB
import MoorageCore
import MoorageSupport
import MoorageWire

/// Applies the outcomes of the answered batch in the transaction of its first page. It lists what
/// was refused, and corrects later local changes.
struct OutcomeApplier {
    /// A column that the hub stored with another value than the pushed one.
    struct StoredColumn {
        let table: SyncedTable
        let key: RowKey
        let column: Int
        let pushed: Value
        let stored: Value
    }

    struct Result {
        /// How many changes were refused.
        var refused = 0
        var storedColumns: [StoredColumn] = []
        /// Inserts that were refused and whose rows no page removes.
        var refusedRows: [(table: SyncedTable, key: RowKey)] = []
        var unsent: UnsentValues?
    }

    private let transaction: StoreTransaction
    private let time: ExchangeTime
    private var now: DeviceTime { time.here }

    init(_ transaction: StoreTransaction, at time: ExchangeTime) {
        self.transaction = transaction
        self.time = time
    }

    private var statements: RawStatements { transaction.statements }

    func apply(_ outcomes: Outcomes?) throws -> Result {
        guard let outcomes, let stored = try transaction.meta.inFlightBatch() else {
            return Result()
        }
        return try apply(stored, outcomes)
    }

    private func apply(_ stored: StoredBatch, _ outcomes: Outcomes) throws -> Result {
        let batch = stored.batch
        guard outcomes.status == .applied || outcomes.status == .alreadyApplied,
            outcomes.fits(batch)
        else {
            throw ReplicaError.protocolViolation(ProtocolReason.outcomesDoNotFit)
        }
        var result = Result()
        var unsent = try unsentValues(batch, outcomes)
        for (change, outcome) in zip(batch.changes, outcomes.outcomes) {
            if case .refused(let refusal) = outcome.kind, refusal.code == .resurrect,
                case .update = change.operation
            {
                try sendWhole(change)
                continue
            }
            if case .refused(let refusal) = outcome.kind {
                result.refused += 1
                try list(change, refusal, batch)
                if let table = sentOnly(change) {
                    result.refusedRows.append((table, table.description.key(change.key.values)))
                }
            } else if let overruling = outcome.overruling {
                try OverruledList(statements: statements)
                    .add(change, overruling, of: batch, at: now)
            }
            if isRefused(outcome) { try putBack(change, batch) }
        }
        // This loop comes second: by then a refused row with later edits is in the log again. It
        // may refer to a row that the hub rekeyed, and must follow it.
        for (change, outcome) in zip(batch.changes, outcomes.outcomes)
        where !isRefused(outcome) && !outcome.stored.isEmpty {
            result.storedColumns += try correct(change, outcome, batch, &unsent)
        }
        result.unsent = unsent
        try forgetWithheld(batch, outcomes)
        for change in batch.changes { try saw(change) }
        try forgetFills(batch)
        try statements("DELETE FROM _moorage_inflight").run()
        let acknowledged = AcknowledgedBatches(
            db: transaction.db, retention: transaction.store.retention)
        try acknowledged.add(stored, at: time)
        try acknowledged.forget(at: time)
        let horizon = now - transaction.store.retention.milliseconds
        try OverruledList(statements: statements).forget(before: horizon)
        try transaction.notify("_moorage_inflight")
        try transaction.meta.set(.number, batch.number)
        try transaction.meta.set(.batchRows, .null)
        return result
    }

    /// The hub has the row as this device inserted it, or has it no more. Where the device cannot
    /// take what the hub made of it, the page lists the row again.
    private func forgetWithheld(_ batch: Batch, _ outcomes: Outcomes) throws {
        let withheld = WithheldRows(statements: statements)
        guard try !withheld.isEmpty() else { return }
        for (change, outcome) in zip(batch.changes, outcomes.outcomes) where !isRefused(outcome) {
            switch change.operation {
            case .insert, .delete:
                guard let table = transaction.tables.table(named: change.table) else { continue }
                try withheld.remove(table.rowName(table.description.key(change.key.values)))
            case .update, .refetch: continue
            }
        }
    }

    private func unsentValues(_ batch: Batch, _ outcomes: Outcomes) throws -> UnsentValues {
        var unsent = UnsentValues(statements)
        // Without a list, it is unknown what the hub refused. A row that it refused does not come
        // back, and keeps its values.
        let refused = outcomes.outcomes.map(isRefused)
        for (index, change) in batch.changes.enumerated()
        where refused.isEmpty || !refused[index] {
            guard let table = transaction.tables.table(named: change.table) else { continue }
            try unsent.remember(change, table)
        }
        return unsent
    }

    /// The table of an insert, if the table is only sent; otherwise `nil`. An insert that was sent
    /// again gives `nil`, too, because the hub may have it all the same.
    private func sentOnly(_ change: Change) -> SyncedTable? {
        guard case .insert = change.operation, !change.isAgain,
            let table = transaction.tables.table(named: change.table),
            !table.description.direction.isReceived
        else { return nil }
        return table
    }

    /// The hub has judged what the batch had in these columns, so they wait for no page. A refused
    /// value does not come back as a fill, and a row that went up whole has none left.
    private func forgetFills(_ batch: Batch) throws {
        let filled = try UndecidedFills.tables(among: transaction.tables.synced, statements)
        if filled.isEmpty { return }
        for change in batch.changes {
            guard let table = transaction.tables.table(named: change.table),
                filled.contains(table.name), let columns = batch.columns(of: change),
                let localKey = table.localKey(table.description.key(change.key.values))
            else { continue }
            let fills = UndecidedFills(reading: LogReading(table: table, statements: statements))
            let judged: [Int] =
                switch change.operation {
                case .insert: Array(columns.columns.indices)
                case .update(let edits): edits.filter { $0.isChange && !$0.isFill }.map(\.column)
                case .delete, .refetch: []
                }
            for column in judged.compactMap({ table.column($0, of: columns) }) {
                try fills.remove(localKey: localKey, column: column)
            }
        }
    }

    /// Takes note of an answered row. A deferred row of its key is older than the answer, so it is
    /// removed. The row is confirmed here, because no page brings a row that the hub stored just as
    /// it was pushed.
    private func saw(_ change: Change) throws {
        try DeferredRows(statements: statements).remove(change.rowName)
        // A page names the rows of all other changes in any case.
        guard case .insert = change.operation,
            let table = transaction.tables.table(named: change.table),
            transaction.tables.unconfirmedRows(of: table.name) != nil,
            let localKey = table.localKey(table.description.key(change.key.values))
        else { return }
        try LogReading(table: table, statements: statements).confirm(localKey: localKey)
    }

    /// Logs an insert of a row that the hub has deleted and that must come back, in front of later
    /// edits. So the next batch sends the whole row. A row that was deleted here, too, stays
    /// deleted.
    private func sendWhole(_ change: Change) throws {
        guard let reading = transaction.tables.log(of: change.table, statements),
            let localKey = reading.table.localKey(
                reading.table.description.key(change.key.values))
        else { return }
        guard try reading.exists(localKey: localKey) else { return }
        try reading.prepend([
            LogReading.NewEntry(
                localKey: localKey, entry: LogEntry(kind: .insert, at: change.editedAt))
        ])
    }

    private func list(_ change: Change, _ refusal: Refusal, _ batch: Batch) throws {
        let columns = batch.columns(of: change)?.columns ?? []
        var entry: RefusedList.Entry
        switch change.operation {
        case .insert(let row):
            entry = RefusedList.Entry(
                name: change.rowName, kind: .insert, columns: columns, before: nil,
                after: try withUnsent(row, change, columns), refusal: refusal, at: now)
        case .update(let all):
            let edits = all.filter(\.isChange)
            entry = RefusedList.Entry(
                name: change.rowName, kind: .update, columns: edits.map { columns[$0.column] },
                before: edits.map(\.old), after: edits.map(\.new), refusal: refusal, at: now)
            if [.gone, .group].contains(refusal.code) { try keepRow(change, &entry) }
        case .delete(let row):
            entry = RefusedList.Entry(
                name: change.rowName, kind: .delete, columns: columns, before: row, after: nil,
                refusal: refusal, at: now)
        case .refetch: return
        }
        entry.group = change.group.map { "\(batch.nonce)-\($0)" }
        try RefusedList(statements: statements).add(entry)
    }

    /// The row as the app wrote it, with the columns that only the hub writes. The page removes the
    /// row.
    private func withUnsent(
        _ row: [Value], _ change: Change, _ columns: [String]
    ) throws -> [Value] {
        guard let table = transaction.tables.table(named: change.table) else { return row }
        var row = row
        for (column, value) in try UnsentValues.values(change, table, statements) {
            let name = Identifier(table.description.columns[column].name)
            if let position = columns.firstIndex(where: { name == $0 }),
                row.indices.contains(position)
            {
                row[position] = value
            }
        }
        return row
    }

    /// Keeps the whole row, which the page removes. With it the app can insert the row again.
    private func keepRow(_ change: Change, _ entry: inout RefusedList.Entry) throws {
        guard let table = transaction.tables.table(named: change.table),
            let localKey = table.localKey(table.description.key(change.key.values)),
            let row = try LogReading(table: table, statements: statements)
                .portableRow(localKey: localKey)
        else { return }
        let edited = NamedValues(zip(entry.columns, entry.after ?? []).map { ($0, $1) })
        entry.row = NamedValues(zip(table.columns.columns, row).map { ($0, edited[$0] ?? $1) })
    }

    private func isRefused(_ outcome: Outcome) -> Bool {
        if case .refused = outcome.kind { true } else { false }
    }

    // MARK: Later local changes

    /// A change with its table as it is now, and the later local changes of its row.
    private struct LaterEdits {
        let table: SyncedTable
        let columns: TableColumns
        let key: RowKey
        let reading: LogReading
        let entries: [LogReading.Entry]

        init?(
            _ change: Change, _ batch: Batch, _ transaction: StoreTransaction,
            key newKey: RowKey? = nil
        ) throws {
            guard let reading = transaction.tables.log(of: change.table, transaction.statements),
                let columns = batch.columns(of: change)
            else { return nil }
            let table = reading.table
            key = newKey ?? table.description.key(change.key.values)
            guard let localKey = table.localKey(key) else { return nil }
            self.table = table
            self.columns = columns
            self.reading = reading
            entries = try reading.entries(localKey: localKey)
        }

        func column(_ position: Int) -> Int? { table.column(position, of: columns) }
    }

    /// Bases what was edited after a refused change on what the hub has.
    private func putBack(_ change: Change, _ batch: Batch) throws {
        guard let later = try LaterEdits(change, batch, transaction), !later.entries.isEmpty,
            let localKey = later.table.localKey(later.key)
        else { return }
        switch change.operation {
        case .insert:
            // The hub never got the row, so what was edited since is still an insert.
            let insert = LogEntry(
                kind: .insert, at: change.editedAt, isAgain: change.isAgain,
                unknownColumns: later.table.columnsUnknown(to: later.columns))
            try later.reading.prepend([.init(localKey: localKey, entry: insert)])
        case .update(let edits):
            for edit in edits {
                guard let column = later.column(edit.column) else { continue }
                try replace(edit.new, with: edit.old, column, later.entries, later.reading)
            }
        case .delete(let before):
            let delete = try later.table.deletion(
                of: before, later.columns,
                since: later.reading.columnsNotInserted(localKey: localKey),
                at: change.editedAt, isAgain: change.isAgain)
            try later.reading.prepend([.init(localKey: localKey, entry: delete)])
        case .refetch: break
        }
    }

    /// Corrects a later local change of the row, so that the replica has no conflict with itself.
    ///
    /// - Returns: The columns that the hub stored with another value. If the page cannot write the
    ///   row, they are written alone, so that later edits begin with them.
    private func correct(
        _ change: Change, _ outcome: Outcome, _ batch: Batch, _ unsent: inout UnsentValues
    ) throws -> [StoredColumn] {
        let columns = batch.columns(of: change)
        let newKey = try columns.flatMap {
            try RekeyedRows(transaction, at: now).follow(change, outcome, $0)
        }
        if let newKey { unsent.moved(change, to: newKey) }
        guard transaction.tables.table(named: change.table) != nil,
            let later = try LaterEdits(change, batch, transaction, key: newKey)
        else { return [] }
        let found = outcome.stored.compactMap { stored -> StoredColumn? in
            // A page brings a rekeyed row under its new key. Another row has the old key.
            guard let column = later.column(stored.column), !later.table.description.isKey(column),
                let pushed = change.operation.value(at: stored.column)
            else { return nil }
            return StoredColumn(
                table: later.table, key: later.key, column: column, pushed: pushed,
                stored: stored.value)
        }
        for column in found {
            try replace(
                column.pushed, with: column.stored, column.column, later.entries, later.reading)
        }
        return found
    }

    /// Replaces the pushed value in the column's before-image, which is in the first entry with
    /// that column. It becomes the value that the hub stored. A candidate says nothing if its row
    /// was not replaced. Then the entry after it is the first.
    private func replace(
        _ pushed: Value, with value: Value, _ column: Int, _ entries: [LogReading.Entry],
        _ reading: LogReading
    ) throws {
        let table = reading.table
        guard let place = table.placeOfColumn[column] else { return }
        let type = table.description.columns[column].type
        for entry in entries {
            let before: Value
            var mayComeToNothing = false
            switch entry.entry.kind {
            case .insert: return
            case .update(let old), .fill(let old):
                guard let found = old.first(where: { $0.column == column }) else { continue }
                before = found.value
            case .delete(let row): before = row[column]
            case .candidate(let row):
                before = row[column]
                mayComeToNothing = true
            }
            guard type.equal(before, pushed) else { return }
            let local = table.form(column).local(value) ?? value
            try statements("UPDATE \(reading.log) SET o\(place) = ?2 WHERE seq = ?1")
                .run([.integer(entry.seq), local])
            if !mayComeToNothing { return }
        }
    }
}

extension Change.Operation {
    /// The change's value for a column of the batch's table; `nil` if the change does not contain
    /// it.
    fileprivate func value(at position: Int) -> Value? {
        switch self {
        case .insert(let row): row.indices.contains(position) ? row[position] : nil
        case .update(let edits): edits.first { $0.column == position }?.new
        case .delete, .refetch: nil
        }
    }
}
