import GRDB
import MoorageCore
import MoorageWire

/// Compares a device's rows with the central ones, byte for byte, in the columns that both have.
struct SnapshotOracle {
    let centre: SimulatedCentre
    let device: SimulatedDevice
    /// The columns that the device asked for; `nil` for all that both have.
    var asked: [TableColumns]?
    /// What the device gets; `nil` for everything.
    var delivered: VisibleRows?

    /// Checks a caught-up page: every row without a pending change of its own equals the central
    /// row. With nothing pending, no foreign key is broken.
    func check() throws {
        var isPending = false
        for table in asked?.map(\.name) ?? device.tables where centre.tables.contains(table) {
            let pending = Set(try device.changedKeys(of: table))
                .union(try device.withheldKeys(of: table))
            isPending = isPending || !pending.isEmpty
            if let difference = try difference(in: table, except: pending) {
                throw Violation(
                    .snapshot, "device \(device.number) says it has caught up; \(difference)")
            }
        }
        // In histories, the central database has no dangling references, so no page may leave one
        // unexplained.
        let dangling = try device.write { try $0.rawRows("SELECT tbl FROM _moorage_dangling") }
        if let row = dangling.first {
            throw Violation(
                .foreignKeys, "device \(device.number): a row of \(row[0]) refers to nothing")
        }
        guard !isPending else { return }
        try checkForeignKeys()
    }

    func checkForeignKeys() throws {
        for row in try device.write({ try $0.rawRows("PRAGMA foreign_key_check") }) {
            // A withheld row stays as it was, even when its parent is removed.
            if let table = CentralAudit.text(row[0]), try isWithheld(row[1], of: table) { continue }
            throw Violation(
                .foreignKeys, "device \(device.number): a foreign key of \(row[0]) is broken")
        }
    }

    /// Whether the row with this rowid is withheld; a table without rowids has one answer for all.
    private func isWithheld(_ rowid: Value, of table: String) throws -> Bool {
        let withheld = try device.withheldKeys(of: table)
        guard !withheld.isEmpty, case .integer = rowid else { return !withheld.isEmpty }
        let keys = (device.columns[table] ?? []).keys.map { "\"\($0.name)\"" }
        let sql =
            "SELECT \(keys.joined(separator: ", ")) FROM \"\(table)\" WHERE rowid = \(rowid.literal)"
        return try device.write { try $0.rawRows(sql) }.contains { withheld.contains($0) }
    }

    /// Describes the first rows that differ, of a table that devices receive.
    func difference(in table: String, except pending: Set<[Value]> = []) throws -> String? {
        guard centre.directions[table]?.isReceived ?? true else { return nil }
        let names = asked?.first { $0.name == table }?.columns
        let columns = device.sharedColumns(of: table, with: centre).filter {
            names?.contains($0.name) ?? true
        }
        let keyCount = columns.filter { $0.keyPosition > 0 }.count
        let list = columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
        let keys = (1...max(1, keyCount)).map(String.init).joined(separator: ", ")
        let sql = "SELECT \(list) FROM \"\(table)\" ORDER BY \(keys)"
        let mine = try device.write { try $0.rawRows(sql) }
        let isDelivered = try delivered?.condition(on: table) ?? "1"
        let truth = try centre.write {
            try $0.rawRows("SELECT \(list) FROM \"\(table)\" WHERE \(isDelivered) ORDER BY \(keys)")
        }
        if mine == truth { return nil }
        func kept(_ rows: [[Value]]) -> [[Value]] {
            pending.isEmpty ? rows : rows.filter { !pending.contains(Array($0.prefix(keyCount))) }
        }
        let here = kept(mine)
        let there = kept(truth)
        if here == there { return nil }
        let onlyHere = here.filter { !there.contains($0) }.prefix(2)
        let onlyThere = there.filter { !here.contains($0) }.prefix(2)
        return
            "\(table): here \(onlyHere.map { $0.jsonText() }), at the centre \(onlyThere.map { $0.jsonText() })"
    }
}

struct SimulatedColumn {
    let name: String
    let keyPosition: Int
}

extension Sequence<SimulatedColumn> {
    /// The key's columns, in its order.
    var keys: [SimulatedColumn] {
        filter { $0.keyPosition > 0 }.sorted { $0.keyPosition < $1.keyPosition }
    }
}

extension Database {
    func simulatedColumns(of table: String) throws -> [SimulatedColumn] {
        try rawRows("SELECT name, pk FROM pragma_table_info('\(table)') ORDER BY name").compactMap {
            guard case .text(let name) = $0[0], case .integer(let position) = $0[1] else {
                return nil
            }
            return SimulatedColumn(name: name, keyPosition: Int(position))
        }
    }
}
