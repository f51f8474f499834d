import MoorageCore
import MoorageTesting
import Testing

@Suite struct `Folding the log` {
    private let row: [Value] = [.integer(1), .text("a"), .text("b")]
    private let other: [Value] = [.integer(1), .text("x"), .text("y")]

    private func fold(_ kinds: [LogEntry.Kind], exists: Bool) -> Note.Kind? {
        var folding = NoteFolding()
        for (index, kind) in kinds.enumerated() {
            folding.add(LogEntry(kind: kind, at: Int64(index)))
        }
        return folding.note(exists: exists)?.kind
    }

    private func old(_ column: Int, _ text: String) -> OldValue {
        OldValue(column: column, value: .text(text))
    }

    @Test func `of nothing gives nothing`() {
        #expect(fold([], exists: true) == nil)
        #expect(fold([], exists: false) == nil)
    }

    @Test func `starts with what was done first`() {
        #expect(fold([.insert], exists: true) == .insert)
        #expect(fold([.update([old(1, "a")])], exists: true) == .update([old(1, "a")]))
        #expect(fold([.delete(row)], exists: false) == .delete(row))
    }

    @Test func `keeps an insert through updates, and makes it a touch when it is deleted`() {
        #expect(fold([.insert, .update([old(1, "a")])], exists: true) == .insert)
        #expect(fold([.insert, .delete(row)], exists: false) == .touch)
        #expect(fold([.insert, .delete(row), .insert], exists: true) == .insert)
        #expect(fold([.insert, .delete(row), .insert, .delete(row)], exists: false) == .touch)
    }

