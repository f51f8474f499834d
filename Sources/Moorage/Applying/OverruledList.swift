import GRDB
import MoorageCore
import MoorageWire

/// Changes that lost a conflict at the hub, wholly or in part, with both sides' values.
struct OverruledList {
    let statements: RawStatements

    static let table = "_moorage_overruled"

    func add(_ change: Change, _ overruling: Overruling, of batch: Batch, at now: DeviceTime) throws
    {
        let names = batch.columns(of: change)?.columns ?? []
        let kind: ChangeKind
        var base: [Int: Value]?
        var mine: [Int: Value]?
        switch change.operation {
        case .insert(let row):
            kind = .insert
            mine = Self.values(row)
        case .update(let edits):
            kind = .update
            // Columns that merged without a conflict lost nothing.
            let lost = edits.filter { edit in
                overruling.theirs?.contains { $0.column == edit.column } ?? true
            }
            base = Dictionary(lost.map { ($0.column, $0.old) }) { first, _ in first }
            mine = Dictionary(lost.map { ($0.column, $0.new) }) { first, _ in first }
        case .delete(let before):
            kind = .delete
            base = Self.values(before)
        case .refetch: return
        }
        let theirs = overruling.theirs.map(Self.values)
        let result = overruling.result.map(Self.values)
        // Each side has its own columns only: a column that one side lacks is not NULL there.
        func text(_ values: [Int: Value]?) -> Value {
            values.map { values in
                let columns = values.keys.sorted().filter(names.indices.contains)
                let pairs = columns.map { (names[$0], values[$0] ?? .null) }
                return .text(NamedValues(pairs).jsonText())
            } ?? .null
        }
        try statements(
            """
            INSERT INTO _moorage_overruled(
              tbl, key, operation, base, mine, theirs, result, rule, at)
            VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
            """
        ).run([
            .text(change.table), .text(change.key.values.jsonText()), .text(kind.rawValue),
            text(base), text(mine), text(theirs), text(result),
            overruling.rule.map(Value.text) ?? .null, .time(now),
        ])
        try statements.db.notifyChanges(in: Table(Self.table))
    }

    /// Forgets old conflicts at the end of the retention time, like batches. The hub keeps its own.
    func forget(before horizon: DeviceTime) throws {
        try statements("DELETE FROM _moorage_overruled WHERE at < ?1").run([
            .time(horizon)
        ])
    }

    private static func values(_ row: [Value]) -> [Int: Value] {
        Dictionary(row.enumerated().map { ($0, $1) }) { first, _ in first }
    }

    private static func values(_ stored: [StoredValue]) -> [Int: Value] {
        Dictionary(stored.map { ($0.column, $0.value) }) { first, _ in first }
    }
}
