import GRDB
import MoorageCore
import MoorageWire

/// What to do when the hub and the replica disagree about the past. Changes go back into the log,
/// in front of later edits.
extension ReplicaStore {
    /// Another file has this replica's id, so this one takes a new id, and sends the batch again.
    /// The other file may also have sent what this one has not sent yet.
    func fork(_ db: Database, newID: String) throws {
        try transaction(db) { transaction in
            try HistoryRepair(transaction).renew(id: newID)
            try HistoryRepair(transaction).unprepareInFlight(again: true)
            for table in transaction.tables.synced {
                try LogReading(table: table, statements: transaction.statements).markAgain()
            }
        }
    }

    /// The hub cannot accept the batch as it is.
    ///
    /// - Parameter halving: Whether the next one is smaller, because this one may be too large.
    func unprepare(_ db: Database, halving: Bool) throws {
        try transaction(db) { transaction in
            let count = try HistoryRepair(transaction).unprepareInFlight(again: false)
            if !halving { return }
            try transaction.meta.set(.batchRows, max(1, count / 2))
        }
    }

    /// The central database has another history. The replica reads everything from the start, and
    /// sends again what the hub acknowledged within the retention time. It lists what the hub does
    /// not bring back.
    ///
    /// - Parameter copiedAt: What the hub acknowledged until then is in the central database,
    ///   unless somebody deleted it since. The hub may not remember that, so it is not sent again.
    func reconcile(
        _ db: Database, newID: String, at time: ExchangeTime, copiedAt: HubTime? = nil
    ) throws {
        try transaction(db) { transaction in
            let repair = HistoryRepair(transaction)
            try repair.renew(id: newID)
            try repair.unprepareInFlight(again: true)
            try repair.unprepareAcknowledged(at: time, copiedAt: copiedAt)
            try restartScan(transaction, at: .start)
        }
    }

    /// The hub has forgotten deletions since the replica's last exchange. Its history is the same,
    /// so the replica keeps its id and sends the in-flight batch again unchanged. The hub has the
    /// acknowledged batches.
    func rescan(_ db: Database) throws {
        try transaction(db) { transaction in
            // Keep the epoch of the history: the hub may lose it before the first page.
            try restartScan(transaction, at: SyncCursor(epoch: transaction.meta.cursor().epoch))
        }
    }

    private func restartScan(_ transaction: StoreTransaction, at cursor: SyncCursor) throws {
        let db = transaction.db
        let schema = StoreSchema(db: db, configured: tables)
        for table in transaction.tables.tracked where try schema.isReceived(table.name) {
            try schema.markUnconfirmed(table)
            // Nobody can tell any more which of two different rows is older.
            try transaction.records.change(table.name) { $0.state.restart() }
            try db.execute(sql: "DELETE FROM \(SQLText.name(table.changedTable))")
        }
        for list in ["deferred", "withheld", "dangling"] {
            try db.execute(sql: "DELETE FROM _moorage_\(list)")
        }
        try transaction.meta.set(cursor)
        try transaction.meta.bump()
        try transaction.notify(SubscriptionTable.name)
    }
}

private struct HistoryRepair {
    private let transaction: StoreTransaction

    init(_ transaction: StoreTransaction) { self.transaction = transaction }

    /// The file remains its user's. Until the hub knows the new id, the old id gives the file its
    /// rights.
    func renew(id: String) throws {
        if try transaction.meta.text(.formerly) == nil {
            try transaction.meta.set(.formerly, try transaction.meta.replica())
        }
        try transaction.meta.set(.replica, id)
        try transaction.meta.set(.number, 0)
        try KeyBlocks(db: transaction.db).forget()
    }

    @discardableResult
    func unprepareInFlight(again: Bool) throws -> Int {
        guard let stored = try transaction.meta.inFlightBatch() else { return 0 }
        try unprepare(stored.batch, again: again)
        try transaction.db.execute(sql: "DELETE FROM _moorage_inflight")
        return stored.batch.changes.count
    }

    func unprepareAcknowledged(at time: ExchangeTime, copiedAt: HubTime?) throws {
        let acknowledged = AcknowledgedBatches(
            db: transaction.db, retention: transaction.store.retention)
        try acknowledged.forget(at: time)
        if let copiedAt { try acknowledged.forget(until: copiedAt) }
        // The newest first: each goes in front of the one that was before.
        for id in try acknowledged.newestFirst() {
            guard let batch = try acknowledged.batch(id) else { continue }
            try unprepare(batch, again: true, listingAt: time.here)
        }
        try acknowledged.forgetAll()
    }

    /// - Parameter time: When to list changes of rows that are not here any more; `nil` where all
    ///   rows are.
    private func unprepare(
        _ batch: Batch, again: Bool, listingAt time: DeviceTime? = nil
    ) throws {
        // A group remains one, under a number that no later group has.
        var groups: [Int: Int64] = [:]
        for group in Set(batch.changes.compactMap(\.group)).sorted() {
            groups[group] = try ReplicaStore.openGroup(transaction.db)
        }
        if !groups.isEmpty { try ReplicaStore.closeGroup(transaction.db) }
        for columns in batch.tables {
            // A table may have been suspended since: its changes wait in its log.
            guard let reading = transaction.tables.log(of: columns.name, transaction.statements)
            else { continue }
            let table = reading.table
            var entries: [LogReading.NewEntry] = []
            for change in batch.changes where table.name == change.table {
                let key = table.description.key(change.key.values)
                guard let localKey = table.localKey(key) else { continue }
                if let time, try isWithoutRow(change, reading, localKey) {
                    try RefusedList(statements: transaction.statements)
                        .addUnsendable(change, columns.columns, at: time)
                    continue
                }
                let group = change.group.flatMap { groups[$0] }
                for entry in try unprepared(change, columns, reading, localKey, again: again) {
                    entries.append(.init(localKey: localKey, entry: entry, group: group))
                }
            }
            try reading.prepend(entries)
        }
    }

