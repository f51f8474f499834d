import MoorageCore
import MoorageWire

/// What users did to rows in flight while triggers were missing.
extension LogReading {
    /// Records the edits of rows that are in flight as inserts.
    ///
    /// - Parameter entry: The first entry of the log that only says that a row exists. Such an entry
    ///   of a row in flight would offer the row again, as if it were edited now.
    func recordEdits(inFlight batch: Batch, notAsRowsFrom entry: Int64, at now: DeviceTime) throws {
        for change in batch.changes where table.name == change.table {
            guard case .insert = change.operation, let columns = batch.columns(of: change),
                let localKey = table.localKey(table.description.key(change.key.values))
            else { continue }
            try statements("DELETE FROM \(log) WHERE \(isKey) AND seq >= ?\(keys.count + 1)")
                .run(localKey.values + [.integer(entry)])
            let unknown = [Value?](repeating: nil, count: table.description.columns.count)
            try completeLocalChange(
                localKey, sent: (change.operation, columns), expected: unknown, at: now)
        }
    }

    /// Adds the edits of a row with a local change that were made while triggers were missing.
    ///
    /// - Parameters:
    ///   - sent: What is in flight of the row, and the columns by whose positions it goes.
    ///   - expected: What each column would contain if nobody had edited it and nothing were in
    ///     flight; `nil` where nobody knows.
    func completeLocalChange(
        _ localKey: LocalKey, sent: (operation: Change.Operation, columns: TableColumns)?,
        expected: [Value?], at now: DeviceTime
    ) throws {
        guard let local = try portableRow(localKey: localKey) else { return }
        var expected = expected
        func expect(_ value: Value, at position: Int) {
            if let sent, let column = table.column(position, of: sent.columns) {
                expected[column] = value
            }
        }
        switch sent?.operation {
        case .insert(let row)?:
            for (position, value) in row.enumerated() { expect(value, at: position) }
        case .update(let edits)?:
            for edit in edits { expect(edit.new, at: edit.column) }
        case .delete?, .refetch?, nil: break
        }
        switch (try localChange(localKey: localKey)?.kind, sent?.operation) {
        case (.insert?, _), (nil, nil): return
        case (.delete?, _), (.refetch?, _), (nil, .delete?), (nil, .refetch?):
            // The local change deleted the row, and yet it is here.
            return try append(LogEntry(kind: .insert, at: now), localKey: localKey)
        case (.update(let old)?, _): for value in old { expected[value.column] = nil }
        case (nil, .insert?), (nil, .update?): break
        }
        let edited = expected.enumerated().compactMap { column, value -> OldValue? in
            guard let value, !table.description.columns[column].type.equal(value, local[column])
            else { return nil }
            return OldValue(column: column, value: value)
        }
        if edited.isEmpty { return }
        try append(LogEntry(kind: .update(edited), at: now), localKey: localKey)
    }

    /// Records the deletion of a row that is in flight as an insert, and neither here nor in the
    /// log. Its user deleted it while triggers were missing.
    func recordDeletions(inFlight batch: Batch, at now: DeviceTime) throws {
        for change in batch.changes where table.name == change.table {
            guard case .insert(let row) = change.operation, let columns = batch.columns(of: change),
                let localKey = table.localKey(table.description.key(change.key.values)),
                try !exists(localKey: localKey), try entries(localKey: localKey).isEmpty
            else { continue }
            try append(
                table.deletion(of: row, columns, since: [], at: now, isAgain: false),
                localKey: localKey)
        }
    }
}
