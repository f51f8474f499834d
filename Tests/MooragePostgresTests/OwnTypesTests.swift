import MoorageCore
import MoorageHub
import TestSupport
import Testing

@testable import MooragePostgres

/// Types that other databases do not have travel as PostgreSQL's own text.
@Suite(.ownThreads, .enabled(if: PostgresServer.isAvailable)) struct `PostgreSQL's own types` {
    struct Sample: Sendable {
        let type: String
        /// What is written, and what the column then contains.
        let values: [(String, String)]
        /// A text that is no value of the type.
        let wrong: String?

        init(_ type: String, _ values: [(String, String)], wrong: String?) {
            (self.type, self.values, self.wrong) = (type, values, wrong)
        }
    }

    static let types = """
        CREATE EXTENSION citext; CREATE EXTENSION hstore;
        CREATE TYPE pair AS (a int, "B c" text); CREATE TYPE "Mood" AS ENUM ('Sad', 'so "so"');
        CREATE DOMAIN odd AS int CHECK (VALUE % 2 = 1); CREATE DOMAIN given AS text NOT NULL DEFAULT 'none';
        CREATE DOMAIN grid AS int[] CHECK (cardinality(VALUE) < 4)
        """

    static let samples = [
        Sample(
            "int[]", [("{1, NULL,3}", "{1,NULL,3}"), ("[0:1]={5,6}", "[0:1]={5,6}"), ("{}", "{}")],
            wrong: "{1"),
        Sample(
            "text[]", [(#"{"a,b","\"q\"",NULL,"NULL",""}"#, #"{"a,b","\"q\"",NULL,"NULL",""}"#)],
            wrong: "{broken"),
        Sample("int[][]", [("{{1,2},{3,4}}", "{{1,2},{3,4}}")], wrong: "{{1},{2,3}}"),
        Sample(#""Mood"[]"#, [(#"{"so \"so\"",Sad}"#, #"{"so \"so\"",Sad}"#)], wrong: "{sad}"),
        Sample(
            "int4range", [("[1,3]", "[1,4)"), ("empty", "empty"), ("(,5)", "(,5)")], wrong: "[3,1]"),
        Sample("int8multirange", [("{[1,3],[3,9]}", "{[1,10)}")], wrong: "[1,2]"),
        Sample("numrange", [("[1.50,2]", "[1.50,2]")], wrong: "[a,b]"),
        Sample(
            "daterange", [("[2024-01-01,2024-01-31]", "[2024-01-01,2024-02-01)")],
            wrong: "[2024-02-30,)"),
        Sample(
            "tstzrange", [("[2024-01-01 00:00:00+01,)", "[\"2023-12-31 23:00:00+00\",)")],
            wrong: "x"),
        Sample("odd", [], wrong: nil), Sample("grid", [("{1,2}", "{1,2}")], wrong: "{1,2,3,4}"),
        Sample("citext", [("Abc", "Abc"), ("aBC", "aBC")], wrong: nil),
        Sample("hstore", [("b=>1,a=>NULL", #""a"=>NULL, "b"=>"1""#)], wrong: "a=>"),
        Sample("inet", [("10.0.0.1/8", "10.0.0.1/8"), ("::1", "::1/128")], wrong: "10.0.0.300"),
        Sample("cidr", [("10.0.0.0/8", "10.0.0.0/8")], wrong: "10.0.0.1/8"),
        Sample("macaddr", [("08-00-2B-01-02-03", "08:00:2b:01:02:03")], wrong: "08:00"),
        Sample(
            "interval", [("1 day 25:00", "1 day 25:00:00"), ("-3 mons", "-3 mons")],
            wrong: "one day"),
        Sample("tsvector", [("'b':2 'a':1A", "'a':1A 'b':2")], wrong: "'a"),
        Sample("tsquery", [("a&!b", "'a' & !'b'")], wrong: "a &"),
        Sample("bit(3)", [("101", "101")], wrong: "10"),
        Sample("varbit(4)", [("1", "1")], wrong: "12"),
        Sample("xml", [("<a b='1'/>", "<a b='1'/>"), ("text", "text")], wrong: "<a>"),
        Sample("pg_lsn", [("16/b374D848", "16/B374D848")], wrong: "16"),
        Sample("\"char\"", [("x", "x")], wrong: "xy"),
        Sample("name", [("Ab c", "Ab c")], wrong: String(repeating: "n", count: 64)),
        Sample("money", [("12.50", "12.50")], wrong: "1e30"),
        Sample("pair", [("(1,\"x, y\")", "(1,\"x, y\")"), ("(,)", "(,)")], wrong: "(1)"),
        Sample("point", [("(1,2)", "(1,2)")], wrong: "1"),
        Sample("jsonpath", [("$.a", "$.\"a\"")], wrong: "$."),
        Sample("regclass", [("pg_class", "pg_class")], wrong: "no_such_table"),
        Sample("\"Mood\"", [("so \"so\"", "so \"so\"")], wrong: "sad"),
        Sample("timetz", [("10:00+02", "10:00:00+02")], wrong: "25:00"),
    ]

    @Test(arguments: samples)
    func `come back as the server keeps them, or are refused by name`(sample: Sample) throws {
        try PostgresServer.withDatabase { subject in
            let owner = try subject.session()
            try owner.execute(
                "\(Self.types); CREATE TABLE t (id int PRIMARY KEY, \"the Value\" \(sample.type))")
            try subject.attach()
            let table = try subject.table("t")
            for (number, (written, kept)) in sample.values.enumerated() {
                let key = table.description.key([.integer(Int64(number))])
                try subject.write {
                    try $0.insert(
                        table, columns: [0, 1], rows: [[.integer(Int64(number)), .text(written)]])
                }
                func stored() throws -> Value? {
                    try subject.snapshot { try $0.rows(table, keys: [key], in: [.everything]) }
                        .first?[1]
                }
                #expect(try stored() == .text(kept))
                // The database stores its own text again unchanged.
                try subject.write {
                    try $0.update(
                        table, columns: [1], rows: [KeyedValues(key: key, values: [.text(kept)])])
                }
                #expect(try stored() == .text(kept))
                if written != kept {
                    #expect(
                        try subject.snapshot { try $0.columnsStoredAsWritten(table) }?.contains(1)
                            == false)
                }
            }
            guard let wrong = sample.wrong else { return }
            try subject.write { connection in
                try connection.savepoint()
                let refusal = try refusal {
                    try connection.insert(
                        table, columns: [0, 1], rows: [[.integer(99), .text(wrong)]])
                }
                #expect([.type, .check].contains(refusal.code), "\(refusal.message)")
                let names = sample.type == "grid" ? "domain grid" : "the Value"
                #expect(refusal.message.contains(names), "\(refusal.message)")
                #expect(!refusal.message.contains(wrong), "\(refusal.message)")
                try connection.rollbackToSavepoint()
                _ = try connection.run("SELECT 1", [])
            }
        }
    }

    @Test func `a domain that says no is named`() throws {
        try PostgresServer.withDatabase { subject in
            let owner = try subject.session()
            try owner.execute(
                "\(Self.types); CREATE TABLE t (id int PRIMARY KEY, o odd, g given)")
            try subject.attach()
            let table = try subject.table("t")
            #expect(table.description.columns.map(\.isNullable) == [false, true, false])
            for (column, value, words) in [
                (1, Value.integer(2), "odd"), (2, .null, "given"), (1, .text("x"), "column o"),
            ] {
                try subject.write { connection in
                    try connection.savepoint()
                    let refusal = try refusal {
                        try connection.insert(
                            table, columns: [0, column], rows: [[.integer(1), value]])
                    }
                    #expect(refusal.message.contains(words), "\(refusal.message)")
                    try connection.rollbackToSavepoint()
                }
            }
        }
    }

    @Test func `the numbers of objects are numbers`() throws {
        try PostgresServer.withDatabase { subject in
            try subject.session().execute("CREATE TABLE t (id int PRIMARY KEY, o oid)")
            try subject.attach()
            let table = try subject.table("t")
            let key = table.description.key([.integer(1)])
            try subject.write {
                try $0.insert(
                    table, columns: [0, 1], rows: [[.integer(1), .integer(4_294_967_295)]])
            }
            let row = try subject.snapshot { try $0.rows(table, keys: [key], in: [.everything]) }
            #expect(row.first?[1] == .integer(4_294_967_295))
            let refusal = try refusal {
                try subject.write {
                    try $0.update(
                        table, columns: [1], rows: [KeyedValues(key: key, values: [.integer(-1)])])
                }
            }
            #expect(refusal.message.contains("column o"))
        }
    }

    @Test func `a citext key is one row, whose change of case is a change of key`() throws {
        try PostgresServer.withDatabase { subject in
            let owner = try subject.session()
            try owner.execute(
                """
                CREATE EXTENSION citext; CREATE TABLE item (id citext PRIMARY KEY, a int);
                INSERT INTO item VALUES ('abc', 1)
                """)
            try subject.attach()
            let table = try subject.table("item")
            let checkpoint = try subject.checkpoint()
            #expect(
                try refusal {
                    try subject.write {
                        try $0.insert(table, columns: [0, 1], rows: [[.text("ABC"), .integer(2)]])
                    }
                }.code == .unique)
            try owner.execute(
                "INSERT INTO item VALUES ('ABC', 3) ON CONFLICT (id) DO UPDATE SET a = 3")
            #expect(try subject.changes(table, since: checkpoint) == ["+abc"])
            try owner.execute("UPDATE item SET id = 'Abc'")
            #expect(try subject.changes(table, since: checkpoint) == ["-abc", "+Abc"])
            let keys = ["abc", "Abc"].map { table.description.key([.text($0)]) }
            try subject.write { connection in
                let rows = try connection.lockRows(table, keys: keys)
                #expect(rows[keys[0]]?.values == nil)
                #expect(rows[keys[1]]?.values?[1] == .integer(3))
                // A device that does not know of the change deletes nothing.
                try connection.delete(table, keys: [keys[0]])
            }
            #expect(try owner.cell("SELECT count(*) FROM item") == "1")
            try subject.attach()
            #expect(
                try subject.tracked(table, .fromNothing(copiedAt: nil, within: nil)) == ["+Abc"])
        }
    }

    @Test func `generated columns come down and never go up`() throws {
        try PostgresServer.withDatabase { subject in
            let owner = try subject.session()
            try owner.execute(
                """
                CREATE TABLE item (id int GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, title text, n serial,
                  words tsvector GENERATED ALWAYS AS (to_tsvector('english', title)) STORED,
                  span int4range GENERATED ALWAYS AS (int4range(id, id, '[]')) STORED)
                """)
            try subject.attach()
            let table = try subject.table("item")
            #expect(
                table.description.columns.map(\.isGenerated) == [false, false, false, true, true])
            let key = table.description.key([.integer(5)])
            try subject.write {
                try $0.insert(
                    table, columns: [0, 1], rows: [[.integer(5), .text("Cats and dogs")]])
            }
            let row = try subject.snapshot { try $0.rows(table, keys: [key], in: [.everything]) }
                .first
            #expect(row?.dropFirst(2) == [.integer(1), .text("'cat':1 'dog':3"), .text("[5,6)")])
            let refusal = try refusal {
                try subject.write {
                    try $0.update(
                        table, columns: [3], rows: [KeyedValues(key: key, values: [.text("'x'")])])
                }
            }
            #expect(refusal.message.contains("generated"))
        }
    }
}

extension `PostgreSQL's own types`.Sample: CustomTestStringConvertible {
    var testDescription: String { type }
}
