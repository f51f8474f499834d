/// What owners put around their tables.
extension NastySchemas {
    /// Views, procedures, sequences, types and comments, beside tables that cannot sync.
    static let ownersThings = NastySchema(
        name: "views, routines and tables that stay",
        tables: [
            NastyTable(
                name: "customer",
                columns: [
                    NastyColumn(name: "id", type: .integer), NastyColumn(name: "name", type: .text),
                    NastyColumn(name: "balance", type: .decimal),
                ], key: ["id"]),
            NastyTable(
                name: "invoice",
                columns: [
                    NastyColumn(name: "id", type: .bigint),
                    NastyColumn(name: "customer", type: .integer),
                    NastyColumn(name: "due", type: .date),
                ], key: ["id"],
                references: [
                    NastyReference(columns: ["customer"], table: "customer", keys: ["id"])
                ]),
        ],
        after: { kind in common + own(kind) },
        passedOver: { kind in
            ["big customer", "no_key"]
                + {
                    switch kind {
                    case .sqlite: ["notes", "untyped"]
                    case .postgres: ["crowd", "kept", "part_of", "unlogged_notes"]
                    case .mariadb: ["keyed_by_text", "memory_notes", "places", "numbers"]
                    }
                }()
        })

    private static let common = [
        """
        CREATE VIEW "big customer" AS
        SELECT c.id, c.name, count(*) AS invoices FROM customer AS c
        JOIN invoice AS i ON i.customer = c.id GROUP BY c.id, c.name
        """,
        "CREATE TABLE no_key (v INTEGER)",
        "INSERT INTO no_key VALUES (1)",
    ]

    private static func own(_ kind: CentreKind) -> [String] {
        switch kind {
        case .sqlite: sqlite
        case .postgres: postgres
        case .mariadb: mariadb
        }
    }

    private static let sqlite = [
        "CREATE VIRTUAL TABLE notes USING fts5(title, body)",
        "INSERT INTO notes VALUES ('a', 'b')",
        "CREATE TABLE untyped (id INTEGER PRIMARY KEY, v)",
        """
        CREATE TRIGGER into_view INSTEAD OF INSERT ON "big customer" BEGIN
          INSERT INTO customer (id, name) VALUES (NEW.id, NEW.name);
        END
        """,
        "PRAGMA user_version = 77",
        "PRAGMA application_id = 1234",
        "ANALYZE",
    ]

    private static let postgres = [
        "CREATE SEQUENCE counter START 100 INCREMENT 7",
        "CREATE TYPE address AS (street text, city text)",
        "CREATE DOMAIN positive AS integer CHECK (VALUE > 0)",
        """
        CREATE FUNCTION total(who integer) RETURNS bigint LANGUAGE sql STABLE
        AS $f$ SELECT count(*) FROM invoice WHERE customer = who $f$
        """,
        "CREATE PROCEDURE tidy() LANGUAGE plpgsql AS $$ BEGIN DELETE FROM no_key; END $$",
        "COMMENT ON TABLE customer IS 'they''re \"ours\"; all of them'",
        "COMMENT ON FUNCTION total(integer) IS 'how many'",
        "CREATE MATERIALIZED VIEW kept AS SELECT id FROM customer",
        "CREATE TABLE crowd (id integer PRIMARY KEY)",
        "CREATE TABLE part_of () INHERITS (crowd)",
        "CREATE UNLOGGED TABLE unlogged_notes (id integer PRIMARY KEY)",
        "CREATE RULE quiet AS ON DELETE TO no_key DO INSTEAD NOTHING",
        "ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO PUBLIC",
        "ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC",
        "REVOKE ALL ON SCHEMA public FROM PUBLIC",
        "GRANT USAGE ON SCHEMA public TO PUBLIC",
        "CREATE PUBLICATION everything FOR ALL TABLES",
    ]

