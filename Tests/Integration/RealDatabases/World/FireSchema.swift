/// What the worlds sync: a tree of three tables with cascades, which everyone edits, and pairs.
/// Only the office writes pairs, both rows in one transaction. `audit` and `birth` belong to the
/// owner and are not synced. They have each value that was ever stored, and how often each row was
/// inserted.
enum FireSchema {
    static let tree = ["parent", "child", "leaf"]
    static let tables = tree + ["pair_left", "pair_right"]
    /// The columns that everyone writes.
    static let columns = ["label", "note"]
    static let parents = 12
    static let children = 36
    static let leaves = 60
    static let pairs = 6

    /// The column that refers to the table above.
    static func reference(_ table: String) -> String? {
        switch table {
        case "child": "parent_id"
        case "leaf": "child_id"
        default: nil
        }
    }

    static func above(_ table: String) -> String? {
        switch table {
        case "child": "parent"
        case "leaf": "child"
        default: nil
        }
    }

    static let tableStatements = [
        """
        CREATE TABLE parent (
          id bigint NOT NULL PRIMARY KEY, label text NOT NULL, note text NOT NULL)
        """,
        """
        CREATE TABLE child (
          id bigint NOT NULL PRIMARY KEY,
          parent_id bigint NOT NULL REFERENCES parent(id) ON DELETE CASCADE,
          label text NOT NULL, note text NOT NULL)
        """,
        """
        CREATE TABLE leaf (
          id bigint NOT NULL PRIMARY KEY,
          child_id bigint NOT NULL REFERENCES child(id) ON DELETE CASCADE,
          label text NOT NULL, note text NOT NULL)
        """,
        "CREATE INDEX child_parent ON child(parent_id)",
        "CREATE INDEX leaf_child ON leaf(child_id)",
        "CREATE TABLE pair_left (id bigint NOT NULL PRIMARY KEY, token text NOT NULL)",
        "CREATE TABLE pair_right (id bigint NOT NULL PRIMARY KEY, token text NOT NULL)",
        """
        CREATE TABLE audit (
          tbl text NOT NULL, id bigint NOT NULL, col text NOT NULL, token text NOT NULL)
        """,
        """
        CREATE TABLE birth (
          tbl varchar(20) NOT NULL, id bigint NOT NULL, n bigint NOT NULL, PRIMARY KEY (tbl, id))
        """,
    ]

    static var fillStatements: [String] {
        func rows(_ count: Int, _ row: (Int) -> String) -> String {
            (1...count).map { "(\(row($0)))" }.joined(separator: ", ")
        }
        return [
            "INSERT INTO parent VALUES "
                + rows(parents) { "\($0), 'first-p\($0)', 'first-pn\($0)'" },
            "INSERT INTO child VALUES "
                + rows(children) { "\($0), \(1 + $0 % parents), 'first-c\($0)', 'first-cn\($0)'" },
            "INSERT INTO leaf VALUES "
                + rows(leaves) { "\($0), \(1 + $0 % children), 'first-l\($0)', 'first-ln\($0)'" },
            "INSERT INTO pair_left VALUES " + rows(pairs) { "\($0), 'first'" },
            "INSERT INTO pair_right VALUES " + rows(pairs) { "\($0), 'first'" },
        ]
    }

    static let postgresTriggers: [String] =
        [
            """
            CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
              IF TG_OP = 'INSERT' THEN
                INSERT INTO public.birth AS b VALUES (TG_TABLE_NAME, NEW.id, 1)
                  ON CONFLICT (tbl, id) DO UPDATE SET n = b.n + 1;
              END IF;
              IF TG_OP = 'INSERT' OR NEW.label IS DISTINCT FROM OLD.label THEN
                INSERT INTO public.audit VALUES (TG_TABLE_NAME, NEW.id, 'label', NEW.label);
              END IF;
              IF TG_OP = 'INSERT' OR NEW.note IS DISTINCT FROM OLD.note THEN
                INSERT INTO public.audit VALUES (TG_TABLE_NAME, NEW.id, 'note', NEW.note);
              END IF;
              RETURN NULL;
            END $$
            """
        ]
        + tree.map {
            """
            CREATE TRIGGER keep AFTER INSERT OR UPDATE ON \($0)
              FOR EACH ROW EXECUTE FUNCTION keep()
            """
        }

    static let mysqlTriggers: [String] = tree.flatMap { table in
        [
            """
            CREATE TRIGGER keep_in_\(table) AFTER INSERT ON \(table) FOR EACH ROW BEGIN
              INSERT INTO birth VALUES ('\(table)', NEW.id, 1) ON DUPLICATE KEY UPDATE n = n + 1;
              INSERT INTO audit VALUES ('\(table)', NEW.id, 'label', NEW.label);
              INSERT INTO audit VALUES ('\(table)', NEW.id, 'note', NEW.note);
            END
            """,
            """
            CREATE TRIGGER keep_up_\(table) AFTER UPDATE ON \(table) FOR EACH ROW BEGIN
              IF NOT NEW.label <=> OLD.label THEN
                INSERT INTO audit VALUES ('\(table)', NEW.id, 'label', NEW.label);
              END IF;
              IF NOT NEW.note <=> OLD.note THEN
                INSERT INTO audit VALUES ('\(table)', NEW.id, 'note', NEW.note);
              END IF;
            END
            """,
        ]
    }

    static let sqliteTriggers: [String] = tree.flatMap { table in
        [
            """
            CREATE TRIGGER keep_\(table) AFTER INSERT ON \(table) BEGIN
              INSERT INTO birth VALUES ('\(table)', NEW.id, 1)
                ON CONFLICT (tbl, id) DO UPDATE SET n = n + 1;
              INSERT INTO audit VALUES ('\(table)', NEW.id, 'label', NEW.label);
              INSERT INTO audit VALUES ('\(table)', NEW.id, 'note', NEW.note);
            END
            """
        ]
            + columns.map {
                """
                CREATE TRIGGER keep_\(table)_\($0) AFTER UPDATE OF \($0) ON \(table)
                WHEN NEW.\($0) IS NOT OLD.\($0) BEGIN
                  INSERT INTO audit VALUES ('\(table)', NEW.id, '\($0)', NEW.\($0));
                END
                """
            }
    }
}
