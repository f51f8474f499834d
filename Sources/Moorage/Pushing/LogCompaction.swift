import GRDB
import MoorageCore
import MoorageSupport

/// Keeps the log of a device that is away in proportion to the rows that it edits, not to its
/// edits. It deletes an entry if the row's other entries say the same.
///
/// - G1: The first and the last of consecutive updates stay. The first has the first old value of
///   each column.
/// - G2: If a row is removed and inserted again and again, the first removal and the last insert
///   stay. An app that saves with `REPLACE` does this. If the table got columns in between, only the
///   later removal says what they had, so it stays, too.
/// - G3: A row's first entry and its last stay in their places, because a listed change is
///   recognized by them.
///
/// ``LocalChangeFolding`` makes the same of the row as before. Entries of different groups are not
/// joined. Nor are entries that may have been sent before: the hub may have the row as it was
/// between them.
struct LogCompaction {
    let reading: LogReading

    private struct Entry {
        let seq: Int64
        let op: LogOperation
        let isAgain: Bool
        let group: Int64?
        var masks: [Int64]

        func joins(_ other: Entry) -> Bool {
            !isAgain && !other.isAgain && group == other.group
        }
    }

    /// How many entries a rule looks back at.
    private static let lookBack = 5

    /// - Complexity: O(n log n) of the log's entries, with a few of them at a time in memory.
    func run() throws {
        // Later entries may need the time of an entry that is deleted.
        try reading.keepTimesInOrder()
        let keys = reading.table.logKeyColumns
        let masks = (0..<reading.table.tracked.maskCount).map { "m\($0)" }
        let order = (keys + ["seq"]).joined(separator: ", ")
        let columns = (["seq", "op", "again", "grp"] + masks + keys).joined(separator: ", ")
        let statement = try reading.statements.own(
            "SELECT \(columns) FROM \(reading.log) ORDER BY \(order)")
        var row: LocalKey?
        var tail: [Entry] = []
        while try statement.step() {
            func integer(_ column: Int) -> Int64? {
                if case .value(.integer(let number)) = statement.column(column) {
                    number
                } else {
                    nil
                }
            }
            let localKey = LocalKey(statement, from: 4 + masks.count, count: keys.count)
            if row != localKey { (row, tail) = (localKey, []) }
            try add(
                Entry(
                    seq: integer(0) ?? 0, op: LogOperation(stored: statement.column(1)),
                    isAgain: integer(2) ?? 0 != 0, group: integer(3),
                    masks: masks.indices.map { integer(4 + $0) ?? 0 }),
                to: &tail)
            if tail.count > Self.lookBack { tail.removeFirst() }
        }
    }

    private func add(_ entry: Entry, to tail: inout [Entry]) throws {
        if entry.op == .update, tail.count > 1 {
            let first = tail.count - 2
            if tail[first...].allSatisfy({ $0.op == .update && $0.joins(entry) }) {
                try join(tail.removeLast(), into: &tail[first])
            }
        } else if entry.op == .insert, let first = placeOfReturn(in: tail, for: entry) {
            for dropped in tail[(first + 1)...] { try reading.delete(seq: dropped.seq) }
            tail.removeSubrange((first + 1)...)
        }
        tail.append(entry)
    }

    private func join(_ later: Entry, into first: inout Entry) throws {
        for place in 0..<reading.table.tracked.logNames.count {
            let (mask, position) = place.quotientAndRemainder(
                dividingBy: TrackedTable.columnsPerMask)
            let bit: Int64 = 1 << Int64(position)
            guard later.masks[mask] & bit != 0, first.masks[mask] & bit == 0 else { continue }
            first.masks[mask] |= bit
            try reading.statements(
                """
                UPDATE \(reading.log) SET m\(mask) = ?3, \
                o\(place) = (SELECT o\(place) FROM \(reading.log) WHERE seq = ?2) WHERE seq = ?1
                """
            ).run([.integer(first.seq), .integer(later.seq), .integer(first.masks[mask])])
        }
        try reading.delete(seq: later.seq)
    }

    /// The place in the tail of a removal that an insert, perhaps updates, and another removal
    /// follow.
    private func placeOfReturn(in tail: [Entry], for entry: Entry) -> Int? {
        for length in 3...Self.lookBack where tail.count >= length {
            let last = Array(tail.suffix(length))
            guard last.allSatisfy({ $0.joins(entry) }), last[0].op.isRemoval, last[1].op == .insert,
                last[2..<(length - 1)].allSatisfy({ $0.op == .update }),
                last[length - 1].op.isRemoval,
                zip(last[0].masks, last[length - 1].masks).allSatisfy({ $0 & ~$1 == 0 })
            else { continue }
            return tail.count - length
        }
        return nil
    }
}

extension ReplicaStore {
    /// Compacts the logs that have grown while a batch waits for its answer.
    func compactLongLogs(_ db: Database) throws {
        let long = Set(try load(db).synced.filter { try isLong($0, db) }.map(\.name))
        if long.isEmpty { return }
        try transaction(db) { transaction in
            for table in transaction.tables.synced
            where long.contains(table.name) {
                let reading = LogReading(table: table, statements: transaction.statements)
                try LogCompaction(reading: reading).run()
                // The remaining entries are those of different rows. If these make the log long, it
                // is checked less often.
                let left = Int64(try reading.count(upTo: .max))
                let last = try lastEntry(table, db)
                compactions.withLock {
                    $0[table.name] = CompactionSchedule(
                        last: last, due: last + max(left, compactedFrom))
                }
            }
        }
    }

    private func isLong(_ table: SyncedTable, _ db: Database) throws -> Bool {
        let last = try lastEntry(table, db)
        guard let known = compactions.withLock({ $0[table.name] }), known.last <= last else {
            // Not checked yet, or emptied since and started over.
            return last >= compactedFrom
        }
        return last >= known.due
    }

    private func lastEntry(_ table: SyncedTable, _ db: Database) throws -> Int64 {
        let log = SQLText.name(table.tracked.logTable)
        return try RawStatement.fixed(db, "SELECT max(seq) FROM \(log)").firstInteger() ?? 0
    }
}
