import MoorageCore
import MoorageWire

/// A group is in one batch, and the hub takes all of it or nothing (B6).
struct GroupOracle {
    private let device: SimulatedDevice
    private let before: [Value: Set<RowName>]

    /// Looks at the log before a batch is cut.
    init(before device: SimulatedDevice) throws {
        self.device = device
        before = try Self.groups(in: device)
    }

    /// After the batch was cut: of each group everything went up, or nothing. A change that changes nothing
    /// leaves the log by itself.
    func check(_ batch: Batch?) throws {
        guard let batch, !before.isEmpty else { return }
        let sent = Set(batch.changes.map { RowName(table: $0.table, key: $0.key) })
        let left = try Self.groups(in: device)
        for (group, rows) in before {
            guard let rest = left[group], rest != rows, !rows.isDisjoint(with: sent) else {
                continue
            }
            throw Violation(
                .groups,
                "device \(device.number): of group \(group.literal) \(rest.count) of \(rows.count) rows stayed in the log"
            )
        }
    }

    /// The rows of each group that is in the log. A candidate is no change yet.
    private static func groups(in device: SimulatedDevice) throws -> [Value: Set<RowName>] {
        var groups: [Value: Set<RowName>] = [:]
        for table in device.tables {
            let keys = device.columns[table]?.filter { $0.keyPosition > 0 }.count ?? 1
            let list = (0..<keys).map { "k\($0)" }.joined(separator: ", ")
            let rows = try device.write {
                try $0.rawRows(
                    "SELECT grp, \(list) FROM \"_moorage_log_\(table)\" WHERE grp IS NOT NULL AND op <> 'C'"
                )
            }
            for row in rows {
                groups[row[0], default: []].insert(
                    RowName(table: table, key: RowKey(Array(row.dropFirst()))))
            }
        }
        return groups
    }
}

extension JudgedPush {
    /// - Returns: How many groups the batch had.
    func checkGroups() throws -> Int {
        var refused: [Int: Set<Bool>] = [:]
        for (change, outcome) in pairs {
            guard let group = change.group else { continue }
            refused[group, default: []].insert(isRefused(outcome))
        }
        for (group, answers) in refused where answers.count > 1 {
            throw Violation(
                .groups, "batch \(batch.number): a part of group \(group) was refused")
        }
        return refused.count
    }
}
