import MoorageCore
import MoorageTesting
import TestSupport
import Testing

@Suite(.ownThreads) struct `Folding the log` {
    private let row: [Value] = [.integer(1), .text("a"), .text("b")]
    private let other: [Value] = [.integer(1), .text("x"), .text("y")]

    private func fold(_ kinds: [LogEntry.Kind], exists: Bool) -> LocalChange.Kind? {
        var folding = LocalChangeFolding()
        for (index, kind) in kinds.enumerated() {
            folding.add(LogEntry(kind: kind, at: DeviceTime(milliseconds: Int64(index))))
        }
        return folding.localChange(exists: exists)?.kind
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

    @Test func `keeps an insert through updates, and makes it a refetch when it is deleted`() {
        #expect(fold([.insert, .update([old(1, "a")])], exists: true) == .insert)
        #expect(fold([.insert, .delete(row)], exists: false) == .refetch)
        #expect(fold([.insert, .delete(row), .insert], exists: true) == .insert)
        #expect(fold([.insert, .delete(row), .insert, .delete(row)], exists: false) == .refetch)
    }

    /// The hub may have the row: a refetch would bring it back.
    @Test func `deletes a row whose insert was sent before`() {
        var folding = LocalChangeFolding()
        folding.add(LogEntry(kind: .insert, at: 1, isAgain: true))
        folding.add(LogEntry(kind: .update([old(1, "x")]), at: 2))
        folding.add(LogEntry(kind: .update([old(1, "z"), old(2, "y")]), at: 3))
        #expect(folding.localChange(exists: true)?.kind == .insert)
        folding.add(LogEntry(kind: .delete(row), at: 4))
        let change = folding.localChange(exists: false)
        #expect(change?.kind == .delete(other))
        #expect(change?.isAgain == true)
    }

    @Test func `asks for a row after an insert that was sent before`() {
        var folding = LocalChangeFolding()
        folding.add(LogEntry(kind: .insert, at: 1, isAgain: true))
        // A question is an insert and a deletion, and neither was sent.
        folding.add(LogEntry(kind: .insert, at: 1))
        folding.add(LogEntry(kind: .delete(row), at: 1))
        #expect(folding.localChange(exists: false)?.kind == .refetch)
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

    @Test func `records an edit that was undone all the same`() {
        let kinds: [LogEntry.Kind] = [.update([old(1, "a")]), .update([old(1, "x")])]
        #expect(fold(kinds, exists: true) == .update([old(1, "a")]))
    }

    @Test func `takes a candidate for deleted when the row is gone without a delete`() {
        #expect(fold([.candidate(row)], exists: false) == .delete(row))
        #expect(fold([.insert, .candidate(row)], exists: false) == .refetch)
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
        // A second insert belongs to another row: this one went without a local change.
        #expect(fold([.delete(row), cascade, .insert, .insert], exists: true) == .insert)
    }

    /// The table got its last column later, perhaps with values in its rows.
    @Test(arguments: [true, false])
    func `leaves out what a removed row did not have`(isReplaced: Bool) {
        let removal: LogEntry.Kind = isReplaced ? .candidate(row) : .delete(row)
        func fold(_ kinds: LogEntry.Kind...) -> LocalChange.Kind? {
            var folding = LocalChangeFolding()
            for kind in kinds {
                folding.add(
                    LogEntry(kind: kind, at: 1, unknownColumns: kind == removal ? [2] : []))
            }
            return folding.localChange(exists: true)?.kind
        }
        let known = [OldValue(column: 0, value: .integer(1)), old(1, "a")]
        #expect(fold(removal, .insert) == .update(known))
        #expect(
            fold(removal, .insert, .update([old(2, "b")])) == .update(known + [old(2, "b")]))
        // An edit and a fill say what it had.
        #expect(
            fold(.update([old(2, "x")]), removal, .insert)
                == .update(known + [old(2, "x")]))
        #expect(
            fold(.delete(row), .fill([old(2, "x")]), .insert) == .update(known + [old(2, "x")]))
    }

    @Test func `forgets a candidate once the row was edited again`() {
        var folding = LocalChangeFolding()
        folding.add(LogEntry(kind: .candidate(row), at: 1))
        #expect(folding.hasOpenCandidate)
        folding.add(LogEntry(kind: .update([old(1, "a")]), at: 2))
        #expect(!folding.hasOpenCandidate)
        #expect(folding.localChange(exists: true)?.kind == .update([old(1, "a")]))
    }

    private func filled(_ column: Int, _ text: String) -> OldValue {
        OldValue(column: column, value: .text(text), isFill: true)
    }

    @Test func `keeps a fill as a fill`() {
        #expect(fold([.fill([old(1, "a")])], exists: true) == .update([filled(1, "a")]))
        #expect(
            fold([.update([old(2, "b")]), .fill([old(1, "a")])], exists: true)
                == .update([filled(1, "a"), old(2, "b")]))
        #expect(fold([.insert, .fill([old(1, "a")])], exists: true) == .insert)
    }

    @Test func `makes a filled column that is edited an edit of what the hub has`() {
        let fill = LogEntry.Kind.fill([old(1, "a"), old(2, "b")])
        #expect(
            fold([fill, .update([old(1, "x")])], exists: true)
                == .update([old(1, "a"), filled(2, "b")]))
        // The page found the column edited already.
        #expect(
            fold([.update([old(1, "x")]), fill], exists: true)
                == .update([old(1, "a"), filled(2, "b")]))
    }

    @Test func `deletes a filled row as the hub has it`() {
        let kinds: [LogEntry.Kind] = [.fill([old(1, "a"), old(2, "b")]), .delete(other)]
        #expect(fold(kinds, exists: false) == .delete(row))
        let whole = row.enumerated().map { OldValue(column: $0, value: $1) }
        #expect(fold(kinds + [.insert], exists: true) == .update(whole))
        // The page found the row deleted already.
        #expect(fold(kinds.reversed(), exists: false) == .delete(row))
    }

    @Test func `takes no time from a fill beside an edit`() {
        var folding = LocalChangeFolding()
        folding.add(LogEntry(kind: .update([old(1, "a")]), at: 20))
        folding.add(LogEntry(kind: .fill([old(2, "b")]), at: 50))
        #expect(folding.localChange(exists: true)?.at == 20)
        #expect(folding.localChange(exists: true)?.isOnlyFills == false)
        var alone = LocalChangeFolding()
        alone.add(LogEntry(kind: .fill([old(2, "b")]), at: 50))
        #expect(alone.localChange(exists: true)?.at == 50)
        #expect(alone.localChange(exists: true)?.isOnlyFills == true)
    }

    @Test func `keeps the last time, and that any part was offered before`() {
        var folding = LocalChangeFolding()
        folding.add(LogEntry(kind: .insert, at: 50, isAgain: true))
        folding.add(LogEntry(kind: .update([old(1, "a")]), at: 20))
        let localChange = folding.localChange(exists: true)
        #expect(localChange?.at == 50)
        #expect(localChange?.isAgain == true)
    }

    @Test func `says which columns keep their local value`() {
        let localChange = LocalChange(kind: .update([old(1, "a")]), at: 0)
        #expect(localChange.edits(1) && !localChange.edits(2))
        #expect(LocalChange(kind: .insert, at: 0).edits(2))
    }
}

