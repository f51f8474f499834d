import GRDB
import MoorageCore
import MoorageWire

/// A row of a page that has yet to find its place.
struct PendingRow: Hashable, Sendable {
    let name: RowName
    let columns: [String]
    let values: [Value]
}

/// Where a page's columns stand in the synced table.
struct PageLayout {
    /// The synced column for each of the page's; `nil` for one that is not synced here.
    let columns: [Int?]
    /// The same where each is synced here and stored as it arrives; `nil` where one is not.
    let plainColumns: [Int]?
    private let keyPositions: [Int]
    private let table: SyncedTable

    init(_ table: SyncedTable, _ names: [String]) throws {
        columns = names.map { table.description.column(named: $0) }
        let all = columns
        let synced = all.compactMap { $0 }
        plainColumns =
            synced.count == all.count && synced.allSatisfy { table.form($0).storesAsIs }
            ? synced : nil
        keyPositions = table.description.primaryKey.compactMap { key in
            all.firstIndex { $0 == key }
        }
        guard keyPositions.count == table.description.primaryKey.count else {
            throw ReplicaError.protocolViolation("a page of \(table.name) lacks a key column")
        }
        self.table = table
    }

    func hasKey(_ rows: RowColumns, at row: Int) -> Bool {
        keyPositions.allSatisfy { rows.columns[$0].kinds[row] != .null }
    }

    /// The key as the local table stores it, where all columns are plain.
    func rawKey(_ rows: RowColumns, at row: Int) -> [Value] {
        table.description.key(keyPositions.map { rows.columns[$0][row] }).values
    }

    /// The key of a row; SQLite would take NULL in it, and make up another.
    func key(_ row: [Value]) throws -> Key {
        let values = keyPositions.map { row[$0] }
        guard !values.contains(.null) else {
            throw ReplicaError.protocolViolation("a row of \(table.name) has no key")
        }
        return table.description.key(values)
    }
}

/// Rows whose unique value another local row still holds.
struct WaitingRows {
    let statements: RawStatements

    func isEmpty() throws -> Bool {
        try !statements("SELECT 1 FROM _moorage_waiting LIMIT 1").exists([])
    }

    func all() throws -> [PendingRow] {
        let statement = try statements("SELECT tbl, key, columns, row FROM _moorage_waiting")
        var rows: [PendingRow] = []
        while try statement.step() {
            let texts = (0..<4).map { column in
                if case .value(.text(let text)) = statement.column(column) { text } else { "" }
            }
            do {
                rows.append(
                    PendingRow(
                        name: RowName(
                            table: texts[0], key: Key(try [Value](jsonText: texts[1]))),
                        columns: try [String](jsonText: texts[2]),
                        values: try [Value](jsonText: texts[3])))
            } catch { throw Metadata.damaged("waiting", error) }
        }
        return rows
    }

    func add(_ row: PendingRow) throws {
        try statements(
            "INSERT OR REPLACE INTO _moorage_waiting(tbl, key, columns, row) VALUES(?1, ?2, ?3, ?4)"
        ).run([
            .text(row.name.table), .text(row.name.key.values.jsonText()),
            .text(row.columns.jsonText), .text(row.values.jsonText()),
        ])
    }

    func remove(_ name: RowName) throws {
        try statements("DELETE FROM _moorage_waiting WHERE tbl = ?1 AND key = ?2")
            .run([.text(name.table), .text(name.key.values.jsonText())])
    }

    func contains(_ name: RowName) throws -> Bool {
        try statements("SELECT 1 FROM _moorage_waiting WHERE tbl = ?1 AND key = ?2")
            .exists([.text(name.table), .text(name.key.values.jsonText())])
    }
}

/// Rows with a value that this device, or any device, cannot hold: it keeps what it had.
struct WithheldRows {
    let statements: RawStatements

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
    }

    func remove(_ name: RowName) throws {
        try statements("DELETE FROM _moorage_withheld WHERE tbl = ?1 AND key = ?2")
            .run([.text(name.table), .text(name.key.values.jsonText())])
    }

    func contains(_ name: RowName) throws -> Bool {
        try statements("SELECT 1 FROM _moorage_withheld WHERE tbl = ?1 AND key = ?2")
            .exists([.text(name.table), .text(name.key.values.jsonText())])
    }
}
