import GRDB
import Moorage
import MoorageCore
import MoorageHub
import MoorageSQLite

/// A replica of a real hub whose rule is that the centre wins.
struct NotesBench {
    private let central: DatabaseQueue
    private let file: DatabaseQueue
    let replica: Replica

    init() async throws {
        central = try DatabaseQueue()
        try await central.write {
            try $0.execute(
                sql: """
                    CREATE TABLE note (
                      id INTEGER NOT NULL PRIMARY KEY,
                      title TEXT UNIQUE CHECK (title NOT LIKE 'bad%'), stars INTEGER, weight REAL, picture BLOB);
                    INSERT INTO note VALUES (1, 'old', 1, 0.5, x'01'), (2, 'two', 2, 1, NULL)
                    """)
        }
        let hub = Hub(
            database: SQLiteDatabase(queue: central),
            configuration: HubConfiguration(rules: ["note": TableRules(rule: .server)]))
        _ = try await hub.attach(tables: ["note"])
        file = try DatabaseQueue()
        replica = try await Replica.clone(into: file, from: .direct(hub), tables: ["note"])
    }

    func edit(_ sql: String) async throws { try await file.write { try $0.execute(sql: sql) } }

    /// Makes the device's change lose against the centre's.
    func conflict(_ mine: String, _ theirs: String) async throws {
        try await edit(mine)
        try await central.write { try $0.execute(sql: theirs) }
        try await replica.sync()
    }

    /// A row as the centre has it, after a sync; `nil` if it is gone.
    func row(_ id: Int) async throws -> [String: Value]? {
        try await replica.sync()
        return try await central.read { db in
            let sql = "SELECT * FROM note WHERE id = ?"
            guard let row = try Row.fetchOne(db, sql: sql, arguments: [id]) else { return nil }
            let values = row.databaseValues.compactMap(Value.fromDatabaseValue)
            return Dictionary(
                zip(row.columnNames, values), uniquingKeysWith: { first, _ in first })
        }
    }
}
