import GRDB
import MoorageCore
import MoorageWire

/// What the users of each device changed, seen from outside: their tables before and after each of
/// their transactions. A device pushes nothing else.
struct UserEdits {
    /// One value of one row; with no column the row itself, that came or went.
    private struct Cell: Hashable {
        let table: String
        let key: [Value]
        let column: String?
    }

    private var edited: [Int: Set<Cell>] = [:]

    /// A device's rows by table and key, each by its columns' names.
    struct Picture {
        fileprivate var rows: [String: [[Value]: [String: Value]]] = [:]
    }

    static func picture(of device: SimulatedDevice) throws -> Picture {
        var picture = Picture()
        try device.write { db in
            for table in device.tables {
                let columns = try db.simulatedColumns(of: table)
                let keys = columns.indices.filter { columns[$0].keyPosition > 0 }
                    .sorted { columns[$0].keyPosition < columns[$1].keyPosition }
                let list = columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
                for row in try db.rawRows("SELECT \(list) FROM \"\(table)\"") {
                    var named: [String: Value] = [:]
                    for (column, value) in zip(columns, row) { named[column.name] = value }
                    picture.rows[table, default: [:]][keys.map { row[$0] }] = named
                }
            }
        }
        return picture
    }

    mutating func changed(_ before: Picture, to after: Picture, on device: Int) {
        for table in Set(before.rows.keys).union(after.rows.keys) {
            let old = before.rows[table] ?? [:]
            let new = after.rows[table] ?? [:]
            for (key, row) in new where old[key] != row {
                if old[key] == nil { note(table, key, nil, device) }
                for (column, value) in row where old[key]?[column] != value {
                    note(table, key, column, device)
                }
            }
            for (key, row) in old where new[key] == nil {
                note(table, key, nil, device)
                for column in row.keys { note(table, key, column, device) }
            }
        }
    }

    private mutating func note(_ table: String, _ key: [Value], _ column: String?, _ device: Int) {
        edited[device, default: []].insert(Cell(table: table, key: key, column: column))
    }

    /// Another device's file is in the place of this one's.
    mutating func copied(from device: Int, to other: Int) {
        edited[other, default: []].formUnion(edited[device, default: []])
    }

    /// - Throws: ``Violation`` when a device asks for something that none of its users did.
    func check(_ batch: Batch?, of device: Int) throws {
        guard let batch else { return }
        for change in batch.changes {
            let columns = batch.tables.first { $0.name.hasSameBytes(as: change.table) }?.columns
            func isOwn(_ column: String?) -> Bool {
                edited[device, default: []].contains(
                    Cell(table: change.table, key: change.key.values, column: column))
            }
            let strange: String? =
                switch change.operation {
                case .insert: isOwn(nil) ? nil : "an insert"
                case .delete: isOwn(nil) ? nil : "a delete"
                case .touch: nil
                case .update(let edits):
                    edits.compactMap { edit in columns.map { $0[edit.column] } }
                        .first { !isOwn($0) }
                }
            if let strange {
                throw Violation(
                    .onlyOwnEdits,
                    "device \(device) pushes \(strange) of \(change.table) \(change.key.values.jsonText()), which none of its users made"
                )
            }
        }
    }
}
