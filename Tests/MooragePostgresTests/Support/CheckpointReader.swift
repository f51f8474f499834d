import MoorageCore
import MoorageHub
import MoorageTesting

@testable import MooragePostgres

/// The rows of a device that reads a table from checkpoint to checkpoint, a few rows at a time.
final class CheckpointReader {
    private let subject: PostgresSubject
    private let table: AttachedTable
    private var checkpoint: Checkpoint?
    private var held: [RowKey: [Value]] = [:]

    /// How many rows it has.
    var count: Int { held.count }

    init(_ subject: PostgresSubject, _ table: AttachedTable) {
        self.subject = subject
        self.table = table
    }

    /// Reads on, in one state of the database: what changed beyond the checkpoint, and those rows.
    ///
    /// - Returns: Whether the reader then has the table's rows.
    func follow() throws -> Bool {
        let columns = SQLText.names(table.description.columns.map(\.name))
        let (next, changed, rows, all) = try subject.snapshot { connection in
            let next = try connection.currentCheckpoint()
            let changed = try changes(connection)
            let rows = try connection.rows(
                table, keys: changed.map(\.key), in: [.everything])
            let all = try connection.run("SELECT \(columns) FROM \(table.name)", [])
            return (next, changed, rows, all)
        }
        for row in changed { held[row.key] = nil }
        for row in rows { held[table.description.key(of: row)] = row }
        checkpoint = next
        return Set(held.values) == Set(all)
    }

    private func changes(_ connection: any CentralConnection) throws -> [TrackedRow] {
        let query: TrackingQuery =
            checkpoint.map { .beyond(since: $0, within: nil) }
            ?? .fromNothing(copiedAt: nil, within: nil)
        var changed: [TrackedRow] = []
        var after: TrackingPosition?
        while true {
            let part = try connection.trackedRows(
                table, in: .everything, query, after: after, limit: 7)
            changed += part
            guard let last = part.last, part.count == 7 else { return changed }
            after = TrackingPosition(version: last.version ?? 0, key: last.key)
        }
    }
}