    /// Whether the row of a change left this device, as with a subscription that ended, and nothing
    /// here was written to it since. A log entry alone would ask for the row, and send nothing.
    private func isWithoutRow(
        _ change: Change, _ reading: LogReading, _ localKey: LocalKey
    ) throws -> Bool {
        switch change.operation {
        case .update(let edits) where !edits.contains(where: { $0.isChange && !$0.isFill }):
            return false
        case .delete, .refetch: return false
        case .insert, .update: break
        }
        return try !reading.exists(localKey: localKey)
            && reading.localChange(localKey: localKey) == nil
    }

    /// The entries that fold to the change again.
    private func unprepared(
        _ change: Change, _ columns: TableColumns, _ reading: LogReading, _ localKey: LocalKey,
        again: Bool
    ) throws -> [LogEntry] {
        let table = reading.table
        let isAgain = again || change.isAgain
        func entry(_ kind: LogEntry.Kind) -> LogEntry {
            LogEntry(kind: kind, at: change.editedAt, isAgain: isAgain)
        }
        switch change.operation {
        case .insert:
            let absorbed = try absorbReplacement(reading, localKey)
            return [
                LogEntry(
                    kind: .insert, at: max(change.editedAt, absorbed?.editedAt ?? change.editedAt),
                    isAgain: isAgain,
                    unknownColumns: absorbed?.unknownColumns ?? table.columnsUnknown(to: columns))
            ]
        case .delete(let before):
            // The row is here, and nobody inserted it since. So the hub overruled the deletion.
            if try reading.exists(localKey: localKey) {
                switch try reading.localChange(localKey: localKey)?.kind {
                case nil, .update?: return []
                case .insert?, .delete?, .refetch?: break
                }
            }
            return [
                try table.deletion(
                    of: before, columns, since: reading.columnsNotInserted(localKey: localKey),
                    at: change.editedAt, isAgain: isAgain)
            ]
        case .refetch:
            return try question(reading, localKey, at: change.editedAt)
        case .update(let edits):
            func old(_ edits: [ColumnEdit]) -> [OldValue] {
                edits.filter(\.isChange).compactMap { edit in
                    table.column(edit.column, of: columns).map {
                        OldValue(column: $0, value: edit.old)
                    }
                }
            }
            let edited = old(edits.filter { !$0.isFill })
            let filled = old(change.fills)
            var entries = edited.isEmpty ? [] : [entry(.update(edited))]
            // A row that is not here any more has nothing to fill.
            if try !filled.isEmpty && reading.exists(localKey: localKey) {
                entries.append(entry(.fill(filled)))
            }
            return entries.isEmpty
                ? try question(reading, localKey, at: change.editedAt) : entries
        }
    }

    /// Removes what the log says of a row that was deleted and inserted again, as a question does.
    /// After the insert that comes back, it would be an update of a row that the hub may not have
    /// any more. The insert sends the whole row as it is now.
    ///
    /// - Returns: When the row was edited since, and the columns of which its last insert says
    ///   nothing; `nil` if the log says nothing such.
    private func absorbReplacement(
        _ reading: LogReading, _ localKey: LocalKey
    ) throws -> (editedAt: DeviceTime?, unknownColumns: Set<Int>)? {
        guard let row = try reading.portableRow(localKey: localKey),
            let later = try reading.localChange(localKey: localKey),
            case .update(let old) = later.kind
        else { return nil }
        let entries = try reading.entries(localKey: localKey)
        guard Self.isReplacement(entries.map(\.op)) else { return nil }
        var unknown = reading.columnsNotInserted(by: entries.last { $0.op == .insert })
        for entry in entries { try reading.delete(seq: entry.seq) }
        let edited = old.filter { old in
            let type = reading.table.description.columns[old.column].type
            return !old.isFill && !type.equal(row[old.column], old.value)
        }
        unknown.subtract(edited.map(\.column))
        return (edited.isEmpty ? nil : later.at, unknown)
    }

    /// Whether entries of a row that is here say that it went, and came back. `REPLACE` writes a
    /// candidate, and an insert says that it did remove the row.
    private static func isReplacement(_ operations: [LogOperation]) -> Bool {
        guard let candidate = operations.firstIndex(of: .candidate) else {
            return operations.contains(.delete)
        }
        return operations.contains(.delete) || operations[candidate...].contains(.insert)
    }

    /// A local change with nothing to change is pushed, too. It asks what the row is, and something
    /// may wait for the answer. If the row has a later local change, that one asks. A question is
    /// never marked as sent before: it told the hub of no insert and no deletion.
    private func question(
        _ reading: LogReading, _ localKey: LocalKey, at time: DeviceTime
    ) throws -> [LogEntry] {
        guard try reading.localChange(localKey: localKey) == nil else { return [] }
        return try reading.question(localKey: localKey).map { LogEntry(kind: $0, at: time) }
    }
}