/// The life of one row, and the log that the device's triggers write of it.
private struct RowHistory {
    private(set) var row: [Value]?
    private(set) var log: [LogEntry] = []
    private var time: DeviceTime = 0

    init(row: [Value]?) { self.row = row }

    mutating func step(using random: inout SeededGenerator) {
        time = time + 1
        guard let current = row else {
            insert(using: &random)
            return
        }
        switch random.below(9) {
        case 0, 1:
            record(.delete(current))
            row = nil
        case 2:  // INSERT OR REPLACE of the same key: no delete trigger fires
            record(.candidate(current))
            insert(using: &random)
        case 3:  // another row took its unique value by REPLACE
            record(.candidate(current))
            row = nil
        case 4:  // INSERT OR IGNORE: it only stood in the way
            record(.candidate(current))
        default:
            let next = Self.randomRow(using: &random)
            let changed = next.indices.filter { current[$0] != next[$0] }
            record(.update(changed.map { OldValue(column: $0, value: current[$0]) }))
            row = next
        }
    }

    /// The row took its key from another row, and the cascade of that key reaches it before its
    /// local change does.
    private mutating func insert(using random: inout SeededGenerator) {
        let next = Self.randomRow(using: &random)
        if random.once(in: 3) { record(.update([OldValue(column: 1, value: .integer(9))])) }
        record(.insert)
        row = next
    }

