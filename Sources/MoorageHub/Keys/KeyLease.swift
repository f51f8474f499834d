import MoorageCore
import MoorageWire

/// Hands out integer keys of a table, none of them twice: not even to a replica whose answer was lost.
struct KeyLease {
    private static let blocksAhead = 2

    private let table: AttachedTable
    private let count: Int

    /// `nil` when the replica has enough left.
    init?(_ table: AttachedTable, block: Int, left: Int) {
        let missing = block * Self.blocksAhead - left
        guard missing > 0 else { return nil }
        self.table = table
        count = (missing + block - 1) / block * block
    }

    /// - Returns: `nil` when there are no keys left.
    func take(on connection: any CentralConnection) throws -> KeyBlock? {
        try KeyNumbers(connection: connection).take(count, of: table).map {
            KeyBlock(table: table.name, keys: $0)
        }
    }
}

/// Which keys of a table were promised to somebody, in a transaction that may write.
struct KeyNumbers {
    let connection: any CentralConnection

    /// Keys above every row, every earlier promise, and the central sequence.
    func take(_ count: Int, of table: AttachedTable) throws -> ClosedRange<Int64>? {
        let name = Value.text(table.name)
        // Whoever comes second waits here.
        _ = try connection.run(
            "UPDATE moorage_key SET next_key = next_key WHERE table_name = ?", [name])
        let known = try connection.run(
            "SELECT next_key FROM moorage_key WHERE table_name = ?", [name])
        var promised: Int64 = 0
        if case .integer(let next)? = known.first?.first { promised = next - 1 }
        let floor = max(0, promised, try connection.highestKey(of: table) ?? 0)
        let keys: ClosedRange<Int64>
        if let taken = try connection.takeKeys(of: table, count: count, above: floor) {
            keys = taken
        } else {
            let (last, overflow) = floor.addingReportingOverflow(Int64(count))
            if overflow { return nil }
            keys = (floor + 1)...last
        }
        if keys.upperBound == .max { return nil }
        let next = Value.integer(keys.upperBound + 1)
        if known.isEmpty {
            _ = try connection.run(
                "INSERT INTO moorage_key (table_name, next_key) VALUES (?, ?)", [name, next])
        } else {
            _ = try connection.run(
                "UPDATE moorage_key SET next_key = ? WHERE table_name = ?", [next, name])
        }
        return keys
    }
}
