import MoorageCore
import MoorageHub

/// Tracking rows for rows that were in a table before its triggers.
extension PostgresConnection {
    func fillTracking(
        _ table: AttachedTable, batch: Int, progress: (Int) throws -> Void
    ) throws {
        let sql = try trackingSQL(table)
        // Sorts the keys once, because the order of tracked keys need not be that of an index of
        // the owner's.
        try inParts(sql, sql.fillListStep, batch: batch, progress) {
            sql.fillStep(after: $0, upTo: $1)
        }
    }

    func restamp(_ table: AttachedTable) throws { try link.simple(trackingSQL(table).restamp) }

    func restamp(_ table: AttachedTable, batch: Int, progress: (Int) throws -> Void) throws {
        let sql = try trackingSQL(table)
        try inParts(sql, sql.restampListStep, batch: batch, progress) {
            sql.restamp(after: $0, upTo: $1)
        }
    }

    /// Goes through a list of keys, each part in a transaction of its own.
    ///
    /// - Parameter list: The step that makes the list.
    private func inParts(
        _ sql: TrackingSQL, _ list: String, batch: Int, _ progress: (Int) throws -> Void,
        _ step: (_ after: Int, _ last: Int) -> String
    ) throws {
        try runStep(list)
        let count = try link.simple(sql.fillCount).text(0, 0).flatMap { Int($0) } ?? 0
        for start in stride(from: 0, to: count, by: max(1, batch)) {
            let last = min(count, start + max(1, batch))
            // A writer that has a lock for long must not make an attach begin again.
            try retryingConflicts { try runStep(step(start, last)) }
            try progress(last)
        }
        try runStep(sql.dropFillListStep)
    }

    func repairSteps(for table: AttachedTable) throws -> [String] {
        [try trackingSQL(table).repairStep]
    }

    func trackingSQL(_ table: AttachedTable) throws -> TrackingSQL {
        let shape = try TableShape(
            table, in: schema, columns: nativeColumns(of: table.name), facts: facts(of: table.name))
        return TrackingSQL(shape: shape, canReplaceTriggers: false, partitions: [])
    }
}
