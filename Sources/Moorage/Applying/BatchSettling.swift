import GRDB
import MoorageCore
import MoorageWire

/// Settles the answered batch in the transaction of its first page: what was refused is listed, and
/// what was edited since is put right.
struct BatchSettling {
    /// A column that the hub stored otherwise than it was pushed.
    struct StoredColumn {
        let table: SyncedTable
        let key: Key
        let column: Int
        let pushed: Value
        let stored: Value
    }

    struct Result {
        /// How many changes were refused.
        var refused = 0
        var storedColumns: [StoredColumn] = []
    }

    private let transaction: StoreTransaction
    private let time: ExchangeTime
    private var now: Int64 { time.here }

    init(_ transaction: StoreTransaction, at time: ExchangeTime) {
        self.transaction = transaction
        self.time = time
    }

    private var statements: RawStatements { transaction.statements }

    func settle(_ outcomes: Outcomes?) throws -> Result {
        guard let outcomes, let stored = try transaction.meta.inFlight() else { return Result() }
        return try settle(stored, outcomes)
    }

    private func settle(_ stored: StoredBatch, _ outcomes: Outcomes) throws -> Result {
        let batch = stored.batch
        guard outcomes.status == .applied || outcomes.status == .alreadyApplied,
            outcomes.fits(batch)
        else {
            throw ReplicaError.protocolViolation("the outcomes do not fit the batch")
        }
        var result = Result()
        for (change, outcome) in zip(batch.changes, outcomes.outcomes) {
            if case .refused(let refusal) = outcome.kind, refusal.code == .resurrect,
                case .update = change.operation
            {
                try sendWhole(change)
                continue
            }
            if case .refused(let refusal) = outcome.kind {
                result.refused += 1
                if !planted(.refusalNotListed) { try list(change, refusal, batch) }
            } else if let overruling = outcome.overruling {
                try OverruledList(statements: statements)
                    .add(change, overruling, of: batch, at: now)
            }
            if isRefused(outcome) { try putBack(change, batch) }
            if planted(.answerTakesNewerEdits) { try forgetNotes(change) }
        }
        // What never came to the hub may hang below a row that is elsewhere now.
        for (change, outcome) in zip(batch.changes, outcomes.outcomes)
        where !isRefused(outcome) && !outcome.stored.isEmpty && !planted(.storedValuesIgnored) {
            result.storedColumns += try correct(change, outcome, batch)
        }
        for change in batch.changes { try saw(change) }
        try statements("DELETE FROM _moorage_inflight").run()
        let acknowledged = AcknowledgedBatches(
            db: transaction.db, retention: transaction.store.retention)
        try acknowledged.add(stored, at: time)
        try acknowledged.forget(at: time)
        let horizon = now - transaction.store.retention.milliseconds
        try OverruledList(statements: statements).forget(before: horizon)
        try transaction.notify("_moorage_inflight")
        if !planted(.batchNumberStays) { try transaction.meta.set(.number, batch.number) }
        try transaction.meta.set(.batchRows, .null)
        return result
    }

    /// The answer settles what became of the row; the page is silent where it is just as pushed. What
    /// waits for a place under its key is older.
    private func saw(_ change: Change) throws {
        try WaitingRows(statements: statements).remove(change.rowName)
        // Of anything but an insert the page tells in any case.
        guard transaction.tables.unseen[change.table] != nil, case .insert = change.operation,
            let table = transaction.tables.table(named: change.table),
            let rawKey = table.localKey(table.description.key(change.key.values))
        else { return }
        let reading = LogReading(table: table, statements: statements)
        try statements(
            "DELETE FROM \(SQLText.name(table.tracked.unseenTable)) WHERE \(reading.isKey)"
        ).run(rawKey)
    }

    /// The row was deleted at the hub and is to come back: it is sent as it stands here, in front of
    /// what was edited since. One that was deleted here, too, stays gone.
    private func sendWhole(_ change: Change) throws {
        guard let table = transaction.tables.table(named: change.table),
            let rawKey = table.localKey(table.description.key(change.key.values))
        else { return }
        let reading = LogReading(table: table, statements: statements)
        guard try reading.exists(rawKey: rawKey) else { return }
        try reading.prepend([
            LogReading.NewEntry(
                rawKey: rawKey, entry: LogEntry(kind: .insert, at: change.editedAt))
        ])
    }

    /// Forgets what was edited since: what no answer may do.
    private func forgetNotes(_ change: Change) throws {
        guard let table = transaction.tables.table(named: change.table),
            let rawKey = table.localKey(table.description.key(change.key.values))
        else { return }
        let reading = LogReading(table: table, statements: statements)
        for entry in try reading.entries(rawKey: rawKey) { try reading.delete(seq: entry.seq) }
    }

    private func list(_ change: Change, _ refusal: Refusal, _ batch: Batch) throws {
        let columns = batch.tables.first { $0.name.hasSameBytes(as: change.table) }?.columns ?? []
        var entry: RefusedList.Entry
        switch change.operation {
        case .insert(let row):
            entry = RefusedList.Entry(
                name: change.rowName, operation: .insert, columns: columns, before: nil, after: row,
                refusal: refusal, at: now)
        case .update(let all):
            let edits = all.filter(\.isChange)
            entry = RefusedList.Entry(
                name: change.rowName, operation: .update, columns: edits.map { columns[$0.column] },
                before: edits.map(\.old), after: edits.map(\.new), refusal: refusal, at: now)
            if [.gone, .group].contains(refusal.code) { try keepRow(change, &entry) }
        case .delete(let row):
            entry = RefusedList.Entry(
                name: change.rowName, operation: .delete, columns: columns, before: row, after: nil,
                refusal: refusal, at: now)
        case .touch: return
        }
        entry.group = change.group.map { "\(batch.nonce)-\($0)" }
        try RefusedList(statements: statements).add(entry)
    }

