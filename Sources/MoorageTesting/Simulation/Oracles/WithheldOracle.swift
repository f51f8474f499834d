import GRDB
import MoorageCore
import MoorageWire

/// A row is kept back from a device only where the device's own schema refuses it.
struct WithheldOracle {
    let centre: SimulatedCentre
    let device: SimulatedDevice

    /// - Returns: The keys that are kept back.
    func check(_ table: String) throws -> Set<[Value]> {
        let keys = try device.withheldKeys(of: table)
        let columns = device.sharedColumns(of: table, with: centre)
        let list = columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
        for key in keys {
            let condition = zip(columns, key).map { "\"\($0.name)\" IS \($1.literal)" }
                .joined(separator: " AND ")
            let sql = "SELECT \(list) FROM \"\(table)\" WHERE \(condition)"
            guard let row = try centre.write({ try $0.rawRows(sql) }).first else {
                throw violation(table, key, "is withheld, and the centre has no such row")
            }
            let values = row.map(\.literal).joined(separator: ", ")
            let insert = "INSERT INTO \"\(table)\" (\(list)) VALUES (\(values))"
            if try device.accepts(insert, into: table) {
                throw violation(table, key, "is withheld, and the device takes it")
            }
        }
        return Set(keys)
    }

    private func violation(_ table: String, _ key: [Value], _ what: String) -> Violation {
        Violation(.withheld, "device \(device.number): \(table) \(key.jsonText()) \(what)")
    }
}

extension SimulatedDevice {
    /// Whether the schema takes a row, whatever other rows there are. Nothing of it stays.
    fileprivate func accepts(_ sql: String, into table: String) throws -> Bool {
        try write { db in
            try db.execute(sql: "PRAGMA foreign_keys = OFF")
            defer { try? db.execute(sql: "PRAGMA foreign_keys = ON") }
            var isAccepted = false
            try db.inTransaction {
                // They refuse every row of a table that only comes down, before the schema is asked.
                let triggers = try db.rawRows(
                    """
                    SELECT name FROM sqlite_master WHERE type = 'trigger' \
                    AND tbl_name = \(Value.text(table).literal) AND name LIKE '%moorage%'
                    """)
                for case .text(let name) in triggers.joined() {
                    try db.execute(sql: "DROP TRIGGER \"\(name)\"")
                }
                do {
                    try db.execute(sql: sql)
                    isAccepted = true
                } catch let error as DatabaseError
                    where error.extendedResultCode != .SQLITE_CONSTRAINT_CHECK
                    && error.extendedResultCode != .SQLITE_CONSTRAINT_NOTNULL
                    && error.extendedResultCode != .SQLITE_CONSTRAINT_DATATYPE
                {
                    // Another row is in its place: that says nothing of this one.
                    isAccepted = true
                } catch is DatabaseError {}
                return .rollback
            }
            return isAccepted
        }
    }
}
