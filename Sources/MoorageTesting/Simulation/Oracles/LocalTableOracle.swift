import Moorage
import MoorageCore
import MoorageWire

/// What becomes of the app's own table when a page is applied: a row changes only because the row that
/// it refers to went, or got another key.
struct LocalTableOracle {
    private let device: SimulatedDevice
    private let before: [Value: [Value]]
    private let parent: (table: String, key: String)

    /// - Returns: `nil` where the device has no such table.
    init?(before device: SimulatedDevice) throws {
        guard let parent = try Self.parent(on: device) else { return nil }
        self.device = device
        self.parent = parent
        before = try Self.rows(of: device)
    }

    /// - Parameter rekeyed: The keys that rows of the parent table got with the answer, by the keys that
    ///   the device had given them. Another row may have taken the old one.
    /// - Returns: How many rows followed the row that they refer to.
    func check(_ rekeyed: [Value: Value]) throws -> Int {
        let now = try Self.rows(of: device)
        let keys = Set(
            try device.write {
                try $0.rawRows("SELECT \"\(parent.key)\" FROM \"\(parent.table)\"")
            }.map { $0[0] })
        var followed = 0
        for (id, row) in before where now[id] != row {
            followed += 1
            // A row whose parent stays is its user's alone.
            let isMoved = now[id].map { rekeyed[row[1]] == $0[1] } ?? false
            guard isMoved || !keys.contains(row[1]) && !row[1].isNull else {
                throw violation("row \(id.literal) changed, and the row that it refers to did not")
            }
            if let left = now[id], left[0] != row[0] {
                throw violation("row \(id.literal) has another text")
            }
        }
        guard Set(now.keys).isSubset(of: before.keys) else {
            throw violation("rows came that no user inserted")
        }
        return followed
    }

    private func violation(_ message: String) -> Violation {
        Violation(
            .onlyOwnEdits,
            "device \(device.number): a page changed a table that is not synced: \(message)")
    }

    /// The keys that an answer gave rows of the parent table, by those that they were pushed with.
    func rekeyed(_ batch: Batch?, _ outcomes: [Outcome]) -> [Value: Value] {
        guard let batch else { return [:] }
        var keys: [Value: Value] = [:]
        for (change, outcome) in zip(batch.changes, outcomes)
        where change.table.hasSameBytes(as: parent.table) {
            guard case .insert = change.operation, let pushed = change.key.values.first,
                let columns = batch.columns(of: change)?.columns,
                let stored = outcome.stored.first(where: { columns[$0.column] == parent.key })
            else { continue }
            keys[pushed] = stored.value
        }
        return keys
    }

    private static func parent(on device: SimulatedDevice) throws -> (String, String)? {
        let row = try device.write {
            try $0.rawRows(
                "SELECT \"table\", \"to\" FROM pragma_foreign_key_list('\(LocalTableModel.name)')")
        }.first
        guard case .text(let table)? = row?[0], case .text(let key)? = row?[1] else { return nil }
        return (table, key)
    }

    private static func rows(of device: SimulatedDevice) throws -> [Value: [Value]] {
        let rows = try device.write {
            try $0.rawRows("SELECT id, body, ref FROM \(LocalTableModel.name)")
        }
        return Dictionary(rows.map { ($0[0], Array($0.dropFirst())) }) { first, _ in first }
    }
}
