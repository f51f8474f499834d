import MoorageCore
import MoorageWire

/// Hands out integer keys of a table. It hands out no key twice, not even if an answer was lost.
struct KeyLease {
    private static let blocksAhead = 2

    let table: AttachedTable
    /// The replica's name of the table.
    private let name: String
    private let count: Int

    /// `nil` when the replica has enough left.
    init?(_ table: AttachedTable, as name: String, block: Int, left: Int) {
        let missing = block * Self.blocksAhead - left
        guard missing > 0 else { return nil }
        self.table = table
        self.name = name
        count = (missing + block - 1) / block * block
    }

    /// - Returns: `nil` when there are no keys left.
    func issue(on connection: any CentralConnection) throws -> KeyBlock? {
        try KeyNumbers(connection: connection).reserve(count, of: table).map {
            KeyBlock(table: name, keys: $0)
        }
    }
}

/// Records which keys of a table were promised, in a transaction that may write.
struct KeyNumbers {
    let connection: any CentralConnection

    /// Reserves keys above every row, every earlier promise, and the central sequence.
    func reserve(_ count: Int, of table: AttachedTable) throws -> ClosedRange<Int64>? {
        let name = Value.text(table.name)
        var known = try promised(name)
        if known == nil {
            try begin(name)
            known = try promised(name)
        }
        let promised = (known ?? 1) - 1
        let floor = max(0, promised, try connection.highestKey(of: table) ?? 0)
        let keys: ClosedRange<Int64>
        if let reserved = try connection.reserveKeys(of: table, count: count, above: floor) {
            keys = reserved
        } else {
            let (last, overflow) = floor.addingReportingOverflow(Int64(count))
            if overflow { return nil }
            keys = (floor + 1)...last
        }
        if keys.upperBound == .max { return nil }
        _ = try connection.run(
            "UPDATE moorage_key SET next_key = ? WHERE table_name = ?",
            [.integer(keys.upperBound + 1), name])
        return keys
    }

    /// Locks and returns the first key that was not promised. A second caller waits here.
    private func promised(_ table: Value) throws -> Int64? {
        _ = try connection.run(
            "UPDATE moorage_key SET next_key = next_key WHERE table_name = ?", [table])
        let rows = try connection.run(
            "SELECT next_key FROM moorage_key WHERE table_name = ?", [table])
        guard case .integer(let next)? = rows.first?.first else { return nil }
        return next
    }

    /// Another hub may do the same at this moment.
    private func begin(_ table: Value) throws {
        try connection.savepoint()
        do {
            _ = try connection.run(
                "INSERT INTO moorage_key (table_name, next_key) VALUES (?, 1)", [table])
            try connection.releaseSavepoint()
        } catch let error as CentralError {
            guard case .refused = error.kind else { throw error }
            try connection.rollbackToSavepoint()
        }
    }
}
