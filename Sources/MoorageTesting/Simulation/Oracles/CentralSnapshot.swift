import GRDB
import MoorageCore

/// The central tables and their tracking rows at one moment, read beside the system.
struct CentralSnapshot {
    /// Rows by their columns.
    private(set) var rows: [RowName: [String: Value]] = [:]
    private(set) var changedAt: [RowName: Int64] = [:]
    private(set) var tombstones: Set<RowName> = []

    init(_ centre: SimulatedCentre) throws {
        try centre.write { db in
            let tracking = try Self.trackingTables(db)
            for table in centre.tables {
                let columns = centre.columns[table] ?? []
                let keys = columns.keys
                try readRows(db, table, columns, keys)
                if let name = tracking[table] { try readTracking(db, name, of: table, keys) }
            }
        }
    }

    /// Tracking tables by the table that they track.
    static func trackingTables(_ db: Database) throws -> [String: String] {
        let rows = try db.rawRows(
            """
            SELECT tbl_name, name FROM sqlite_master \
            WHERE type = 'trigger' AND name LIKE 'moorage\\_delete\\_%' ESCAPE '\\'
            """)
        var names: [String: String] = [:]
        for row in rows {
            guard let table = CentralAudit.text(row[0]), let trigger = CentralAudit.text(row[1])
            else { continue }
            names[table] = "moorage_track_" + trigger.dropFirst("moorage_delete_".count)
        }
        return names
    }

    private mutating func readRows(
        _ db: Database, _ table: String, _ columns: [SimulatedColumn], _ keys: [SimulatedColumn]
    ) throws {
        let list = columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
        for row in try db.rawRows("SELECT \(list) FROM \"\(table)\"") {
            var values: [String: Value] = [:]
            for (column, value) in zip(columns, row) { values[column.name] = value }
            let key = RowKey(keys.compactMap { values[$0.name] })
            rows[RowName(table: table, key: key)] = values
        }
    }

    private mutating func readTracking(
        _ db: Database, _ name: String, of table: String, _ keys: [SimulatedColumn]
    ) throws {
        let list = keys.indices.map { "k\($0)" }.joined(separator: ", ")
        for row in try db.rawRows("SELECT \(list), live, changed_at FROM \"\(name)\"") {
            let row = (name: RowName(table: table, key: RowKey(Array(row.dropLast(2)))), rest: row)
            // A row that went to another area has a tombstone in the one of before.
            if case .integer(let time)? = row.rest.last {
                changedAt[row.name] = max(time, changedAt[row.name] ?? .min)
            }
            if row.rest[keys.count] == .integer(0) { tombstones.insert(row.name) }
        }
    }
}

extension Value {
    /// As SQL.
    var literal: String {
        switch self {
        case .null: "NULL"
        case .integer(let number): String(number)
        case .real(let number): number.description
        case .text(let text):
            "'"
                + text.split(separator: "'", omittingEmptySubsequences: false)
                .joined(separator: "''") + "'"
        case .blob(let bytes):
            "x'" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "'"
        }
    }

    /// The same to a user: a number is a number in either class.
    func means(_ other: Value) -> Bool {
        switch (self, other) {
        case (.integer(let whole), .real(let number)), (.real(let number), .integer(let whole)):
            Double(whole) == number
        case (.real(let one), .real(let another)): one == another
        default: self == other
        }
    }

    /// The same once the centre's triggers had their way with it.
    func isStored(_ pushed: Value) -> Bool {
        if means(pushed) { return true }
        guard case .text(let mine) = self, case .text(let text) = pushed else { return false }
        return mine.hasSameBytes(as: text.lowercased())
    }
}
