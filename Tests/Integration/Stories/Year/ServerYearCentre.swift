import MoorageHub
import MoorageMySQL
import MooragePostgres

/// Nobody can set the clock of a server. So the story makes all times older that the hub has
/// recorded: what happened an hour ago happened two hours ago then.
private enum Aging {
    private static let times = [
        "moorage_checkpoint": ["at"], "moorage_batch": ["taken_at"],
        "moorage_replica": ["prepared_at", "registered_at", "seen_at"],
        "moorage_registration": ["standing_at", "registered_at", "seen_at"],
        "moorage_report": ["reported_at"], "moorage_conflict": ["edited_at", "logged_at"],
    ]

    /// - Parameters:
    ///   - tracking: The tracking tables.
    ///   - older: An expression for a time of `moorage_meta`, which is text.
    static func statements(_ milliseconds: Int64, _ tracking: [String], older: String) -> [String] {
        let all = times.merging(tracking.map { ($0, ["changed_at"]) }) { first, _ in first }
        return all.sorted { $0.key < $1.key }.map { table, columns in
            let changes = columns.map { "\"\($0)\" = \"\($0)\" - \(milliseconds)" }
            return "UPDATE \"\(table)\" SET \(changes.joined(separator: ", "))"
        } + [
            """
            UPDATE moorage_meta SET value = \(older)
            WHERE name IN ('horizon_at', 'renewed_at', 'purge') AND value <> '0'
            """
        ]
    }
}

final class PostgresYearCentre: RestorableCentre {
    let kind = CentreKind.postgres
    private(set) var hub: Hub
    private let name: String
    private let url: String
    private let backup: String
    /// How much time has passed, and had when the backup was made.
    private var age: (now: Int64, backup: Int64) = (0, 0)
    private var session: PostgresSession?
    private var database: PostgresDatabase

    init() throws {
        (name, url) = try PostgresFixture.makeDatabase()
        backup = name + "_b"
        database = try PostgresDatabase(url: url)
        hub = Self.makeHub(on: database)
    }

    private func open() throws -> PostgresSession {
        if let session { return session }
        let new = try PostgresSession(url: url)
        session = new
        return new
    }

    func execute(_ statements: [String]) throws {
        for statement in statements { try open().query(statement) }
    }

    func texts(_ sql: String) throws -> [[String?]] { try open().query(sql) }

    func advance(_ milliseconds: Int64) throws {
        age.now += milliseconds
        try makeOlder(by: milliseconds)
    }

    private func makeOlder(by milliseconds: Int64) throws {
        let tracking = try texts(
            """
            SELECT table_name FROM information_schema.tables
            WHERE table_schema = 'public' AND table_name LIKE 'moorage_track_%'
            """)
        // Before the first attach there is nothing to make older.
        guard !tracking.isEmpty else { return }
        let statements = Aging.statements(
            milliseconds, tracking.compactMap { $0[0] },
            older: "(value::bigint - \(milliseconds))::text")
        try execute([statements.joined(separator: "; ")])
    }

    func backUp() throws {
        try copy(name, to: backup)
        age.backup = age.now
    }

    func restore() throws {
        try copy(backup, to: name)
        // A backup has the times of its day.
        try makeOlder(by: age.now - age.backup)
    }

    /// PostgreSQL copies a database while nobody uses it.
    private func copy(_ source: String, to target: String) throws {
        session = nil
        database.close()
        try PostgresFixture.drop(target)
        guard let server = PostgresFixture.serverURL else { throw PostgresFixture.NoServer() }
        let admin = try PostgresSession(url: server)
        for attempt in 1...20 {
            try admin.query(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(source)'"
            )
            do {
                try admin.query("CREATE DATABASE \(target) TEMPLATE \(source)")
                break
            } catch let failure as PostgresSession.Failure where failure.isInUse && attempt < 20 {
                continue
            }
        }
        database = try PostgresDatabase(url: url)
        hub = Self.makeHub(on: database)
    }

    func close() throws {
        session = nil
        database.close()
        try PostgresFixture.drop(backup)
        try PostgresFixture.drop(name)
    }
}

final class MariaDBYearCentre: YearCentre {
    let kind = CentreKind.mariadb
    let hub: Hub
    private let name: String
    private let session: MySQLLink
    private let database: MySQLDatabase

    init() throws {
        let url: String
        (name, url) = try MariaDBFixture.makeDatabase()
        session = try MySQLLink(url: url)
        database = try MySQLDatabase(url: url)
        hub = Self.makeHub(on: database)
    }

    func execute(_ statements: [String]) throws {
        for statement in statements { try session.run(statement) }
    }

    func texts(_ sql: String) throws -> [[String?]] { try session.query(sql) }

    func advance(_ milliseconds: Int64) throws {
        let tracking = try texts(
            """
            SELECT table_name FROM information_schema.tables
            WHERE table_schema = DATABASE() AND table_name LIKE 'moorage_track_%'
            """)
        guard !tracking.isEmpty else { return }
        // What is still in the queues has its time, too.
        try database.perform { try $0.numberChanges() }
        try execute(
            Aging.statements(
                milliseconds, tracking.compactMap { $0[0] },
                older: "CAST(value AS SIGNED) - \(milliseconds)"))
    }

    func close() throws {
        database.close()
        try MariaDBFixture.drop(name)
    }
}
