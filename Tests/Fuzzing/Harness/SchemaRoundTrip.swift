import GRDB
import MoorageCore
import MoorageHub
import MoorageTesting
import MoorageWire

@testable import MoorageSQLite

/// A database of somebody's that is attached and detached again.
struct SchemaRoundTrip {
    private let queue: DatabaseQueue
    private let database: SQLiteDatabase
    private let hub: Hub
    private let before: [String]
    let tables: [TableDescription]

    init(_ queue: DatabaseQueue) throws {
        self.queue = queue
        database = SQLiteDatabase(queue: queue)
        hub = Hub(database: database, makeID: { "id" })
        before = try Self.objects(queue)
        tables = try database.perform { connection in
            try Attachment(on: connection, makeID: { "id" }).attach(tables: nil).attached
        }
    }

    private static func objects(_ queue: DatabaseQueue) throws -> [String] {
        try queue.read {
            try Row.fetchAll(
                $0, sql: "SELECT type, hex(name), hex(tbl_name), hex(sql) FROM sqlite_master")
        }.map { "\($0)" }.sorted()
    }

    func insert(_ row: [Value], into table: TableDescription) throws {
        let placeholders = row.map { _ in "?" }.joined(separator: ", ")
        _ = try database.perform {
            try $0.run("INSERT INTO \(FuzzTarget.quoted(table.name)) VALUES (\(placeholders))", row)
        }
    }

    /// Every row, as a new replica gets it.
    func pull() throws -> [[Value]] {
        var rows: [[Value]] = []
        let request = ExchangeRequest(
            replica: FuzzedHub.replica, hub: nil, sentAt: 0,
            tables: tables.map { TableColumns(name: $0.name, columns: $0.columns.map(\.name)) },
            cursor: .start, schemaVersion: nil, batch: nil, limits: PageLimits())
        try hub.exchange(request) { (frame: Frame) in
            if case .page(let page) = frame { rows += page.tables.flatMap(\.rows) }
        }
        return rows
    }

    /// Detaching leaves the owner's schema as it was, to the byte.
    func detachProblem() throws -> String? {
        try database.perform { try Attachment(on: $0, makeID: { "id" }).detach() }
        return try Self.objects(queue) == before ? nil : "detaching left a trace"
    }

    /// What the reader says of a table, beside what SQLite says.
    func descriptionProblem(_ table: TableDescription) throws -> String? {
        try queue.read { db in
            let columns = try Row.fetchAll(
                db,
                sql: "SELECT name, pk FROM pragma_table_xinfo(?) WHERE hidden <> 1 ORDER BY cid",
                arguments: [table.name])
            let names = columns.map { Value.text($0["name"]) }
            guard table.columns.map({ Value.text($0.name) }) == names else {
                return "other columns than SQLite has"
            }
            let key = columns.filter { $0["pk"] as Int > 0 }
                .sorted { ($0["pk"] as Int) < ($1["pk"] as Int) }.map { Value.text($0["name"]) }
            guard table.primaryKey.map({ Value.text(table.columns[$0].name) }) == key else {
                return "another key than SQLite has"
            }
            let parts = try Row.fetchAll(
                db,
                sql: """
                    SELECT i.seq, c.cid, c.name
                    FROM pragma_index_list(?) AS i, pragma_index_xinfo(i.name) AS c
                    WHERE i."unique" AND i.origin <> 'pk' AND NOT i.partial AND c.key
                    ORDER BY i.seq, c.seqno
                    """, arguments: [table.name])
            let indexes = Dictionary(grouping: parts) { $0["seq"] as Int }.values
            let unique = indexes.filter { $0.allSatisfy { ($0["cid"] as Int) >= 0 } }
                .map { $0.map { Value.text($0["name"]) } }
            let described = table.uniqueKeys.map { key in
                key.map { Value.text(table.columns[$0].name) }
            }
            return Set(described) == Set(unique) ? nil : "other unique keys than SQLite has"
        }
    }

    /// A write that the owner could do, the owner can do still.
    func writeProblem(_ table: TableDescription, beside plain: DatabaseQueue) throws -> String? {
        // A foreign key to what is no key fails at another moment with every trigger more.
        let isSound = (try? plain.read { try $0.execute(sql: "PRAGMA foreign_key_check") }) != nil
        guard isSound else { return nil }
        let name = FuzzTarget.quoted(table.name)
        let columns = table.columns.filter { !$0.isGenerated }
        let list = columns.map { FuzzTarget.quoted($0.name) }.joined(separator: ", ")
        var statements = ["INSERT INTO \(name) DEFAULT VALUES"]
        for number in 1...3 {
            let values = columns.map { _ in "\(number)" }.joined(separator: ", ")
            statements.append("INSERT INTO \(name) (\(list)) VALUES (\(values))")
        }
        for column in columns.prefix(6) {
            let column = FuzzTarget.quoted(column.name)
            statements.append("UPDATE \(name) SET \(column) = 4 WHERE \(column) = 2")
        }
        statements += ["REPLACE INTO \(name) DEFAULT VALUES", "DELETE FROM \(name) WHERE 1"]
        for statement in statements {
            let was = outcome(statement, on: plain)
            let now = outcome(statement, on: queue)
            if was != now { return "a write of the owner's: \(was) without us, \(now) with us" }
        }
        return nil
    }

    private func outcome(_ sql: String, on queue: DatabaseQueue) -> String {
        do {
            try queue.write { try $0.execute(sql: sql) }
            return "done"
        } catch let error as DatabaseError {
            return "\(error.extendedResultCode)"
        } catch {
            return "\(error)"
        }
    }
}
