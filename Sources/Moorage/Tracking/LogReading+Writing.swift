import GRDB
import MoorageCore
import SQLiteSupport

/// What the replica writes into a log without a trigger.
extension LogReading {
    /// An entry that no trigger writes.
    struct NewEntry {
        let localKey: LocalKey
        let entry: LogEntry
        var group: Int64?
    }

    /// Puts entries before all others, in the order given.
    func prepend(_ entries: [NewEntry]) throws {
        let sql = "SELECT coalesce(min(seq), 1) FROM \(log)"
        guard case .value(.integer(let first))? = try statements(sql).first([])?.first else {
            return
        }
        var seq = first - Int64(entries.count)
        for item in entries {
            try insert(item, seq: seq)
            seq += 1
        }
    }

    /// Adds an entry at the end.
    func append(_ entry: LogEntry, localKey: LocalKey) throws {
        try insert(NewEntry(localKey: localKey, entry: entry), seq: nil)
    }

    /// Adds entries that ask the hub what the row is.
    func ask(localKey: LocalKey, at now: DeviceTime) throws {
        for kind in try question(localKey: localKey) {
            try append(LogEntry(kind: kind, at: now), localKey: localKey)
        }
    }

    /// Marks every entry as one that another file may have sent. An insert whose row was deleted
    /// again was hardly sent.
    func markAgain() throws {
        let isSameRow = keys.map { "n.\($0) IS e.\($0)" }.joined(separator: " AND ")
        try statements(
            """
            UPDATE \(log) AS e SET again = 1
            WHERE e.op <> \(LogOperation.insert.sql) OR NOT EXISTS (
              SELECT 1 FROM \(log) AS n
              WHERE \(isSameRow) AND n.seq > e.seq AND n.\(LogOperation.isRemovalSQL))
            """
        ).run([])
    }

    private func insert(_ new: NewEntry, seq: Int64?) throws {
        let entry = new.entry
        var masks = [Int64](repeating: 0, count: maskCount)
        var olds = [Value](repeating: .null, count: placeCount)
        func keep(_ column: Int, _ value: Value) {
            guard let place = table.placeOfColumn[column] else { return }
            // An old value that the column cannot store is kept as it came. It may be from before
            // the column got its type.
            olds[place] = table.form(column).local(value) ?? value
        }
        func mark(_ place: Int) {
            let (mask, bit) = place.quotientAndRemainder(
                dividingBy: TrackedTable.columnsPerMask)
            masks[mask] |= 1 << Int64(bit)
        }
        func markUnknown() {
            for (place, column) in table.columnOfPlace.enumerated()
            where column.map(entry.unknownColumns.contains) ?? true {
                mark(place)
            }
        }
        switch entry.kind {
        case .insert: markUnknown()
        case .update(let old), .fill(let old):
            for value in old {
                keep(value.column, value.value)
                if let place = table.placeOfColumn[value.column] { mark(place) }
            }
        case .delete(let row), .candidate(let row):
            for (column, value) in row.enumerated() { keep(column, value) }
            markUnknown()
        }
        let names =
            ["seq", "op", "at", "again", "grp"] + keys + masks.indices.map { "m\($0)" }
            + olds.indices.map { "o\($0)" }
        let values: [Value] =
            [seq.map(Value.integer) ?? .null, .text(LogOperation(entry.kind).rawValue)]
            + [.time(entry.at), .integer(entry.isAgain ? 1 : 0)]
            + [new.group.map(Value.integer) ?? .null]
            + new.localKey.values + masks.map(Value.integer) + olds
        let first = values.count - olds.count
        let storedOlds = olds.indices.map { place in
            let column = table.columnOfPlace[place].map { table.form($0).column }
            return ColumnConversion.stored(
                "?\(first + place + 1)", as: column?.affinity ?? .blob)
        }
        let parameters = [SQLText.parameters(first)] + storedOlds
        try statements(
            """
            INSERT INTO \(log)(\(names.joined(separator: ", "))) \
            VALUES(\(parameters.joined(separator: ", ")))
            """
        ).run(values)
    }

    func delete(seq: Int64) throws {
        try statements("DELETE FROM \(log) WHERE seq = ?1").run([.integer(seq)])
    }

    /// Resolves the row's last candidates while the row still shows what they were. They are
    /// deleted. But if the row is gone, the first one becomes a deletion.
    func resolveCandidates(localKey: LocalKey) throws {
        let entries = try entries(localKey: localKey)
        guard let last = entries.last, last.op == .candidate else { return }
        let open = entries.reversed().prefix { $0.op == .candidate }.reversed()
        let exists = try exists(localKey: localKey)
        for (index, entry) in open.enumerated() {
            if index == 0, !exists {
                try statements("UPDATE \(log) SET op = \(LogOperation.delete.sql) WHERE seq = ?1")
                    .run([.integer(entry.seq)])
            } else {
                try delete(seq: entry.seq)
            }
        }
    }
}