    @Test func `keeps the first old value of each column`() {
        let kinds: [LogEntry.Kind] = [
            .update([old(2, "b")]), .update([old(1, "a"), old(2, "b2")]), .update([old(1, "a2")]),
        ]
        #expect(fold(kinds, exists: true) == .update([old(1, "a"), old(2, "b")]))
        #expect(
            fold(kinds + [.delete([.integer(1), .text("a3"), .text("b3")])], exists: false)
                == .delete(row))
    }

    @Test func `makes a delete and an insert of one key an update with the whole row before it`() {
        let whole = row.enumerated().map { OldValue(column: $0, value: $1) }
        #expect(fold([.delete(row), .insert], exists: true) == .update(whole))
        #expect(
            fold([.delete(row), .insert, .update([old(1, "x")])], exists: true) == .update(whole))
        #expect(fold([.delete(row), .insert, .delete(other)], exists: false) == .delete(row))
    }

    @Test func `notes an update that changed no column of a row that has no note for nothing`() {
        #expect(fold([.update([])], exists: true) == nil)
        #expect(fold([.insert, .update([])], exists: true) == .insert)
    }

    @Test func `notes an edit that was taken back all the same`() {
        let kinds: [LogEntry.Kind] = [.update([old(1, "a")]), .update([old(1, "x")])]
        #expect(fold(kinds, exists: true) == .update([old(1, "a")]))
    }

    @Test func `takes a candidate for deleted when the row is gone without a delete`() {
        #expect(fold([.candidate(row)], exists: false) == .delete(row))
        #expect(fold([.insert, .candidate(row)], exists: false) == .touch)
        #expect(
            fold([.update([old(1, "a")]), .candidate(other)], exists: false)
                == .delete([.integer(1), .text("a"), .text("y")]))
    }

    @Test func `takes a candidate for nothing when the row is still there`() {
        #expect(fold([.candidate(row)], exists: true) == nil)
        #expect(fold([.insert, .candidate(row)], exists: true) == .insert)
        #expect(
            fold([.candidate(row), .candidate(row), .delete(row)], exists: false) == .delete(row))
    }

    @Test func `takes a candidate and an insert for a replacement`() {
        let whole = row.enumerated().map { OldValue(column: $0, value: $1) }
        #expect(fold([.candidate(row), .insert], exists: true) == .update(whole))
        #expect(fold([.insert, .candidate(row), .insert], exists: true) == .insert)
        #expect(
            fold([.candidate(row), .insert, .candidate(other), .insert], exists: true)
                == .update(whole))
    }

    @Test func `takes a candidate for replaced when an insert follows the cascade of its key`() {
        let whole = row.enumerated().map { OldValue(column: $0, value: $1) }
        let cascade = LogEntry.Kind.update([old(1, "a")])
        #expect(fold([.candidate(row), cascade, .insert], exists: true) == .update(whole))
        #expect(fold([.insert, .candidate(row), cascade, .insert], exists: true) == .insert)
    }

    @Test func `keeps a deleted row's values when the cascade of its key comes before the insert`()
    {
        let whole = row.enumerated().map { OldValue(column: $0, value: $1) }
        let cascade = LogEntry.Kind.update([old(1, "a")])
        #expect(fold([.delete(row), cascade, .insert], exists: true) == .update(whole))
        #expect(fold([.delete(row), cascade, cascade, .insert], exists: true) == .update(whole))
        #expect(
            fold([.delete(row), cascade, .insert, .delete(other), .insert], exists: true)
                == .update(whole))
        #expect(fold([.insert, .delete(row), cascade, .insert], exists: true) == .insert)
        // An insert behind it is of another row: this one went without a note.
        #expect(fold([.delete(row), cascade, .insert, .insert], exists: true) == .insert)
    }

    @Test func `forgets a candidate once the row was edited again`() {
        var folding = NoteFolding()
        folding.add(LogEntry(kind: .candidate(row), at: 1))
        #expect(folding.hasOpenCandidate)
        folding.add(LogEntry(kind: .update([old(1, "a")]), at: 2))
        #expect(!folding.hasOpenCandidate)
        #expect(folding.note(exists: true)?.kind == .update([old(1, "a")]))
    }

    @Test func `keeps the last time, and that any part was offered before`() {
        var folding = NoteFolding()
        folding.add(LogEntry(kind: .insert, at: 50, isAgain: true))
        folding.add(LogEntry(kind: .update([old(1, "a")]), at: 20))
        let note = folding.note(exists: true)
        #expect(note?.at == 50)
        #expect(note?.isAgain == true)
    }

    @Test func `says which columns keep their local value`() {
        let note = Note(kind: .update([old(1, "a")]), at: 0)
        #expect(note.edits(1) && !note.edits(2))
        #expect(Note(kind: .insert, at: 0).edits(2))
    }
}

/// The life of one row, and the log that the device's triggers write of it.
private struct RowHistory {
    private(set) var row: [Value]?
    private(set) var log: [LogEntry] = []
    private var time: Int64 = 0

    init(row: [Value]?) { self.row = row }

    mutating func step(using random: inout SeededGenerator) {
        time += 1
        guard let current = row else {
            insert(using: &random)
            return
        }
        switch random.below(9) {
        case 0, 1:
            note(.delete(current))
            row = nil
        case 2:  // INSERT OR REPLACE of the same key: no delete trigger fires
            note(.candidate(current))
            insert(using: &random)
        case 3:  // another row took its unique value by REPLACE
            note(.candidate(current))
            row = nil
        case 4:  // INSERT OR IGNORE: it only stood in the way
            note(.candidate(current))
        default:
            let next = Self.randomRow(using: &random)
            let changed = next.indices.filter { current[$0] != next[$0] }
            note(.update(changed.map { OldValue(column: $0, value: current[$0]) }))
            row = next
        }
    }

    /// The row took its key from another, and the key's own cascade reaches it before its note does.
    private mutating func insert(using random: inout SeededGenerator) {
        let next = Self.randomRow(using: &random)
        if random.once(in: 3) { note(.update([OldValue(column: 1, value: .integer(9))])) }
        note(.insert)
        row = next
    }

    private mutating func note(_ kind: LogEntry.Kind) { log.append(LogEntry(kind: kind, at: time)) }

    static func randomRow(using random: inout SeededGenerator) -> [Value] {
        [.integer(1)] + (0..<3).map { _ in Value.integer(Int64(random.below(3))) }
    }
}

