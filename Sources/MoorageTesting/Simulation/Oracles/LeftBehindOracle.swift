import GRDB
import MoorageCore

/// Checks that what belongs together goes together. The hub does not refuse a row for a key while
/// the device keeps back what would make room for it.
extension JudgedPush {
    func checkLeftBehind(on device: SimulatedDevice) throws {
        for (change, outcome) in pairs {
            guard case .refused(let refusal) = outcome.kind, let row = pushed(change) else {
                continue
            }
            let missing: RowName? =
                switch refusal.code {
                case .foreignKey: try keptParent(of: change.table, row, device)
                case .unique: try keptHolder(of: change, row, device)
                default: nil
                }
            guard let missing else { continue }
            throw Violation(
                .refusal,
                "batch \(batch.number): \(change.table) was refused (\(refusal.code.rawValue)), and \(missing.table) \(missing.key.values) was kept back"
            )
        }
    }

    /// The values that a change asks for.
    private func pushed(_ change: Change) -> [String: Value]? {
        let names = columns(change)
        switch change.operation {
        case .insert(let values): return Dictionary(zip(names, values)) { first, _ in first }
        case .update(let edits):
            return Dictionary(edits.map { (names[$0.column], $0.new) }) { first, _ in first }
        case .delete, .refetch: return nil
        }
    }

    /// A parent that the device inserted and has not sent. A parent that it deleted since cannot be
    /// sent. While one reference is broken for a time (docs/reference/client.md, Foreign keys),
    /// SQLite lets another one break.
    private func keptParent(
        of table: String, _ row: [String: Value], _ device: SimulatedDevice
    ) throws -> RowName? {
        for (parent, columns) in try centre.references(of: table) {
            let values = columns.compactMap { row[$0] }
            guard values.count == columns.count, !values.contains(.null),
                device.tables.contains(parent)
            else { continue }
            let name = RowName(table: parent, key: RowKey(values))
            if after.rows[name] == nil, try hasLogEntry(of: name, nil, device),
                try device.hasRow(name)
            {
                return name
            }
        }
        return nil
    }

    /// A central row with a value that the same row no longer has on the device.
    private func keptHolder(
        of change: Change, _ row: [String: Value], _ device: SimulatedDevice
    ) throws -> RowName? {
        for column in try centre.uniqueColumns(of: change.table).sorted() {
            guard let value = row[column], value != .null else { continue }
            for (name, other) in after.rows
            where name.table == change.table && name != change.rowName && other[column] == value {
                if try hasLogEntry(of: name, (column, value), device) {
                    return name
                }
            }
        }
        return nil
    }

    /// Whether the log has such an entry from before the batch: a batch that is sent again does not
    /// contain later edits.
    private func hasLogEntry(
        of name: RowName, _ freed: (column: String, value: Value)?, _ device: SimulatedDevice
    ) throws -> Bool {
        try device.hasLogEntry(of: name, before: batch, thatInsertsOrFrees: freed)
    }
}