    /// The page takes the row away: with it the app can have it inserted again.
    private func keepRow(_ change: Change, _ entry: inout RefusedList.Entry) throws {
        guard let table = transaction.tables.table(named: change.table),
            let rawKey = table.localKey(table.description.key(change.key.values)),
            let row = try LogReading(table: table, statements: statements)
                .portableRow(rawKey: rawKey)
        else { return }
        let edited = NamedValues(zip(entry.columns, entry.after ?? []).map { ($0, $1) })
        entry.row = NamedValues(zip(table.columns.columns, row).map { ($0, edited[$0] ?? $1) })
    }

    private func isRefused(_ outcome: Outcome) -> Bool {
        if case .refused = outcome.kind { true } else { false }
    }

    // MARK: Later notes

    /// A change with its table as it stands now, and the notes that its row has.
    private struct Noted {
        let table: SyncedTable
        let columns: TableColumns
        let key: Key
        let reading: LogReading
        let entries: [LogReading.Entry]

        init?(
            _ change: Change, _ batch: Batch, _ transaction: StoreTransaction, key moved: Key? = nil
        ) throws {
            guard let table = transaction.tables.table(named: change.table),
                let columns = batch.tables.first(where: { $0.name.hasSameBytes(as: table.name) })
            else { return nil }
            key = moved ?? table.description.key(change.key.values)
            guard let rawKey = table.localKey(key) else { return nil }
            self.table = table
            self.columns = columns
            reading = LogReading(table: table, statements: transaction.statements)
            entries = try reading.entries(rawKey: rawKey)
        }

        /// The batch counts columns as they were when it was prepared.
        func column(_ position: Int) -> Int? {
            columns.columns.indices.contains(position)
                ? table.description.column(named: columns.columns[position]) : nil
        }

        func row(_ values: [Value]) -> [Value] {
            var result = [Value](repeating: .null, count: table.description.columns.count)
            for (position, value) in values.enumerated() {
                if let column = column(position) { result[column] = value }
            }
            return result
        }
    }

    /// What was edited since a refused change stands on what the hub has.
    private func putBack(_ change: Change, _ batch: Batch) throws {
        guard let noted = try Noted(change, batch, transaction), !noted.entries.isEmpty,
            let rawKey = noted.table.localKey(noted.key)
        else { return }
        switch change.operation {
        case .insert:
            if planted(.refusedInsertStaysUpdate) { return }
            // The row never came to the hub: what was edited since is an insert still.
            let insert = LogEntry(kind: .insert, at: change.editedAt, isAgain: change.isAgain)
            try noted.reading.prepend([.init(rawKey: rawKey, entry: insert)])
        case .update(let edits):
            for edit in edits {
                guard let column = noted.column(edit.column) else { continue }
                try replace(edit.new, with: edit.old, column, noted.entries, noted.reading)
            }
        case .delete(let before):
            let delete = LogEntry(
                kind: .delete(noted.row(before)), at: change.editedAt, isAgain: change.isAgain)
            try noted.reading.prepend([.init(rawKey: rawKey, entry: delete)])
        case .touch: break
        }
    }

    /// Puts a later note of the row right, so that the replica has no conflict with itself.
    ///
    /// - Returns: What the hub stored otherwise: where the page cannot write the row, these columns
    ///   are written alone, for the edits that are yet to come.
    private func correct(
        _ change: Change, _ outcome: Outcome, _ batch: Batch
    ) throws -> [StoredColumn] {
        let columns = batch.tables.first { $0.name.hasSameBytes(as: change.table) }
        let moved = try columns.flatMap {
            try MovedRows(transaction, at: now).follow(change, outcome, $0)
        }
        guard let noted = try Noted(change, batch, transaction, key: moved) else { return [] }
        let found = outcome.stored.compactMap { stored -> StoredColumn? in
            // A row that got another key stands there in a page: under the old key is another's.
            guard let column = noted.column(stored.column), !noted.table.description.isKey(column),
                let pushed = change.operation.value(at: stored.column)
            else { return nil }
            return StoredColumn(
                table: noted.table, key: noted.key, column: column, pushed: pushed,
                stored: stored.value)
        }
        for column in found {
            try replace(
                column.pushed, with: column.stored, column.column, noted.entries, noted.reading)
        }
        return found
    }

    /// The first entry that carries the column is its before-image: where that is the pushed value,
    /// it becomes the one that stands at the hub. A candidate may come to nothing: then the entry
    /// after it is the first.
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
            case .update(let old):
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
    /// What the change would have in a column of the batch's table; `nil` where it says nothing of it.
    fileprivate func value(at position: Int) -> Value? {
        switch self {
        case .insert(let row): row.indices.contains(position) ? row[position] : nil
        case .update(let edits): edits.first { $0.column == position }?.new
        case .delete, .touch: nil
        }
    }
}
