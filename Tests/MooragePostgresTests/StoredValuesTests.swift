import MoorageCore
import MoorageHub
import MoorageTesting
import MoorageWire
import TestSupport
import Testing

@testable import MooragePostgres

/// If the database stores another value than a push wrote, the hub sends it to the replica. The hub
/// reads the rows again for this, but not where no value can differ.
@Suite(.ownThreads, .enabled(if: PostgresServer.isAvailable))
struct `Values that PostgreSQL stores otherwise` {
    private static let columns = ["id", "exact", "cut", "price", "at"]

    private func hub(_ subject: PostgresSubject) throws -> Hub {
        try subject.session().execute(
            """
            CREATE TABLE t (id bigint PRIMARY KEY, exact text, cut char(4), price numeric(8,2),
              at timestamp(0));
            CREATE TABLE other (id bigint PRIMARY KEY, name text)
            """)
        try subject.attach()
        return Hub(database: subject.postgres)
    }

    private func push(
        _ hub: Hub, number: Int64, _ operations: [(Int64, Change.Operation)]
    ) throws -> [Outcome] {
        let tables = [TableColumns(name: "t", columns: Self.columns)]
        let request = ExchangeRequest(
            replica: "11111111-2222-4333-8444-555555555555", hub: nil, sentAt: 1, tables: tables,
            cursor: .start, schemaVersion: nil,
            batch: Batch(
                number: number, nonce: "n\(number)", preparedAt: 1, tables: tables,
                changes: operations.map {
                    Change(table: "t", key: RowKey([.integer($0)]), operation: $1, editedAt: 1)
                }),
            limits: PageLimits())
        var outcomes: [Outcome] = []
        try hub.exchange(request) { frame in
            if case .outcomes(let answer) = frame { outcomes = answer.outcomes }
        }
        return outcomes
    }

    @Test func `are told column by column, and nothing of a value that is the same`() throws {
        try PostgresServer.withDatabase { subject in
            let hub = try hub(subject)
            let outcomes = try push(
                hub, number: 1,
                [
                    (
                        1,
                        .insert([
                            .integer(1), .text("as it is "), .text("ab"), .text("1.505"),
                            .text("2026-01-01 10:00:00.7"),
                        ])
                    ),
                    (2, .insert([.integer(2), .text("same"), .null, .text("2.50"), .null])),
                ])
            #expect(outcomes.map { $0.stored.map(\.column) } == [[3], []])
            #expect(outcomes[0].stored.first?.value == .text("1.51"))
            // This edit is only of columns that store a value as it is.
            let edit = ColumnEdit(column: 1, old: .text("as it is "), new: .text("other"))
            let edited = try push(hub, number: 2, [(1, .update([edit]))])
            #expect(edited.map(\.stored.count) == [0])
        }
    }

    @Test func `a trigger that the owner makes later is heeded, on this table and on another`()
        throws
    {
        try PostgresServer.withDatabase { subject in
            let hub = try hub(subject)
            let plain: [Change.Operation] = [
                .insert([.integer(1), .text("a"), .null, .null, .null]),
                .insert([.integer(2), .text("b"), .null, .null, .null]),
                .insert([.integer(3), .text("c"), .null, .null, .null]),
            ]
            let kept = try push(hub, number: 1, [(1, plain[0])])
            #expect(kept.map(\.stored.count) == [0])
            try subject.session().execute(
                """
                CREATE FUNCTION shout() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN NEW.exact := upper(NEW.exact); RETURN NEW; END$$;
                CREATE TRIGGER shout BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION shout()
                """)
            let shouted = try push(hub, number: 2, [(2, plain[1])])
            #expect(shouted.map { $0.stored.map(\.value) } == [[.text("B")]])
            try subject.session().execute(
                """
                DROP TRIGGER shout ON t;
                CREATE FUNCTION meddle() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN UPDATE t SET exact = 'meddled'; RETURN NULL; END$$;
                CREATE TRIGGER meddle AFTER INSERT ON t FOR EACH ROW EXECUTE FUNCTION meddle()
                """)
            let meddled = try push(hub, number: 3, [(3, plain[2])])
            #expect(meddled.map { $0.stored.map(\.value) } == [[.text("meddled")]])
        }
    }

    @Test func `only columns that keep every value are taken at their word`() throws {
        try PostgresServer.withDatabase { subject in
            try subject.session().execute(
                """
                CREATE DOMAIN word AS text;
                CREATE TABLE kept (id bigint PRIMARY KEY, a text, b varchar, c boolean, d float8,
                  e bytea, f uuid, g date);
                CREATE TABLE changed (id bigint PRIMARY KEY, a varchar(5), b char(3), c float4,
                  d numeric(5,1), e timestamp(0), f jsonb, g word, h interval);
                CREATE TABLE parted (id bigint PRIMARY KEY) PARTITION BY RANGE (id);
                CREATE TABLE ruled (id bigint PRIMARY KEY, a text);
                CREATE RULE lost AS ON INSERT TO ruled WHERE NEW.a = 'x' DO INSTEAD NOTHING
                """)
            try subject.attach()
            let expected: [(String, Set<Int>?)] = [
                ("kept", [0, 1, 2, 3, 4, 5, 6, 7]), ("changed", [0]), ("parted", nil),
                ("ruled", nil),
            ]
            for (name, columns) in expected {
                let table = try subject.table(name)
                let stored = try subject.postgres.perform {
                    try $0.columnsStoredAsWritten(table)
                }
                #expect(stored == columns, "\(name)")
            }
        }
    }
}
