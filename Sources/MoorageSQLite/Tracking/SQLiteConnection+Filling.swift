import MoorageCore
import MoorageHub

/// What an attach writes into tracking tables, part by part, while others write
/// (docs/decisions/0035, 0108).
extension SQLiteConnection {
    func fillTracking(
        _ table: AttachedTable, batch: Int, progress: (Int) throws -> Void
    ) throws {
        let triggers = TrackingTriggers(table)
        var turns = WriteTurns(self)
        try inParts(triggers.fillEnd, batch: batch, progress) { isFirst, isLast, bounds in
            // Triggers record what is written from now on, so no further row can be missing.
            let missing = triggers.missing(isFirst: isFirst, isLast: isLast)
            guard try missing.contains(where: { try isSomething($0, bounds) }) else { return }
            try turns.write {
                let arguments = try bounds + [.integer(nextNumber())]
                for query in missing {
                    _ = try self.query(
                        triggers.fillStep(query, number: arguments.count), arguments)
                }
            }
        }
        try inParts(triggers.repairEnd, batch: batch, { _ in }) { isFirst, isLast, bounds in
            // Since the triggers exist, no change makes another difference.
            let part = triggers.isInRepairPart(isFirst: isFirst, isLast: isLast)
            guard try isSomething(triggers.difference(part), bounds) else { return }
            try turns.write { _ = try query(triggers.repairStep(part), bounds) }
        }
    }

    func restamp(_ table: AttachedTable) throws {
        try execute("UPDATE \(table.objectName("track").quoted) SET version = NULL")
    }

    /// Each part has a number of its own, so that no numbering step has to number all rows at once.
    func restamp(_ table: AttachedTable, batch: Int, progress: (Int) throws -> Void) throws {
        let triggers = TrackingTriggers(table)
        var turns = WriteTurns(self)
        try inParts(triggers.repairEnd, batch: batch, progress) { isFirst, isLast, bounds in
            let part = triggers.isInRepairPart(isFirst: isFirst, isLast: isLast)
            try turns.write {
                let arguments = try bounds + [.integer(nextNumber())]
                _ = try query(
                    triggers.restampStep(part, number: arguments.count), arguments)
            }
        }
    }

    /// Goes through rows in the order of their keys.
    ///
    /// - Parameters:
    ///   - end: The query for the key of the last row of a part; no row where fewer are left.
    ///   - progress: Called after each part but the last, with how many rows there were so far.
    ///   - work: Gets whether the part is the first and the last one, and the keys that it lies
    ///     between, as the parameters of its condition.
    private func inParts(
        _ end: (_ isFirst: Bool, _ batch: Int) -> String, batch: Int,
        _ progress: (Int) throws -> Void,
        _ work: (_ isFirst: Bool, _ isLast: Bool, _ bounds: [Value]) throws -> Void
    ) throws {
        var (after, count): ([Value], Int) = ([], 0)
        while true {
            let last = try query(end(after.isEmpty, batch), after).first
            try work(after.isEmpty, last == nil, after + (last ?? []))
            guard let last else { return }
            after = last
            count += batch
            try progress(count)
        }
    }

    private func isSomething(_ query: String, _ arguments: [Value]) throws -> Bool {
        try !self.query("SELECT 1 FROM (\(query)) LIMIT 1", arguments).isEmpty
    }
}