    private static let mariadb = [
        "CREATE SEQUENCE numbers START WITH 100 INCREMENT BY 7",
        "CREATE TABLE keyed_by_text (k LONGTEXT NOT NULL, v INTEGER, PRIMARY KEY (k(20)))",
        "CREATE TABLE memory_notes (id INTEGER PRIMARY KEY) ENGINE = MEMORY",
        "CREATE TABLE places (id INTEGER PRIMARY KEY, p POINT)",
        """
        CREATE FUNCTION total(who INTEGER) RETURNS BIGINT READS SQL DATA
        RETURN (SELECT count(*) FROM invoice WHERE customer = who)
        """,
        "CREATE PROCEDURE tidy() BEGIN DELETE FROM no_key; END",
        "CREATE EVENT nightly ON SCHEDULE EVERY 1 DAY DISABLE DO DELETE FROM no_key",
        "ALTER TABLE customer COMMENT 'they''re \"ours\"; all of them'",
    ]

    /// The owner's triggers, which write other synced tables and the row itself.
    static let busyTriggers = NastySchema(
        name: "triggers that write synced tables",
        tables: [
            NastyTable(
                name: "stock",
                columns: [
                    NastyColumn(name: "id", type: .integer), NastyColumn(name: "name", type: .text),
                    NastyColumn(
                        name: "amount", type: .integer, isNullable: false, more: "DEFAULT 0"),
                    NastyColumn(
                        name: "changes", type: .integer, isNullable: false, more: "DEFAULT 0"),
                ], key: ["id"]),
            NastyTable(
                name: "journal",
                columns: [
                    NastyColumn(name: "id", type: .uuid),
                    NastyColumn(name: "stock", type: .integer),
                    NastyColumn(name: "words", type: .text),
                ], key: ["id"]),
            NastyTable(
                name: "summary",
                columns: [
                    NastyColumn(name: "id", type: .integer),
                    NastyColumn(name: "total", type: .bigint),
                ], key: ["id"]),
        ],
        after: { kind in
            ["INSERT INTO summary (id, total) VALUES (900, 0)"] + triggers(kind)
        },
        atA: ["UPDATE stock SET amount = amount + 5 WHERE id = 77"],
        atCentre: ["UPDATE stock SET amount = amount + 7 WHERE id = 70"],
        growing: ["journal", "summary"])

    private static func triggers(_ kind: CentreKind) -> [String] {
        switch kind {
        case .sqlite:
            let id = """
                lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2)
                || '-8' || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))
                """
            return ["INSERT", "UPDATE", "DELETE"].map { event in
                let row = event == "DELETE" ? "OLD" : "NEW"
                return """
                    CREATE TRIGGER stock_\(event) AFTER \(event) ON stock BEGIN
                      INSERT INTO journal (id, stock, words) VALUES (\(id), \(row).id, '\(event)');
                      UPDATE summary SET total = (SELECT sum(amount) FROM stock) WHERE id = 900;
                    END
                    """
            } + [
                """
                CREATE TRIGGER stock_changed AFTER UPDATE OF name, amount ON stock BEGIN
                  UPDATE stock SET changes = changes + 1 WHERE id = NEW.id;
                END
                """
            ]
        case .postgres:
            return [
                """
                CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                  INSERT INTO journal (id, stock, words)
                  VALUES (gen_random_uuid(), CASE TG_OP WHEN 'DELETE' THEN OLD.id ELSE NEW.id END, TG_OP);
                  UPDATE summary SET total = (SELECT sum(amount) FROM stock) WHERE id = 900;
                  RETURN NULL;
                END $$
                """,
                """
                CREATE FUNCTION bump() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                  NEW.changes := NEW.changes + 1; RETURN NEW;
                END $$
                """,
                "CREATE TRIGGER stock_note AFTER INSERT OR UPDATE OR DELETE ON stock FOR EACH ROW EXECUTE FUNCTION note()",
                "CREATE TRIGGER \"A first\" BEFORE UPDATE ON stock FOR EACH ROW EXECUTE FUNCTION bump()",
            ]
        case .mariadb:
            return ["INSERT", "UPDATE", "DELETE"].map { event in
                let row = event == "DELETE" ? "OLD" : "NEW"
                return """
                    CREATE TRIGGER stock_\(event) AFTER \(event) ON stock FOR EACH ROW BEGIN
                      INSERT INTO journal (id, stock, words) VALUES (uuid(), \(row).id, '\(event)');
                      UPDATE summary SET total = (SELECT sum(amount) FROM stock) WHERE id = 900;
                    END
                    """
            } + [
                """
                CREATE TRIGGER stock_changed BEFORE UPDATE ON stock FOR EACH ROW
                SET NEW.changes = NEW.changes + 1
                """
            ]
        }
    }
}