    private mutating func record(_ kind: LogEntry.Kind) {
        log.append(LogEntry(kind: kind, at: time))
    }

    static func randomRow(using random: inout SeededGenerator) -> [Value] {
        [.integer(1)] + (0..<3).map { _ in Value.integer(Int64(random.below(3))) }
    }
}

@Suite(.ownThreads) struct `Folding any log` {
    private static let table = TableDescription(
        name: "t", columns: (0..<4).map { ColumnDescription(name: "c\($0)", type: .integer) },
        primaryKey: [0])

    private func localChange(_ log: some Sequence<LogEntry>, exists: Bool) -> LocalChange? {
        var folding = LocalChangeFolding()
        for entry in log { folding.add(entry) }
        return folding.localChange(exists: exists)
    }

    /// What the device pushes for a local change.
    private func change(_ localChange: LocalChange, row: [Value]?) throws -> Change {
        let operation: Change.Operation =
            switch localChange.kind {
            case .insert: .insert(try #require(row))
            case .update(let old):
                .update(
                    try old.compactMap { old in
                        let now = try #require(row)[old.column]
                        return now == old.value
                            ? nil : ColumnEdit(column: old.column, old: old.value, new: now)
                    })
            case .delete(let before): .delete(before: before)
            case .refetch: .refetch
            }
        return Change(
            table: "t", key: RowKey([.integer(1)]), operation: operation, editedAt: localChange.at)
    }

    private func push(_ localChange: LocalChange?, row: [Value]?, onto central: [Value]?) throws
        -> [Value]?
    {
        guard let localChange else { return central }
        let mergeResult = Merge(table: Self.table, rules: TableRules()).merge(
            try change(localChange, row: row),
            against: CentralRow(values: central, changedAt: 0, isTombstone: false),
            editedAt: HubTime(milliseconds: localChange.at.milliseconds))
        #expect(mergeResult.conflict == nil && mergeResult.outcome == .applied)
        return mergeResult.write.applied(to: central)
    }

    @Test func `says what the row was and what it is`() throws {
        for seed in lawSeeds(4000, nightly: 400_000) {
            var random = SeededGenerator(seed: seed)
            let before = random.once(in: 3) ? nil : RowHistory.randomRow(using: &random)
            var history = RowHistory(row: before)
            for _ in 0..<random.below(9) { history.step(using: &random) }
            let after = history.row
            switch localChange(history.log, exists: after != nil)?.kind {
            case nil: #expect(before == after, "seed \(seed)")
            case .insert: #expect(before == nil && after != nil, "seed \(seed)")
            case .delete(let row): #expect(row == before && after == nil, "seed \(seed)")
            case .refetch: #expect(before == nil && after == nil, "seed \(seed)")
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
        for seed in lawSeeds(4000, nightly: 400_000) {
            var random = SeededGenerator(seed: seed &+ 1_000_000)
            let before = random.once(in: 3) ? nil : RowHistory.randomRow(using: &random)
            var history = RowHistory(row: before)
            var central = before
            var pushed = 0
            for _ in 0..<(random.below(12) + 1) {
                history.step(using: &random)
                guard random.once(in: 3) else { continue }
                central = try push(
                    localChange(history.log[pushed...], exists: history.row != nil),
                    row: history.row,
                    onto: central)
                pushed = history.log.count
                #expect(central == history.row, "seed \(seed)")
            }
            central = try push(
                localChange(history.log[pushed...], exists: history.row != nil), row: history.row,
                onto: central)
            #expect(central == history.row, "seed \(seed)")
        }
    }
}

extension MergeResult.Write {
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
