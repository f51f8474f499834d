import GRDB
import MoorageCore

/// Keeps the log of a device that is away in proportion to the rows that it edits, not to its edits:
/// entries of a row go that say nothing which its others do not.
///
/// - C1: An update joins the one before it: the first old value of each column stays.
/// - C2: Of a row that goes and comes back again and again – an app that saves with `REPLACE` – the first
///   time that it went stays, and the last time that it came.
///
/// What ``NoteFolding`` makes of the row is the same. Entries of different groups are not joined.
struct LogCompaction {
    let reading: LogReading

    /// An entry as it is to stand in the log.
    private struct Kept {
        let seq: Int64
        let op: String
        var at: Int64
        let isAgain: Bool
        let group: Int64?
        var masks: [Int64]
        /// Entries that hold the first old value of a place, where it is not this one.
        var sources: [Int: Int64] = [:]
        var isChanged = false

        var isGoing: Bool { op == "C" || op == "D" }

        func isLike(_ other: Kept) -> Bool { isAgain == other.isAgain && group == other.group }

        func has(place: Int) -> Bool {
            let (mask, bit) = place.quotientAndRemainder(dividingBy: TrackedTable.columnsPerMask)
            return masks.indices.contains(mask) && masks[mask] >> Int64(bit) & 1 == 1
        }
    }

    /// As many as a rule looks back at, and one.
    private static let lookBack = 5

    /// - Complexity: O(n log n) of the log's entries, with those of few at a time in memory.
    func run() throws {
        let keys = reading.table.logKeyColumns
        let masks = (0..<reading.table.tracked.maskCount).map { "m\($0)" }
        let order = (keys + ["seq"]).joined(separator: ", ")
        let columns = (["seq", "op", "at", "again", "grp"] + masks + keys).joined(separator: ", ")
        let statement = try reading.statements.own(
            "SELECT \(columns) FROM \(reading.log) ORDER BY \(order)")
        var row: [Value]?
        var tail: [Kept] = []
        while try statement.step() {
            func integer(_ column: Int) -> Int64? {
                if case .value(.integer(let number)) = statement.column(column) {
                    number
                } else {
                    nil
                }
            }
            let rawKey = keys.indices.map { statement.column(5 + masks.count + $0).value }
            if row != rawKey {
                for kept in tail { try write(kept) }
                (row, tail) = (rawKey, [])
            }
            let op: String =
                if case .value(.text(let text)) = statement.column(1) { text } else { "" }
            try add(
                Kept(
                    seq: integer(0) ?? 0, op: op, at: integer(2) ?? 0,
                    isAgain: integer(3) ?? 0 != 0, group: integer(4),
                    masks: masks.indices.map { integer(5 + $0) ?? 0 }),
                to: &tail)
            if tail.count > Self.lookBack { try write(tail.removeFirst()) }
        }
        for kept in tail { try write(kept) }
    }

    private func add(_ entry: Kept, to tail: inout [Kept]) throws {
        var entry = entry
        if entry.op == "U", let last = tail.last, last.op == "U", last.isLike(entry) {
            tail.removeLast()
            try join(&entry, behind: last)
        } else if entry.op == "I", let first = placeOfReturn(in: tail, for: entry) {
            for dropped in tail[(first + 1)...] {
                // A candidate's time is nobody's.
                if dropped.op != "C", dropped.at > entry.at {
                    entry.at = dropped.at
                    entry.isChanged = true
                }
                for seq in Set([dropped.seq] + dropped.sources.values) {
                    try reading.delete(seq: seq)
                }
            }
            tail.removeSubrange((first + 1)...)
        }
        tail.append(entry)
    }

    private func join(_ entry: inout Kept, behind last: Kept) throws {
        var isNeeded = false
        for place in 0..<reading.table.tracked.logNames.count where last.has(place: place) {
            entry.sources[place] = last.sources[place] ?? last.seq
            if last.sources[place] == nil { isNeeded = true }
            entry.masks[place / TrackedTable.columnsPerMask] |=
                1 << Int64(place % TrackedTable.columnsPerMask)
        }
        entry.at = max(entry.at, last.at)
        entry.isChanged = true
        if !isNeeded { try reading.delete(seq: last.seq) }
    }

    /// The place in the tail where the row went before it came, and went once more.
    private func placeOfReturn(in tail: [Kept], for entry: Kept) -> Int? {
        for length in 3...4 where tail.count >= length {
            let last = tail.suffix(length)
            let ops = last.map(\.op)
            guard last.allSatisfy({ $0.isLike(entry) }), let first = last.first, first.isGoing,
                ops[1] == "I", last.last?.isGoing == true, length == 3 || ops[2] == "U"
            else { continue }
            return last.startIndex
        }
        return nil
    }

    private func write(_ kept: Kept) throws {
        guard kept.isChanged else { return }
        let places = kept.sources.sorted { $0.key < $1.key }
        var values: [Value] = [.integer(kept.seq), .integer(kept.at)]
        var sets = ["at = ?2"]
        for (mask, bits) in kept.masks.enumerated() {
            values.append(.integer(bits))
            sets.append("m\(mask) = ?\(values.count)")
        }
        for (place, source) in places {
            values.append(.integer(source))
            sets.append(
                "o\(place) = (SELECT o\(place) FROM \(reading.log) WHERE seq = ?\(values.count))")
        }
        try reading.statements(
            "UPDATE \(reading.log) SET \(sets.joined(separator: ", ")) WHERE seq = ?1"
        ).run(values)
        for seq in Set(kept.sources.values) { try reading.delete(seq: seq) }
    }
}

/// When a log is to be looked at again; forgotten with the process.
struct CompactedLog {
    /// The log's last entry when it was compacted.
    let last: Int64
    /// The one at which it is long again.
    let due: Int64
}

extension ReplicaStore {
    /// Compacts the logs that have grown while a batch waits for its answer.
    func compactLongLogs(_ db: Database) throws {
        let long = try load(db).synced.filter { try isLong($0, db) }
        if long.isEmpty { return }
        try transaction(db) { transaction in
            for table in transaction.tables.synced
            where long.contains(where: { $0.name.hasSameBytes(as: table.name) }) {
                let reading = LogReading(table: table, statements: transaction.statements)
                try LogCompaction(reading: reading).run()
                // What is left are different rows: a log that they make long is looked at less often.
                let left = Int64(try reading.count(upTo: .max))
                let last = try lastEntry(table, db)
                compactions.withLock {
                    $0[table.name] = CompactedLog(
                        last: last, due: last + max(left, compactedFrom))
                }
            }
        }
    }

    private func isLong(_ table: SyncedTable, _ db: Database) throws -> Bool {
        let last = try lastEntry(table, db)
        guard let known = compactions.withLock({ $0[table.name] }), known.last <= last else {
            // Not looked at yet, or emptied since and begun anew.
            return last >= compactedFrom
        }
        return last >= known.due
    }

    private func lastEntry(_ table: SyncedTable, _ db: Database) throws -> Int64 {
        let log = SQLText.name(table.tracked.logTable)
        return try RawStatement.fixed(db, "SELECT max(seq) FROM \(log)").firstInteger() ?? 0
    }
}
