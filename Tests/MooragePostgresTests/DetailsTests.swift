import MoorageCore
import TestSupport
import Testing

@testable import MoorageHub
@testable import MooragePostgres

/// What the catalog says of tables for tools that generate code.
@Suite(.ownThreads, .enabled(if: PostgresServer.isAvailable))
struct `Details of tables in PostgreSQL` {
    private static let schema = """
        CREATE TYPE mood AS ENUM ('sad', 'it''s fine'); CREATE DOMAIN feeling AS mood;
        CREATE TABLE item (
          id bigint PRIMARY KEY, name varchar(40) NOT NULL, price numeric(10,2), mood mood,
          feeling feeling, state text NOT NULL, code varchar(9), gone int, old char(2),
          CONSTRAINT a CHECK (price >= 0), CONSTRAINT b CHECK (state IN ('open', 'closed')),
          CONSTRAINT c CHECK (code IN ('x', 'y')), CONSTRAINT d CHECK (old IN ('p', 'q')));
        ALTER TABLE item DROP COLUMN gone;
        CREATE INDEX by_code ON item USING hash (code);
        CREATE INDEX by_name ON item (name DESC, price);
        CREATE INDEX by_price ON item (price) INCLUDE (name);
        CREATE INDEX blocks ON item USING brin (id);
        CREATE INDEX lowered ON item (id, lower(name));
        CREATE INDEX of_dear ON item (state) WHERE price > 0;
        CREATE UNIQUE INDEX one ON item (code, state);
        COMMENT ON TABLE item IS 'What we "sell"'; COMMENT ON COLUMN item.name IS 'As printed';
        CREATE TABLE other (id int PRIMARY KEY)
        """

    @Test func `are what the owner wrote`() throws {
        try PostgresServer.withDatabase { subject in
            try subject.session().execute(Self.schema)
            let found = try subject.postgres.perform { try $0.details(of: ["item", "gone"]) }
            let labels = ["sad", "it's fine"]
            #expect(
                found == [
                    CentralTableDetails(
                        name: "item", comment: "What we \"sell\"",
                        checks: [
                            "(price >= (0)::numeric)",
                            "(state = ANY (ARRAY['open'::text, 'closed'::text]))",
                            "((code)::text = ANY ((ARRAY['x'::character varying, 'y'::character varying])::text[]))",
                            "(old = ANY (ARRAY['p'::bpchar, 'q'::bpchar]))",
                        ], indexes: [["code"], ["name", "price"], ["price"]],
                        columns: [
                            CentralColumnDetails(name: "id", type: "bigint"),
                            CentralColumnDetails(
                                name: "name", type: "character varying(40)", comment: "As printed"),
                            CentralColumnDetails(name: "price", type: "numeric(10,2)"),
                            CentralColumnDetails(name: "mood", type: "mood", labels: labels),
                            CentralColumnDetails(name: "feeling", type: "feeling", labels: labels),
                            CentralColumnDetails(name: "state", type: "text"),
                            CentralColumnDetails(name: "code", type: "character varying(9)"),
                            CentralColumnDetails(name: "old", type: "character(2)"),
                        ])
                ])
            #expect(
                found.first?.checks.map { CheckLabels($0)?.labels } == [
                    nil, ["open", "closed"], ["x", "y"], ["p", "q"],
                ])
        }
    }

    @Test func `are those of the hub's own schema`() throws {
        try PostgresServer.withDatabase(schema: SchemaTests.nasty) { subject in
            let owner = try subject.session()
            try owner.execute(
                """
                CREATE TABLE public.item (id int PRIMARY KEY CHECK (id > 1));
                COMMENT ON TABLE public.item IS 'another';
                CREATE TYPE public."Mood" AS ENUM ('Sad');
                CREATE TABLE item (id int PRIMARY KEY, "Mood" public."Mood")
                """)
            let found = try subject.postgres.perform { try $0.details(of: ["item"]) }
            #expect(
                found == [
                    CentralTableDetails(
                        name: "item",
                        columns: [
                            CentralColumnDetails(name: "id", type: "integer"),
                            CentralColumnDetails(name: "Mood", type: "\"Mood\"", labels: ["Sad"]),
                        ])
                ])
        }
    }
}
