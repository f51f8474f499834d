import GRDB
import MoorageCore
import MoorageHub
import MoorageTesting
import MoorageWire

@testable import Moorage
@testable import MoorageSQLite

extension FuzzTarget {
    /// Names of tables and columns, as a JSON array: the table first, then its columns, the first of
    /// them the key. The oracle is SQLite itself.
    static let names = FuzzTarget(
        name: "names",
        words: hardTexts + ["\"", "'", "`", "[", "]", "\u{301}", "\"\u{301}", "rowid"],
        seed: { random in
            let names = (0...(random.below(4) + 1)).map { number in
                Value.text(random.one(of: hardTexts) + (random.once(in: 2) ? "\(number)" : "\""))
            }
            return Array(names.jsonText().utf8)
        },
        problem: { bytes in
            guard let text = String(exactly: bytes), let values = try? [Value](jsonText: text)
            else { return nil }
            let names = values.compactMap { if case .text(let name) = $0 { name } else { nil } }
            guard names.count > 1, names.count < 20, names.allSatisfy({ !$0.utf8.contains(0) })
            else { return nil }
            return try namesProblem(table: names[0], columns: Array(names[1...]))
        })

    /// `CREATE TABLE` and `CREATE INDEX` as an owner may have written them.
    static let table = FuzzTarget(
        name: "table",
        words: [
            "CREATE TABLE", "PRIMARY KEY", "WITHOUT ROWID", "STRICT", "REFERENCES",
            "ON DELETE CASCADE",
            "UNIQUE", "COLLATE NOCASE", "DEFAULT", "CHECK", "GENERATED ALWAYS AS", "STORED",
            "AUTOINCREMENT",
            "NOT NULL", "INTEGER", "TEXT", "BLOB", "DECIMAL(10,2)", "UUID", "JSON", "TIMESTAMP",
            "INT",
            "CREATE UNIQUE INDEX", "ON CONFLICT REPLACE", "DEFERRABLE INITIALLY DEFERRED",
            "FOREIGN KEY",
            "ON", "WHERE", "CONSTRAINT", "DESC",
        ],
        seed: { random in Array(RandomTables.sql(using: &random).utf8) },
        problem: { bytes in try tableProblem(bytes) })

    // MARK: Names

    private static func namesProblem(table: String, columns: [String]) throws -> String? {
        let owner = try DatabaseQueue()
        let declared = columns.map { "\(quoted($0)) TEXT" }.joined(separator: ", ")
        let sql = """
            CREATE TABLE \(quoted(table)) (\(declared), PRIMARY KEY (\(quoted(columns[0]))))
            """
        // SQLite decides which names there can be.
        guard (try? owner.write({ try $0.execute(sql: sql) })) != nil else { return nil }
        let isOurs = try SQLiteDatabase(queue: owner).perform { try $0.readTables() }.isEmpty
        if isOurs { return nil }
        let attached = try SchemaRoundTrip(owner)
        guard let description = attached.tables.first else { return "the table is not attached" }
        guard description.name.hasSameBytes(as: table),
            description.columns.map({ Value.text($0.name) }) == columns.map(Value.text)
        else { return "names were changed: \(description.name)" }
        let row = columns.indices.map { Value.text("v\($0)") }
        try attached.insert(row, into: description)
        let pulled = try attached.pull()
        guard pulled == [row] else { return "the row came as \(pulled)" }
        if let problem = try deviceProblem(sql, attached, description, row) { return problem }
        return try attached.detachProblem()
    }

    /// The same table on a device: tracked, pushed and pulled under its name.
    private static func deviceProblem(
        _ sql: String, _ hub: SchemaRoundTrip, _ table: TableDescription, _ row: [Value]
    ) throws -> String? {
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: sql) }
        let store = ReplicaStore(tables: [.table(table.name)])
        return try queue.writeWithoutTransaction { db -> String? in
            do {
                try store.open(db, newID: FuzzedHub.replica)
            } catch let error as ReplicaError {
                // A name that would collide with ours is refused by name.
                return error.message.isEmpty ? "an error without a message" : nil
            }
            try store.adopt(db, hub: "h", schema: SchemaDescription(tables: hub.tables))
            let placeholders = row.map { _ in "?" }.joined(separator: ", ")
            let other = row.map { _ in "w".databaseValue }
            try db.execute(
                sql: "INSERT INTO \(quoted(table.name)) VALUES (\(placeholders))",
                arguments: StatementArguments(other))
            let batch = try store.prepareBatch(db, now: 1, nonce: "n")
            let expected = table.columns.map { _ in Value.text("w") }
            guard let change = batch?.batch.changes.first,
                change.table.hasSameBytes(as: table.name),
                change.operation == .insert(expected)
            else { return "the device's insert is not in its batch" }
            let outcomes = Outcomes(
                number: 1, status: .applied, outcomes: [Outcome(kind: .applied)])
            let page = Page(
                since: .start, cursor: SyncCursor(epoch: Epoch("e"), checkpoint: Checkpoint("1:n")),
                isCaughtUp: true,
                tables: [
                    TableRows(
                        table: table.name, columns: table.columns.map(\.name), rows: [row])
                ], removals: [])
            let result = try store.apply(
                db, outcomes: outcomes, page: page, at: ExchangeTime(here: 1, hub: 1))
            return result.rowsWritten == 1 ? nil : "the device did not take the hub's row"
        }
    }

    /// Written again here: the product's own quoting is what is tried.
    static func quoted(_ name: String) -> String {
        var bytes: [UInt8] = [UInt8(ascii: "\"")]
        for byte in name.utf8 {
            if byte == UInt8(ascii: "\"") { bytes.append(byte) }
            bytes.append(byte)
        }
        return String(decoding: bytes + [UInt8(ascii: "\"")], as: UTF8.self)
    }

    // MARK: Tables

    private static func tableProblem(_ sql: [UInt8]) throws -> String? {
        let owner = try DatabaseQueue()
        let isAccepted = owner.writeWithoutTransaction { db in
            guard let connection = db.sqliteConnection else { return false }
            return SafeSQL.run(sql, on: connection)
        }
        guard isAccepted else { return nil }
        let plain = try DatabaseQueue()
        try owner.backup(to: plain)
        let attached: SchemaRoundTrip
        do {
            attached = try SchemaRoundTrip(owner)
        } catch let error as HubError where error.code == .tableUnsupported {
            return nil
        }
        for table in attached.tables {
            if let problem = try attached.descriptionProblem(table) { return problem }
            if let problem = try attached.writeProblem(table, beside: plain) { return problem }
        }
        _ = try attached.pull()
        return try attached.detachProblem()
    }
}
