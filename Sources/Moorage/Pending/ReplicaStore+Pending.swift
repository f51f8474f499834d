import GRDB
import MoorageCore
import MoorageWire

extension ReplicaStore {
    /// The pending changes, one table after another, in the order of their keys. Those in flight
    /// come first, those of suspended tables last.
    ///
    /// - Parameter table: Only of this table; `nil` for all.
    func pending(
        _ db: Database, in table: String? = nil, limit: Int
    ) throws -> [PendingChange] {
        func isWanted(_ name: Identifier) -> Bool { table.map { name == $0 } ?? true }
        let statements = RawStatements(db, cache: statementCache)
        var result: [PendingChange] = []
        if let batch = try Metadata(db: db).inFlightBatch()?.batch {
            result = batch.changes.lazy.filter { isWanted(Identifier($0.table)) }.prefix(limit)
                .map { PendingReading.change($0, of: batch) }
        }
        let pending = try PendingReading(db)
        let tables = try load(db)
        let readings =
            tables.synced.map { LogReading(table: $0, statements: statements) }
            + tables.suspended.map { $0.reading(statements) }
        for reading in readings where isWanted(reading.table.name) {
            try reading.forEachRow { localKey in
                if result.count < limit,
                    let change = try pending.change(reading, localKey: localKey)
                {
                    result.append(change)
                }
                return result.count < limit
            }
        }
        return result
    }

    /// Reverts changes that were listed before, all of them or none.
    func revert(_ db: Database, _ changes: [PendingChange], now: DeviceTime) throws {
        try transaction(db, .applying) { transaction in
            let reverting = try Reverting(transaction, now: now)
            try reverting.revert(reverting.targets(changes))
        }
    }

    /// Reverts every change that no batch contains.
    func revertAll(_ db: Database, now: DeviceTime) throws -> RevertSummary {
        try transaction(db, .applying) { transaction in
            let reverting = try Reverting(transaction, now: now)
            let (targets, sent) = try reverting.allTargets()
            try reverting.revert(targets)
            return RevertSummary(reverted: targets.count, sent: sent)
        }
    }
}

/// What ``Replica/revertAll()`` did.
public struct RevertSummary: Hashable, Sendable {
    /// Changes that were reverted.
    public let reverted: Int
    /// Changes that stay, because they were sent: the hub may have them.
    public let sent: Int
}
