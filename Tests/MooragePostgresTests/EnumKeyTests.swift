import MoorageCore
import MoorageHub
import TestSupport
import Testing

@testable import MooragePostgres

/// Tracking rows contain labels as text, and an owner may rename them.
@Suite(.ownThreads, .enabled(if: PostgresServer.isAvailable))
struct `Enumerations in keys of PostgreSQL` {
    private static let schema = """
        CREATE TYPE lang AS ENUM ('de', 'fr');
        CREATE TABLE el (id text, l lang, v text, PRIMARY KEY (l, id));
        INSERT INTO el VALUES ('a', 'de', '1'), ('b', 'de', '2'), ('c', 'fr', '3')
        """
    private static let rename = """
        ALTER TYPE lang RENAME VALUE 'de' TO 'ger'; UPDATE el SET v = 'new' WHERE id = 'a'
        """

    @Test func `a renamed label makes no TRUNCATE of the owner's fail`() throws {
        try PostgresServer.withDatabase { subject in
            let owner = try subject.session()
            try owner.execute(Self.schema)
            try subject.attach()
            try owner.execute(Self.rename)
            try owner.execute("TRUNCATE el")
            #expect(
                try subject.tracked(subject.table("el")) == [
                    "-de,a", "-de,b", "-fr,c", "-ger,a",
                ])
        }
    }

    @Test func `an attach finds the rows under the new label`() throws {
        try PostgresServer.withDatabase { subject in
            let owner = try subject.session()
            try owner.execute(Self.schema)
            try subject.attach()
            let table = try subject.table("el")
            let checkpoint = try subject.checkpoint()
            try owner.execute(Self.rename)
            #expect(try subject.changes(table, since: checkpoint) == ["+ger,a"])
            try subject.attach()
            // The attach also gives all other rows a new version, because their label may have
            // changed (docs/decisions/0045).
            #expect(
                try Set(subject.changes(table, since: checkpoint)) == [
                    "-de,a", "-de,b", "+ger,a", "+ger,b", "+fr,c",
                ])
            #expect(
                try subject.tracked(table, .fromNothing(copiedAt: nil, within: nil)) == [
                    "+ger,a", "+ger,b", "+fr,c",
                ])
        }
    }

    @Test func `pages, comparisons and pushes go on without the rows of a renamed label`() throws {
        try PostgresServer.withDatabase { subject in
            let owner = try subject.session()
            try owner.execute(Self.schema)
            try subject.attach()
            let table = try subject.table("el")
            // The connection has read the labels. The schema's stamp tells it that there is a new
            // one.
            let stamp = try subject.postgres.perform { try $0.schemaStamp() }
            _ = try subject.snapshot { try $0.countTracked(table, in: .everything, .all) }
            try owner.execute(Self.rename)
            #expect(try subject.postgres.perform { try $0.schemaStamp() } != stamp)
            let content = try subject.snapshot {
                try $0.content(
                    table, columns: [0, 1, 2], in: .everything,
                    .fromNothing(copiedAt: nil, within: nil), after: nil, limit: 100)
            }
            #expect(content.isFound.filter(\.self).count == 2)
            let compared = try subject.snapshot {
                try $0.rows(
                    table, after: nil, limit: 100,
                    in: ComparedScopes(
                        authorized: [.everything], read: [.everything], whole: [.everything]),
                    beyond: nil)
            }
            #expect(
                Set(compared.filter { $0.values != nil }.map { $0.key.values.map(\.plain) }) == [
                    ["ger", "a"], ["fr", "c"],
                ])
            let keys = [["ger", "a"], ["fr", "c"], ["de", "b"]].map { key in
                table.description.key(key.map { .text($0) })
            }
            try subject.write { connection in
                let rows = try connection.lockRows(table, keys: keys)
                #expect(rows.mapValues { $0.values?[2] }[keys[0]] == .text("new"))
                #expect(rows[keys[2]]?.values == nil)
                try connection.update(
                    table, columns: [2], rows: [KeyedValues(key: keys[0], values: [.text("p")])])
                try connection.delete(table, keys: [keys[1]])
            }
            #expect(
                try owner.rows("SELECT id, v FROM el ORDER BY id") == [["a", "p"], ["b", "2"]])
        }
    }

    @Test func `a label that is added is known to a hub that runs`() throws {
        try PostgresServer.withDatabase { subject in
            let owner = try subject.session()
            try owner.execute(Self.schema)
            try subject.attach()
            let table = try subject.table("el")
            let stamp = try subject.postgres.perform { try $0.schemaStamp() }
            try owner.execute("ALTER TYPE lang ADD VALUE 'it'")
            #expect(try subject.postgres.perform { try $0.schemaStamp() } != stamp)
            try subject.write {
                try $0.insert(
                    table, columns: [0, 1, 2], rows: [[.text("d"), .text("it"), .text("4")]])
            }
            #expect(
                try subject.tracked(table).contains("+it,d"))
            // No statement may name a label in the transaction that adds it. Other statements go
            // on.
            try owner.execute(
                "BEGIN; ALTER TYPE lang ADD VALUE 'es'; UPDATE el SET v = v; TRUNCATE el; COMMIT")
            #expect(try subject.tracked(table, .fromNothing(copiedAt: nil, within: nil)) == [])
        }
    }

    @Test
    func `a column of another type, or a type of another name, is not tracked, and nothing fails`()
        throws
    {
        for sql in [
            "ALTER TABLE el ALTER l TYPE text", "ALTER TYPE lang RENAME TO tongue",
            "ALTER TABLE el ALTER l TYPE named",
        ] {
            try PostgresServer.withDatabase { subject in
                let owner = try subject.session()
                try owner.execute("\(Self.schema); CREATE DOMAIN named AS lang")
                try subject.attach()
                try owner.execute(sql)
                try owner.execute(
                    "UPDATE el SET v = 'x'; DELETE FROM el WHERE id = 'a'; TRUNCATE el")
                try subject.attach()
                let table = try subject.table("el")
                #expect(try subject.tracked(table, .fromNothing(copiedAt: nil, within: nil)) == [])
            }
        }
    }

    @Test func `a renamed label stops neither scopes nor notes`() throws {
        try PostgresServer.withDatabase { subject in
            let owner = try subject.session()
            try owner.execute(
                """
                CREATE TYPE lang AS ENUM ('de', 'fr');
                CREATE TABLE el (id text, l lang, team text, PRIMARY KEY (l, id));
                CREATE TABLE seat (id int PRIMARY KEY, l lang, el text, person text,
                  FOREIGN KEY (l, el) REFERENCES el);
                INSERT INTO el VALUES ('a', 'de', 't'), ('b', 'de', 't'), ('c', 'fr', 't');
                INSERT INTO seat VALUES (1, 'de', 'b', 'p')
                """)
            let scopes = ScopeSettings(rules: [
                "el": [
                    ScopeRule(.column(kind: "team", "team")),
                    ScopeRule(.members(of: "seat", kind: "person", "person")),
                ]
            ])
            try subject.attach(["el"], scopes: scopes)
            try owner.execute(
                "BEGIN ISOLATION LEVEL SERIALIZABLE; UPDATE el SET team = 'u' WHERE id = 'a'; COMMIT"
            )
            try owner.execute("ALTER TYPE lang RENAME VALUE 'de' TO 'ger'")
            try subject.postgres.perform { try $0.resolveMoves() }
            try owner.execute("TRUNCATE seat; UPDATE el SET team = 'w' WHERE id = 'c'")
            try subject.attach(["el"], scopes: scopes)
            let live = try owner.rows(
                "SELECT k0, k1, scope FROM moorage_track_1_el WHERE live ORDER BY k1, scope")
            #expect(
                live == [["ger", "a", "team/u"], ["ger", "b", "team/t"], ["fr", "c", "team/w"]])
        }
    }

    @Test func `rows are found by the owner's primary key`() throws {
        try PostgresServer.withDatabase { subject in
            let owner = try subject.session()
            try owner.execute(
                """
                \(Self.schema); INSERT INTO el SELECT 'n' || n, 'fr', 'v' FROM generate_series(1, 20000) AS n;
                ANALYZE el
                """)
            try subject.attach()
            try owner.execute("ANALYZE el")
            let table = try subject.table("el")
            let key = table.description.key([.text("fr"), .text("n77")])
            try subject.write { connection in
                let before = try connection.run(
                    "SELECT pg_stat_get_xact_numscans('el'::regclass)", [])
                _ = try connection.lockRows(table, keys: [key])
                try connection.update(
                    table, columns: [2], rows: [KeyedValues(key: key, values: [.text("w")])])
                _ = try connection.rows(table, keys: [key], in: [.everything])
                #expect(
                    try connection.run("SELECT pg_stat_get_xact_numscans('el'::regclass)", [])
                        == before)
            }
            try subject.snapshot { connection in
                let before = try connection.run(
                    "SELECT pg_stat_get_xact_numscans('el'::regclass)", [])
                _ = try connection.content(
                    table, columns: [0, 2], in: .everything,
                    .fromNothing(copiedAt: nil, within: nil), after: nil, limit: 100)
                #expect(
                    try connection.run("SELECT pg_stat_get_xact_numscans('el'::regclass)", [])
                        == before)
            }
        }
    }
}
