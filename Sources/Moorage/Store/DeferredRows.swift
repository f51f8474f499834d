import GRDB
import MoorageCore
import MoorageWire

/// A row of a page that is not in its table yet.
struct PendingRow: Hashable, Sendable {
    let name: RowName
    let columns: [String]
    let values: [Value]
}

/// Rows whose unique value another local row still has.
struct DeferredRows {
    let statements: RawStatements

    func isEmpty() throws -> Bool {
        try !statements("SELECT 1 FROM _moorage_deferred LIMIT 1").exists([])
    }

    func all() throws -> [PendingRow] {
        let statement = try statements("SELECT tbl, key, columns, row FROM _moorage_deferred")
        var rows: [PendingRow] = []
        while try statement.step() {
            let texts = (0..<4).map { column in
                if case .value(.text(let text)) = statement.column(column) { text } else { "" }
            }
            do {
                rows.append(
                    PendingRow(
                        name: RowName(
                            table: texts[0], key: RowKey(try [Value](jsonText: texts[1]))),
                        columns: try [String](jsonText: texts[2]),
                        values: try [Value](jsonText: texts[3])))
            } catch { throw ReplicaError.metadataDamaged("deferred", error) }
        }
        return rows
    }

    func add(_ row: PendingRow) throws {
        try statements(
            "INSERT OR REPLACE INTO _moorage_deferred(tbl, key, columns, row) VALUES(?1, ?2, ?3, ?4)"
        ).run([
            .text(row.name.table), .text(row.name.key.values.jsonText()),
            .text(row.columns.jsonText), .text(row.values.jsonText()),
        ])
    }

    func remove(_ name: RowName) throws {
        try statements("DELETE FROM _moorage_deferred WHERE tbl = ?1 AND key = ?2")
            .run([.text(name.table), .text(name.key.values.jsonText())])
    }

    func contains(_ name: RowName) throws -> Bool {
        try statements("SELECT 1 FROM _moorage_deferred WHERE tbl = ?1 AND key = ?2")
            .exists([.text(name.table), .text(name.key.values.jsonText())])
    }
}

/// Rows with a value that this device, or any device, cannot store. The device keeps what it had.
struct WithheldRows {
    let statements: RawStatements

    static let table = "_moorage_withheld"

    func isEmpty() throws -> Bool {
        try !statements("SELECT 1 FROM _moorage_withheld LIMIT 1").exists([])
    }

    func add(_ name: RowName, column: String, reason: String, isHere: Bool) throws {
        try statements(
            """
            INSERT OR REPLACE INTO _moorage_withheld(tbl, key, column, reason, here)
            VALUES(?1, ?2, ?3, ?4, ?5)
            """
        ).run([
            .text(name.table), .text(name.key.values.jsonText()), .text(column), .text(reason),
            .integer(isHere ? 1 : 0),
        ])
        try statements.db.notifyChanges(in: Table(Self.table))
    }

    func remove(_ name: RowName) throws {
        try statements("DELETE FROM _moorage_withheld WHERE tbl = ?1 AND key = ?2")
            .run([.text(name.table), .text(name.key.values.jsonText())])
        // It is asked of every row that a page brings.
        if statements.db.changesCount > 0 {
            try statements.db.notifyChanges(in: Table(Self.table))
        }
    }

    func contains(_ name: RowName) throws -> Bool {
        try statements("SELECT 1 FROM _moorage_withheld WHERE tbl = ?1 AND key = ?2")
            .exists([.text(name.table), .text(name.key.values.jsonText())])
    }
}