@Suite struct `Folding any log` {
    private static let table = TableDescription(
        name: "t", columns: (0..<4).map { ColumnDescription(name: "c\($0)", type: .integer) },
        primaryKey: [0])

    private func note(_ log: some Sequence<LogEntry>, exists: Bool) -> Note? {
        var folding = NoteFolding()
        for entry in log { folding.add(entry) }
        return folding.note(exists: exists)
    }

    /// What the device pushes for a note.
    private func change(_ note: Note, row: [Value]?) throws -> Change {
        let operation: Change.Operation =
            switch note.kind {
            case .insert: .insert(try #require(row))
            case .update(let old):
                .update(
                    try old.compactMap { old in
                        let now = try #require(row)[old.column]
                        return now == old.value
                            ? nil : ColumnEdit(column: old.column, old: old.value, new: now)
                    })
            case .delete(let before): .delete(before: before)
            case .touch: .touch
            }
        return Change(
            table: "t", key: Key([.integer(1)]), operation: operation, editedAt: note.at)
    }

    private func push(_ note: Note?, row: [Value]?, onto central: [Value]?) throws -> [Value]? {
        guard let note else { return central }
        let settlement = Merge(table: Self.table, rules: TableRules()).settle(
            try change(note, row: row),
            against: CentralRow(values: central, changedAt: 0, isTombstone: false),
            editedAt: note.at)
        #expect(settlement.conflict == nil && settlement.outcome == .applied)
        return settlement.write.applied(to: central)
    }

    @Test func `says what the row was and what it is`() throws {
        for seed in 0..<UInt64(trials(4000, nightly: 400_000)) {
            var random = SeededGenerator(seed: seed)
            let before = random.once(in: 3) ? nil : RowHistory.randomRow(using: &random)
            var history = RowHistory(row: before)
            for _ in 0..<random.below(9) { history.step(using: &random) }
            let after = history.row
            switch note(history.log, exists: after != nil)?.kind {
            case nil: #expect(before == after, "seed \(seed)")
            case .insert: #expect(before == nil && after != nil, "seed \(seed)")
            case .delete(let row): #expect(row == before && after == nil, "seed \(seed)")
            case .touch: #expect(before == nil && after == nil, "seed \(seed)")
            case .update(let old):
                let first = try #require(before, "seed \(seed)")
                let last = try #require(after, "seed \(seed)")
                #expect(old.map(\.column) == old.map(\.column).sorted())
                for old in old { #expect(first[old.column] == old.value, "seed \(seed)") }
                for column in 0..<4 where !old.contains(where: { $0.column == column }) {
                    #expect(first[column] == last[column], "seed \(seed)")
                }
            }
        }
    }

    @Test func `and pushing it gives the row, wherever the log was cut into batches`() throws {
        for seed in 0..<UInt64(trials(4000, nightly: 400_000)) {
            var random = SeededGenerator(seed: seed &+ 1_000_000)
            let before = random.once(in: 3) ? nil : RowHistory.randomRow(using: &random)
            var history = RowHistory(row: before)
            var central = before
            var pushed = 0
            for _ in 0..<(random.below(12) + 1) {
                history.step(using: &random)
                guard random.once(in: 3) else { continue }
                central = try push(
                    note(history.log[pushed...], exists: history.row != nil), row: history.row,
                    onto: central)
                pushed = history.log.count
                #expect(central == history.row, "seed \(seed)")
            }
            central = try push(
                note(history.log[pushed...], exists: history.row != nil), row: history.row,
                onto: central)
            #expect(central == history.row, "seed \(seed)")
        }
    }
}

extension Settlement.Write {
    func applied(to row: [Value]?) -> [Value]? {
        switch self {
        case .none, .keepBoth: return row
        case .insert(let values): return values
        case .delete: return nil
        case .update(let values):
            var row = row
            for value in values { row?[value.column] = value.value }
            return row
        }
    }
}
