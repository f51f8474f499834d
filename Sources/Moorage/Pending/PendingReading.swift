import Foundation
import GRDB
import MoorageCore
import MoorageSupport
import MoorageWire

/// Reads the log of single rows, as changes that can be listed and reverted.
struct PendingReading {
    private let replica: String
    private let batch: Int64

    init(_ db: Database) throws {
        let meta = Metadata(db: db)
        replica = try meta.replica()
        let sent = "SELECT max(number) FROM _moorage_inflight"
        batch = max(
            try meta.integer(.number) ?? 0, try RawStatement.fixed(db, sent).firstInteger() ?? 0)
    }

    /// The change of one row; `nil` when its log says nothing.
    func change(_ reading: LogReading, localKey: LocalKey) throws -> PendingChange? {
        let entries = try reading.entries(localKey: localKey)
        guard let first = entries.first, let last = entries.last,
            let localChange = try reading.localChange(localKey: localKey)
        else { return nil }
        let table = reading.table
        let row = try reading.portableRow(localKey: localKey)
        let all = table.description.columns.indices.map { $0 }
        func values(_ columns: [Int], _ row: [Value]) -> [String: Value] {
            Dictionary(
                columns.map { (table.description.columns[$0].name, row[$0]) },
                uniquingKeysWith: { first, _ in first })
        }
        var kind = ChangeKind.refetch
        var before: [String: Value] = [:]
        var after: [String: Value] = [:]
        switch (localChange.kind, row) {
        case (.insert, let row?):
            kind = .insert
            after = values(all, row)
        case (.delete(let old), _):
            kind = .delete
            before = values(all, old)
        case (.update(let old), let row?):
            let edited = old.filter { old in
                let column = table.description.columns[old.column]
                return !column.isGenerated && !column.type.equal(old.value, row[old.column])
            }
            if edited.isEmpty { break }
            kind = .update
            for old in edited { before[table.description.columns[old.column].name] = old.value }
            after = values(edited.map(\.column), row)
        case (.insert, nil) where !reading.hasRows: kind = .insert
        case (.update(let old), nil) where !reading.hasRows:
            kind = .update
            for old in old { before[table.description.columns[old.column].name] = old.value }
        case (.refetch, _), (_, nil): break
        }
        return PendingChange(
            table: table.name.text, key: table.key(localKey), kind: kind, before: before,
            after: after, editedAt: localChange.at.date, isInFlight: false,
            mayBeAtHub: localChange.isAgain,
            stamp: PendingStamp(
                replica: replica, batch: batch, first: first.seq, last: last.seq, localKey: localKey
            ))
    }

    /// A change of the batch that was sent.
    static func change(_ change: Change, of batch: Batch) -> PendingChange {
        let columns = batch.columns(of: change)?.columns ?? []
        func values(_ pairs: [(Int, Value)]) -> [String: Value] {
            Dictionary(
                pairs.compactMap { column, value in
                    columns.indices.contains(column) ? (columns[column], value) : nil
                }, uniquingKeysWith: { first, _ in first })
        }
        let kind: ChangeKind
        var before: [String: Value] = [:]
        var after: [String: Value] = [:]
        switch change.operation {
        case .insert(let row):
            kind = .insert
            after = values(row.enumerated().map { ($0, $1) })
        case .update(let all):
            let edits = all.filter(\.isChange)
            kind = edits.isEmpty ? .refetch : .update
            before = values(edits.map { ($0.column, $0.old) })
            after = values(edits.map { ($0.column, $0.new) })
        case .delete(let row):
            kind = .delete
            before = values(row.enumerated().map { ($0, $1) })
        case .refetch: kind = .refetch
        }
        return PendingChange(
            table: change.table, key: change.key, kind: kind, before: before, after: after,
            editedAt: change.editedAt.date, isInFlight: true, mayBeAtHub: true,
            stamp: nil)
    }
}
