import GRDB
import Moorage
import MoorageCore
import MoorageWire

/// What the users of each device changed, seen from outside: their tables before and after each of
/// their transactions. A device pushes nothing else.
struct UserEdits {
    /// One value of one row; with no column the row itself, that came or went. A column counts by
    /// its first name.
    private struct Cell: Hashable {
        let table: String
        let key: [Value]
        let column: String?
    }

    /// The user of a device's file; without one in a world without users.
    private struct Author: Hashable {
        let device: Int
        let user: String?

        init(_ device: SimulatedDevice) {
            self.device = device.number
            user = device.owner
        }

        init(_ user: String?, at device: SimulatedDevice) {
            self.device = device.number
            self.user = user
        }
    }

    /// A row that is kept beside another gets another key, and so may what hangs below it: then a column
    /// is judged whatever the row.
    let rowsMayMove: Bool
    private var edited: [Author: Set<Cell>] = [:]
    /// What migrations wrote into new columns.
    private var filled: [Author: Set<Cell>] = [:]
    private let names: ColumnNames

    init(_ world: SimulatedWorld) {
        rowsMayMove = world.rules.values.contains(where: \.keepsBoth)
        names = ColumnNames(world)
    }

    private func cell(_ table: String, _ key: [Value], _ column: String?) -> Cell {
        Cell(
            table: table, key: rowsMayMove ? [] : key,
            column: column.map { names.origin(of: $0, in: table).name })
    }

    /// A device's rows by table and key.
    struct Picture {
        fileprivate struct Table {
            let columns: [String]
            var rows: [[Value]: [Value]] = [:]
        }
        fileprivate var tables: [String: Table] = [:]
    }

    static func picture(of device: SimulatedDevice) throws -> Picture {
        var picture = Picture()
        try device.write { db in
            for name in device.tables {
                let columns = device.columns[name] ?? []
                let keys = columns.indices.filter { columns[$0].keyPosition > 0 }
                    .sorted { columns[$0].keyPosition < columns[$1].keyPosition }
                let list = columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
                var table = Picture.Table(columns: columns.map(\.name))
                for row in try db.rawRows("SELECT \(list) FROM \"\(name)\"") {
                    table.rows[keys.map { row[$0] }] = row
                }
                picture.tables[name] = table
            }
        }
        return picture
    }

    mutating func changed(_ before: Picture, to after: Picture, on device: SimulatedDevice) {
        let device = Author(device)
        for name in Set(before.tables.keys).union(after.tables.keys) {
            let old = before.tables[name] ?? Picture.Table(columns: [])
            let new = after.tables[name] ?? Picture.Table(columns: [])
            let positions = new.columns.map { old.columns.firstIndex(of: $0) }
            let isSame = old.columns == new.columns
            for (key, row) in new.rows {
                guard let was = old.rows[key] else {
                    record(name, key, nil, device)
                    for column in new.columns { record(name, key, column, device) }
                    continue
                }
                if isSame, was == row { continue }
                for (column, value) in row.enumerated()
                where positions[column].map({ was[$0] }) != value {
                    record(name, key, new.columns[column], device)
                }
            }
            for key in old.rows.keys where new.rows[key] == nil {
                record(name, key, nil, device)
                for column in old.columns { record(name, key, column, device) }
            }
        }
    }

    /// A new version of the app changed the tables. What it left in new columns is no edit.
    mutating func migrated(_ before: Picture, to after: Picture, on device: SimulatedDevice) {
        let device = Author(device)
        let names = self.names
        for (name, table) in after.tables {
            func origin(_ column: String) -> String { names.origin(of: column, in: name).name }
            let old = Set((before.tables[name]?.columns ?? []).map(origin))
            let new = table.columns.indices.filter { !old.contains(origin(table.columns[$0])) }
            for (key, row) in table.rows {
                for column in new where !row[column].isNull {
                    filled[device, default: []].insert(cell(name, key, table.columns[column]))
                }
            }
        }
    }

    private mutating func record(
        _ table: String, _ key: [Value], _ column: String?, _ author: Author
    ) {
        edited[author, default: []].insert(cell(table, key, column))
    }

    /// The hub asked for a row whole: its insert is the device's to make.
    mutating func sentWhole(_ change: Change, by device: SimulatedDevice) {
        record(change.table, change.key.values, nil, Author(device))
    }

    /// Another device's file is in the place of this one's.
    mutating func copied(from device: SimulatedDevice, to other: SimulatedDevice) {
        for (author, cells) in edited where author.device == device.number {
            edited[Author(author.user, at: other), default: []].formUnion(cells)
        }
        for (author, cells) in filled where author.device == device.number {
            filled[Author(author.user, at: other), default: []].formUnion(cells)
        }
    }

    /// A file that never met the hub goes up as its new user's.
    mutating func adopted(by device: SimulatedDevice) {
        for (author, cells) in edited where author.device == device.number {
            edited[Author(device), default: []].formUnion(cells)
        }
        for (author, cells) in filled where author.device == device.number {
            filled[Author(device), default: []].formUnion(cells)
        }
    }

    /// - Throws: ``Violation`` when a file asks for something that its user did not do.
    func check(_ batch: Batch?, of device: SimulatedDevice) throws {
        guard let batch else { return }
        let own = edited[Author(device), default: []]
        let filled = self.filled[Author(device), default: []]
        for change in batch.changes {
            let columns = batch.columns(of: change)?.columns
            func isOwn(_ column: String?) -> Bool {
                own.contains(cell(change.table, change.key.values, column))
            }
            func isStrange(_ edit: ColumnEdit) -> Bool {
                guard edit.isChange, let column = columns?[edit.column], !isOwn(column) else {
                    return false
                }
                // A migration fills a column, and edits nothing.
                return !edit.isFill
                    || !filled.contains(cell(change.table, change.key.values, column))
            }
            let strange: String? =
                switch change.operation {
                case .insert: isOwn(nil) ? nil : "an insert"
                case .delete: isOwn(nil) ? nil : "a delete"
                case .refetch: nil
                case .update(let edits):
                    edits.first(where: isStrange).map { edit in
                        let column = columns?[edit.column] ?? "a column"
                        return "\(edit.new.literal) in \(column)\(edit.isFill ? " as a fill" : "")"
                    }
                }
            if let strange {
                throw Violation(
                    .onlyOwnEdits,
                    "device \(device.number) pushes \(strange) of \(change.table) \(change.key.values.jsonText()), which its user did not make"
                )
            }
        }
    }
}
