import GRDB
import Moorage
import MoorageCore
import MoorageWire

/// A row of the device with a reference to a new row that the server refused.
///
/// The refused row had a key of the device, and leaves it. The next row of the server may have that
/// key, and the reference does not mean that one.
struct UnmadeReference: Hashable, Sendable {
    let row: RowName
    let parent: RowName
}

extension RESTRecords {
    static let unmadeTable = """
        CREATE TABLE IF NOT EXISTS \(ServerTable.unmade)(
          tbl TEXT NOT NULL, key TEXT NOT NULL, parent_tbl TEXT NOT NULL, parent TEXT NOT NULL,
          number INTEGER, PRIMARY KEY(tbl, key, parent_tbl, parent)) WITHOUT ROWID;
        """

    /// Those that the device still has.
    func unmadeReferences(_ schema: RESTSchema) throws -> Set<UnmadeReference> {
        var references: Set<UnmadeReference> = []
        let sql = "SELECT tbl, key, parent_tbl, parent FROM \(ServerTable.unmade)"
        for found in try Row.fetchAll(db, sql: sql) {
            if let row = Self.key(found["key"]), let parent = Self.key(found["parent"]) {
                let reference = UnmadeReference(
                    row: RowName(table: found["tbl"], key: row),
                    parent: RowName(table: found["parent_tbl"], key: parent))
                let isThere = try Self.columns(to: reference.parent, schema).contains {
                    try $0.table.name.hasSameBytes(as: reference.row.table)
                        && rows(of: $0, reference.parent).contains(reference.row.key)
                }
                if isThere {
                    references.insert(reference)
                    continue
                }
            }
            try db.execute(
                sql: """
                    DELETE FROM \(ServerTable.unmade)
                    WHERE tbl = ? AND key = ? AND parent_tbl = ? AND parent = ?
                    """,
                arguments: [
                    found["tbl"] as String, found["key"] as String, found["parent_tbl"] as String,
                    found["parent"] as String,
                ])
        }
        return references
    }

    /// A column that refers to a table's primary key.
    private struct Reference {
        let table: RESTTable
        let column: Int
        let parent: RESTTable
    }

    private static func columns(to parent: RowName, _ schema: RESTSchema) -> [Reference] {
        guard let made = schema.table(named: parent.table), parent.key.values.count == 1 else {
            return []
        }
        let tables = schema.models.flatMap { [$0.table] + $0.children.map(\.table) }
        return tables.filter { $0.description.primaryKey.count == 1 }.flatMap { table in
            table.description.foreignKeys.filter {
                $0.referencedTable.hasSameBytes(as: parent.table)
                    && $0.positions(in: made.description) == made.description.primaryKey
            }.map { Reference(table: table, column: $0.columns[0], parent: made) }
        }
    }

    /// The rows of the device that refer to a row.
    private func rows(of reference: Reference, _ parent: RowName) throws -> [RowKey] {
        let table = reference.table
        let key = table.description.primaryKey[0]
        func name(_ column: Int) -> String { SQLText.name(table.description.columns[column].name) }
        let made = reference.parent
        let value = made.described.local(
            parent.key.values[0], column: made.description.primaryKey[0])
        return try Value.fetchAll(
            db,
            sql: """
                SELECT \(name(key)) FROM \(SQLText.name(table.name))
                WHERE \(name(reference.column)) = ?
                """, arguments: [value]
        ).map { table.description.key([table.described.portable($0, column: key)]) }
    }

    /// Remembers which rows of the device refer to a new one that the server refused.
    func addReferences(to parent: RowName, _ schema: RESTSchema) throws {
        for reference in Self.columns(to: parent, schema) {
            for row in try rows(of: reference, parent) {
                try db.execute(
                    sql: """
                        INSERT OR IGNORE INTO \(ServerTable.unmade)(tbl, key, parent_tbl, parent)
                        VALUES(?, ?, ?, ?)
                        """,
                    arguments: [
                        reference.table.name, row.values.jsonText(), parent.table,
                        parent.key.values.jsonText(),
                    ])
            }
        }
    }

    /// A change was refused for such a reference. What the row refers to after that is new.
    func refusedReferences(of row: RowName, in batch: Int64) throws {
        try db.execute(
            sql: "UPDATE \(ServerTable.unmade) SET number = ? WHERE tbl = ? AND key = ?",
            arguments: [batch, row.table, row.key.values.jsonText()])
    }
}

extension PushContext {
    /// Whether a row of a unit refers to a new row that the server refused in an earlier batch.
    func refersToUnmade(_ unit: PushUnit) -> Bool {
        if unmadeReferences.isEmpty { return false }
        return unit.changes.contains { change in
            guard !change.isDelete, let values = change.values else { return false }
            let table = schema.table(at: change.place)
            let row = RowName(table: table.name, key: change.key)
            return table.description.referredKeys(of: values, in: schema).contains {
                unmadeReferences.contains(UnmadeReference(row: row, parent: $0))
            }
        }
    }

    /// The changes of a unit are refused for such a reference.
    func tookReferences(of unit: PushUnit) async throws {
        let names = unit.names(in: schema)
        let number = batch.number
        try await store.write { records in
            for name in names { try records.refusedReferences(of: name, in: number) }
        }
    }

    /// Remembers who refers to the new rows that were refused.
    func rememberUnmade(_ changes: [PushedChange]) async throws {
        let refused = changes.filter { change in
            change.isInsert && schema.table(at: change.place).ids == .server
                && outcomes[change.index]?.isRefused == true
        }.map { RowName(table: schema.table(at: $0.place).name, key: $0.key) }
        if refused.isEmpty { return }
        try await store.write { [schema] records in
            for name in refused { try records.addReferences(to: name, schema) }
        }
    }
}
