import MoorageCore
import MoorageHub
import MoorageTesting
import MoorageWire
import TestSupport
import Testing

@testable import MooragePostgres

/// The times of a large push go in with its rows: each tracking row is written once.
@Suite(.ownThreads, .enabled(if: PostgresServer.isAvailable)) struct `Times that a push announces` {
    private static let count = 100

    /// A row's time is its number.
    private func times(_ keys: [RowKey]) -> [KeyedTime] {
        keys.enumerated().map {
            KeyedTime(key: $1, changedAt: HubTime(milliseconds: Int64($0) + 1))
        }
    }

    private func prepared(
        _ schema: String, _ work: (PostgresSubject, PostgresSession, AttachedTable) throws -> Void
    ) throws {
        try PostgresServer.withDatabase { subject in
            let owner = try subject.session()
            try owner.execute(schema)
            try subject.attach()
            try work(subject, owner, try subject.table("item"))
        }
    }

    private func integer(_ sql: String, _ connection: any CentralConnection) throws -> Int64? {
        guard case .integer(let number)? = try connection.run(sql, []).first?.first else {
            return nil
        }
        return number
    }

    private static let track = "moorage_track_1_item"

    /// How many tracking rows this transaction has written a second time.
    private func rewritten(_ connection: any CentralConnection) throws -> Int64? {
        try integer("SELECT pg_stat_get_xact_tuples_updated('\(Self.track)'::regclass)", connection)
    }

    /// How many rows have the times 1, 2, 3…
    private func timed(_ connection: any CentralConnection) throws -> Int64? {
        try integer(
            "SELECT count(*) FROM \(Self.track) WHERE changed_at BETWEEN 1 AND 1000", connection)
    }

    private func keys(_ table: AttachedTable, _ values: (Int) -> [Value]) -> [RowKey] {
        (0..<Self.count).map { table.description.key(values($0)) }
    }

    private func insert(
        _ keys: [RowKey], into table: AttachedTable, _ connection: any CentralConnection,
        timed: [KeyedTime]? = nil
    ) throws {
        try connection.keeping(timed ?? times(keys), of: table) {
            try connection.insert(
                table, columns: table.description.primaryKey, rows: keys.map(\.values))
        }
    }

    @Test func `inserts, updates and deletes write no tracking row twice`() throws {
        try prepared("CREATE TABLE item (id text PRIMARY KEY, a bigint, b text)") {
            subject, owner, table in
            // A row that was not announced gets the clock's time.
            try owner.execute("INSERT INTO item VALUES ('other', 1, 'x')")
            let keys = keys(table) { [.text("é'\"{\\,\($0)")] }
            try subject.write { connection in
                try insert(keys, into: table, connection)
                #expect(try timed(connection) == 100)
                try connection.setChangedAt(table, times: times(keys))
                #expect(try rewritten(connection) == 0)
            }
            let later = keys.enumerated().map {
                KeyedTime(key: $1, changedAt: HubTime(milliseconds: 500 + Int64($0)))
            }
            try subject.write { connection in
                try connection.keeping(later, of: table) {
                    try connection.update(
                        table, columns: [1],
                        rows: keys.map { KeyedValues(key: $0, values: [.integer(7)]) })
                }
                try connection.keeping(later, of: table) {
                    try connection.delete(table, keys: keys)
                }
                // Once for each statement.
                try connection.setChangedAt(table, times: later)
                #expect(try rewritten(connection) == 200)
            }
            let sums = try owner.rows(
                """
                SELECT count(*) FILTER (WHERE NOT live AND changed_at BETWEEN 500 AND 599),
                       count(*) FILTER (WHERE live AND changed_at > 1700000000000)
                FROM \(Self.track)
                """)
            #expect(sums == [["100", "1"]])
            let first = try subject.write { try $0.lockRows(table, keys: [keys[3]]) }
            #expect(first[keys[3]]?.changedAt == 503)
        }
    }

    @Test(arguments: [
        ("id bigint", "(10 - i)"), ("id uuid", "md5(i::text)::uuid"),
        ("id numeric(10,2)", "i * 1.1"), ("id bytea", "decode(md5(i::text), 'hex')"),
        ("id date", "date '2026-01-01' - i * 9000"),
        ("id timestamptz", "timestamptz '2026-06-01 12:00:00.123456+02' + i * interval '1 hour'"),
        ("id double precision", "i / 3.0"), ("id varchar(20)", "'Ä' || i"),
        ("id bigint, second boolean, third text", "i / 2, i % 2 = 0, 'x, \"' || i"),
    ])
    func `are those of keys of any type`(columns: String, values: String) throws {
        let names = columns.contains("third") ? "id, second, third" : "id"
        let schema = "CREATE TABLE item (\(columns), a bigint, PRIMARY KEY (\(names)))"
        try prepared(schema) { subject, owner, table in
            try owner.execute(
                """
                INSERT INTO item SELECT \(values), 0 FROM generate_series(1, 100) AS i
                """)
            let tracked = try subject.snapshot {
                try $0.trackedRows(table, in: .everything, .all, after: nil, limit: 1000)
            }
            let keys = tracked.map(\.key)
            #expect(keys.count == 100)
            try subject.write { connection in
                let column = table.description.columns.count - 1
                try connection.keeping(times(keys), of: table) {
                    try connection.update(
                        table, columns: [column],
                        rows: keys.map { KeyedValues(key: $0, values: [.integer(1)]) })
                }
                try connection.setChangedAt(table, times: times(keys))
                // A push does not announce what a device cannot store, such as a year before
                // Christ.
                if !columns.contains("date") { #expect(try rewritten(connection) == 100) }
            }
            let read = try subject.write { try $0.lockRows(table, keys: keys) }
            for time in times(keys) where read[time.key]?.values != nil {
                #expect(read[time.key]?.changedAt == time.changedAt)
            }
            #expect(try subject.write { try timed($0) } == 100)
        }
    }

    @Test func `are for one statement, and for that of the push itself`() throws {
        try prepared("CREATE TABLE item (id bigint PRIMARY KEY, a bigint)") {
            subject, owner, table in
            try owner.execute(
                """
                INSERT INTO item SELECT i, 0 FROM generate_series(100, 199) AS i;
                CREATE FUNCTION beside() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                  UPDATE item SET a = 1 WHERE id = NEW.id + 100; RETURN NULL; END $$;
                CREATE TRIGGER beside AFTER INSERT ON item FOR EACH ROW EXECUTE FUNCTION beside()
                """)
            let keys = keys(table) { [.integer(Int64($0))] }
            let others = keys.map { key -> RowKey in
                guard case .integer(let id) = key.values[0] else { return key }
                return table.description.key([.integer(id + 100)])
            }
            try subject.write { connection in
                // The push also announces others' rows, which are not this statement's own.
                try insert(keys, into: table, connection, timed: times(keys) + times(others))
                #expect(try timed(connection) == 100)
                _ = try connection.run("UPDATE item SET a = 2 WHERE id = 3", [])
                #expect(try timed(connection) == 99)
                // A row was written without its time, so all times are set.
                try connection.setChangedAt(table, times: times(keys))
                #expect(try timed(connection) == 100)
            }
        }
    }

    @Test func `go with their savepoint, and a few rows are not announced`() throws {
        try prepared("CREATE TABLE item (id bigint PRIMARY KEY, a bigint CHECK (a < 5))") {
            subject, _, table in
            let keys = keys(table) { [.integer(Int64($0))] }
            try subject.write { connection in
                try connection.savepoint()
                let refused = try refusal {
                    try connection.keeping(times(keys), of: table) {
                        try connection.insert(
                            table, columns: [0, 1], rows: keys.map { $0.values + [.integer(9)] })
                    }
                }
                #expect(refused.code == .check)
                try connection.rollbackToSavepoint()
                try insert(Array(keys.prefix(5)), into: table, connection)
                #expect(try timed(connection) == 0)
                try insert(Array(keys.dropFirst(5)), into: table, connection)
                try connection.setChangedAt(table, times: times(keys))
                #expect(try timed(connection) == 100)
            }
        }
    }

    @Test func `are never later than the clock, whoever sets them`() throws {
        try prepared("CREATE TABLE item (id bigint PRIMARY KEY, a bigint)") { _, owner, _ in
            try owner.execute(
                """
                BEGIN;
                SELECT set_config('moorage.edited_k0_1', '{1,1,2}', true),
                       set_config('moorage.edited_at_1', '{9000000000000000000,5,17}', true);
                INSERT INTO item VALUES (1, 0), (2, 0), (3, 0);
                COMMIT
                """)
            let late = "changed_at > (extract(epoch FROM clock_timestamp()) * 1000)::bigint"
            let rows = try owner.rows(
                "SELECT k0, \(late), changed_at = 17 FROM \(Self.track) ORDER BY k0")
            #expect(rows == [["1", "f", "f"], ["2", "f", "t"], ["3", "f", "f"]])
        }
    }

    @Test func `are set afterwards where a table was attached before triggers took them`() throws {
        try prepared("CREATE TABLE item (id bigint PRIMARY KEY, a bigint)") {
            subject, owner, table in
            let body = try #require(
                try owner.cell("SELECT pg_get_functiondef('moorage_insert_1_item'::regproc)"))
            try owner.execute(body.replacing("moorage.edited_at_1", with: "moorage.unknown_1"))
            let keys = keys(table) { [.integer(Int64($0))] }
            try subject.write { connection in
                try insert(keys, into: table, connection)
                #expect(try timed(connection) == 0)
                try connection.setChangedAt(table, times: times(keys))
                #expect(try timed(connection) == 100)
            }
        }
    }

    @Test(arguments: [
        "CREATE TABLE item (id bigint PRIMARY KEY, a bigint) PARTITION BY HASH (id); "
            + "CREATE TABLE p PARTITION OF item FOR VALUES WITH (MODULUS 1, REMAINDER 0)",
        "CREATE TABLE item (id bigint PRIMARY KEY, a bigint)",
    ])
    func `come with a push through the hub`(schema: String) throws {
        try PostgresServer.withDatabase { subject in
            let owner = try subject.session()
            try owner.execute(schema)
            try subject.attach()
            let hub = Hub(database: subject.postgres)
            let before = try subject.postgres.perform { try $0.deviceTime() }
            let tables = [TableColumns(name: "item", columns: ["id", "a"])]
            let batch = Batch(
                number: 1, nonce: "n", preparedAt: before, tables: tables,
                changes: (0..<Int64(200)).map {
                    let id = Value.integer($0)
                    return Change(
                        table: "item", key: RowKey([id]), operation: .insert([id, .null]),
                        editedAt: before - 200_000 + $0 * 1000)
                })
            try hub.exchange(
                ExchangeRequest(
                    replica: "11111111-2222-4333-8444-555555555555", hub: nil, sentAt: before,
                    tables: tables, cursor: .start, schemaVersion: nil, batch: batch,
                    limits: PageLimits())
            ) { _ in }
            // Both sides have the same clock: only the duration of the request may be added.
            let steps = try owner.cell(
                """
                SELECT count(*) FROM \(Self.track) AS r JOIN \(Self.track) AS s ON s.k0 = r.k0 + 1
                WHERE s.changed_at = r.changed_at + 1000
                """)
            #expect(steps == "199")
        }
    }
}
