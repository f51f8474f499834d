import Foundation
import GRDB
import MoorageCore
import MoorageWire

/// Changes that were refused, with their values and the reason.
struct RefusedList {
    let statements: RawStatements

    struct Entry {
        let name: RowName
        let kind: ChangeKind
        let columns: [String]
        let before: [Value]?
        let after: [Value]?
        let refusal: Refusal
        let at: DeviceTime
        var isBlocked = false
        /// The whole row.
        var row: NamedValues?
        /// Names the group that was refused with it.
        var group: String?
    }

    func add(_ entry: Entry) throws {
        func text(_ values: [Value]?) -> Value { values.map { .text($0.jsonText()) } ?? .null }
        try statements(
            """
            INSERT INTO _moorage_refused(
              tbl, key, operation, columns, before, after, code, message, at, blocked, row,
              grp)
            VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
            """
        ).run([
            .text(entry.name.table), .text(entry.name.key.values.jsonText()),
            .text(entry.kind.rawValue), .text(entry.columns.jsonText), text(entry.before),
            text(entry.after), .text(entry.refusal.code.rawValue), .text(entry.refusal.message),
            .time(entry.at), .integer(entry.isBlocked ? 1 : 0),
            entry.row.map { .text($0.jsonText()) } ?? .null,
            entry.group.map(Value.text) ?? .null,
        ])
        try statements.db.notifyChanges(in: Table(Self.table))
    }

    /// Lists a row as recovered, once for the same values.
    func addRecovered(
        _ row: [Value], of table: SyncedTable, _ key: RowKey, why refusal: Refusal, at: DeviceTime
    ) throws {
        let (name, columns) = (table.rowName(key), table.columns.columns)
        let known = """
            SELECT 1 FROM _moorage_refused
            WHERE tbl = ?1 AND key = ?2 AND operation = 'row' AND columns = ?3 AND after = ?4
            """
        let isKnown = try statements(known).exists([
            .text(name.table), .text(name.key.values.jsonText()), .text(columns.jsonText),
            .text(row.jsonText()),
        ])
        if isKnown { return }
        try add(
            Entry(
                name: name, kind: .recovered, columns: columns, before: nil, after: row,
                refusal: refusal, at: at))
    }

    /// Lists a change that the hub may have forgotten, and whose row is not here to send it again.
    func addUnsendable(_ change: Change, _ columns: [String], at: DeviceTime) throws {
        let refusal = Refusal.rowNotHere
        switch change.operation {
        case .insert(let row):
            try add(
                Entry(
                    name: change.rowName, kind: .insert, columns: columns, before: nil, after: row,
                    refusal: refusal, at: at))
        case .update(let all):
            let edits = all.filter(\.isChange)
            try add(
                Entry(
                    name: change.rowName, kind: .update, columns: edits.map { columns[$0.column] },
                    before: edits.map(\.old), after: edits.map(\.new), refusal: refusal, at: at))
        case .delete, .refetch: return
        }
    }

    static let table = "_moorage_refused"

    /// Takes a blocked change off the list, because it is sent now.
    func release(_ name: RowName) throws {
        try statements("DELETE FROM _moorage_refused WHERE blocked AND tbl = ?1 AND key = ?2")
            .run([.text(name.table), .text(name.key.values.jsonText())])
        try statements.db.notifyChanges(in: Table(Self.table))
    }
}
