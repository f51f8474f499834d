import GRDB
import MoorageCore
import MoorageWire

@testable import Moorage

/// What a table of states should have, from the log, the batch and the lists alone.
struct ExpectedRowStates {
    private struct Entry: Hashable {
        var edits = 0
        var isInFlight = false
        var code: String?
        var isOverruled = false
        var isDeferred = false
        var isWithheld = false

        var text: String {
            "\(edits) \(isInFlight) \(code ?? "") \(isOverruled) \(isDeferred) \(isWithheld)"
        }
    }

    /// The entries of a table, by the key as the log has it: `key: edits inFlight code …`.
    static func of(_ name: String, _ device: Device) throws -> [String] {
        try device.queue.writeWithoutTransaction { db in
            guard let table = try device.store.load(db).table(named: name) else { return [] }
            var entries: [[Value]: Entry] = [:]
            let keys = table.tracked.keyColumns.joined(separator: ", ")
            let log = table.tracked.logTable
            let logged = try Row.fetchAll(
                db, sql: "SELECT \(keys) FROM \"\(log)\" WHERE op <> 'C'")
            for row in logged {
                let key = Array(row.databaseValues.compactMap(Value.fromDatabaseValue))
                if !key.contains(.null) { entries[key, default: Entry()].edits += 1 }
            }
            func note(_ key: RowKey, _ change: (inout Entry) -> Void) {
                guard let local = table.localKey(table.description.key(key.values)) else { return }
                let order = table.tracked.keyColumns.map { table.logKeyColumns.firstIndex(of: $0)! }
                change(&entries[order.map { local.values[$0] }, default: Entry()])
            }
            for change in try Metadata(db: db).inFlightBatch()?.batch.changes ?? []
            where change.table == name {
                note(change.key) { $0.isInFlight = true }
            }
            func list(
                _ list: String, code: String = "NULL", order: String = "key",
                _ change: (inout Entry, String?) -> Void
            ) throws {
                let rows = try Row.fetchAll(
                    db,
                    sql:
                        "SELECT key, \(code) FROM _moorage_\(list) WHERE tbl = ? ORDER BY \(order)",
                    arguments: [name])
                for row in rows {
                    let code: String? = try row.decode(atIndex: 1)
                    let key = RowKey(try [Value](jsonText: row.decode(atIndex: 0)))
                    note(key) { change(&$0, code) }
                }
            }
            try list("refused", code: "code", order: "id") { $0.code = $1 }
            try list("overruled") { entry, _ in entry.isOverruled = true }
            try list("deferred") { entry, _ in entry.isDeferred = true }
            try list("withheld") { entry, _ in entry.isWithheld = true }
            return entries.map { "\($0.key): \($0.value.text)" }.sorted()
        }
    }

    /// The entries that the table of states has.
    static func found(_ name: String, _ device: Device) throws -> [String] {
        try device.queue.writeWithoutTransaction { db in
            let rows = try Row.fetchAll(db, sql: "SELECT * FROM \"_moorage_state_\(name)\"")
            return try rows.map { row in
                let keys = row.columnNames.filter { $0.hasPrefix("k") }
                let key = Array(keys.compactMap { Value.fromDatabaseValue(row[$0]) })
                let entry = Entry(
                    edits: try row.decode(forColumn: "edits"),
                    isInFlight: try row.decode(forColumn: "in_flight"),
                    code: try row.decode(forColumn: "code"),
                    isOverruled: try row.decode(forColumn: "overruled"),
                    isDeferred: try row.decode(forColumn: "deferred"),
                    isWithheld: try row.decode(forColumn: "withheld"))
                return "\(key): \(entry.text)"
            }.sorted()
        }
    }
}
