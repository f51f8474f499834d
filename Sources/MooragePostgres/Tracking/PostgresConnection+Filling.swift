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
        try runStep(sql.fillListStep)
        let count = try link.simple(sql.fillCount).text(0, 0).flatMap { Int($0) } ?? 0
        for start in stride(from: 0, to: count, by: max(1, batch)) {
            let last = min(count, start + max(1, batch))
            try runStep(sql.fillStep(after: start, upTo: last))
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
