import MoorageCore
import MoorageHub

/// The tracking table of one table and the triggers that keep it, in the transaction of every
/// change (docs/design.md, 5.1).
///
/// The functions run with their owner's rights, so that a role without rights on Moorage's objects
/// goes on writing; they name key columns only, so that the owner can drop any other column.
struct TrackingSQL {
    private let shape: TableShape

    init(_ shape: TableShape) { self.shape = shape }

    // MARK: Moorage's own tables

    static let metadataSteps = MetadataTable.all.map { table in
        let columns = table.columns.map { column in
            switch column.kind {
            case .name: "\(column.name) text COLLATE \"C\" NOT NULL"
            case .text: "\(column.name) text"
            case .integer: "\(column.name) bigint"
            }
        }
        return """
            CREATE TABLE IF NOT EXISTS public.\(table.name) (
              \(columns.joined(separator: ",\n  ")),
              PRIMARY KEY (\(table.primaryKey.joined(separator: ", ")))
            )
            """
    }

    static let detachMetadataSteps = MetadataTable.all.map {
        "DROP TABLE IF EXISTS public.\($0.name)"
    }

    // MARK: One table

    private static let kinds = ["insert", "update", "delete", "truncate", "row"]

    static func dropSteps(_ table: AttachedTable) -> [String] {
        // The functions go with the triggers that use them, the table may be gone already.
        kinds.map { "DROP FUNCTION IF EXISTS public.\(table.objectName($0))() CASCADE" }
            + ["DROP TABLE IF EXISTS public.\(table.objectName("track"))"]
    }

    var dropSteps: [String] { Self.dropSteps(shape.table) }

    var attachSteps: [String] { tableSteps + functionSteps + triggerSteps + fillSteps }

    private var keys: String { shape.trackKeys.joined(separator: ", ") }
    private var scope: String { SQLText.literal(Scope.everything.name) }
    private let current = "pg_current_xact_id()"

    private var tableSteps: [String] {
        let columns = shape.keyColumns.enumerated().map { "k\($0) \(shape.trackType($1)) NOT NULL" }
        return [
            """
            CREATE TABLE IF NOT EXISTS \(shape.track) (
              \(columns.joined(separator: ", ")),
              scope text COLLATE "C" NOT NULL,
              live boolean NOT NULL,
              version xid8 NOT NULL,  -- the writing transaction
              entered xid8 NOT NULL,  -- the one in which the row first became live here
              changed_at bigint NOT NULL,
              PRIMARY KEY (\(keys), scope)
            )
            """,
            """
            CREATE INDEX IF NOT EXISTS \(shape.table.objectName("version"))
            ON \(shape.track) (scope, version, \(keys))
            """,
        ]
    }

    // MARK: Functions

    private func trackedKeys(_ row: String) -> [String] {
        shape.keyColumns.map { shape.tracked(row, $0) }
    }

    /// Rows that are live, from a set of the owner's rows called `n`.
    private func enter(from rows: String) -> String {
        """
        INSERT INTO \(shape.track) AS x (\(keys), scope, live, version, entered, changed_at)
          SELECT DISTINCT \(trackedKeys("n").joined(separator: ", ")), \(scope), true,
            \(current), \(current), \(PostgresConnection.nowSQL)
          FROM \(rows)
          ON CONFLICT (\(keys), scope) DO UPDATE
          SET live = true, version = excluded.version, changed_at = excluded.changed_at;
        """
    }

    /// Rows that are gone, from a set of keys called `g`.
    private func leave(from keys: String) -> String {
        """
        UPDATE \(shape.track) x
          SET live = false, version = \(current), changed_at = \(PostgresConnection.nowSQL)
          FROM (\(keys)) g
          WHERE \(shape.trackKeys.map { "x.\($0) = g.\($0)" }.joined(separator: " AND ")) AND x.live;
        """
    }

    private func keySet(_ row: String, _ rows: String) -> String {
        let list = zip(trackedKeys(row), shape.trackKeys).map { "\($0) AS \($1)" }
        return "SELECT \(list.joined(separator: ", ")) FROM \(rows)"
    }

    private func function(_ kind: String, _ body: String) -> String {
        """
        CREATE OR REPLACE FUNCTION public.\(shape.table.objectName(kind))() RETURNS trigger
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $moorage$
        BEGIN
          \(body)
          RETURN NULL;
        END $moorage$
        """
    }

    private var functionSteps: [String] {
        let same = shape.keyColumns.map { "\(shape.tracked("o", $0)) = \(shape.tracked("n", $0))" }
        let truncate = """
            UPDATE \(shape.track)
              SET live = false, version = \(current), changed_at = \(PostgresConnection.nowSQL)
              WHERE live;
            """
        if shape.isPartitioned {
            return [function("row", rowBody(same)), function("truncate", truncate)]
        }
        // Rows are compared as they are stored: a row that an update did not change is left alone.
        let changed = """
            new_rows n WHERE NOT EXISTS (
              SELECT 1 FROM old_rows o WHERE \(same.joined(separator: " AND ")) AND o *= n)
            """
        return [
            function("insert", enter(from: "new_rows n")),
            function(
                "update",
                leave(from: keySet("o", "old_rows o") + " EXCEPT " + keySet("n", "new_rows n"))
                    + "\n  "
                    + enter(from: changed)),
            function("delete", leave(from: keySet("o", "old_rows o"))),
            function("truncate", truncate),
        ]
    }

    /// Statement triggers miss what is written straight into a partition.
    private func rowBody(_ same: [String]) -> String {
        """
        IF TG_OP <> 'INSERT' THEN
            IF TG_OP = 'UPDATE' THEN
              IF OLD *= NEW THEN RETURN NULL; END IF;
            END IF;
            IF TG_OP = 'DELETE' OR NOT (SELECT \(same.joined(separator: " AND ")) FROM (SELECT OLD.*) o, (SELECT NEW.*) n) THEN
              \(leave(from: keySet("o", "(SELECT OLD.*) o")))
            END IF;
          END IF;
          IF TG_OP <> 'DELETE' THEN
            \(enter(from: "(SELECT NEW.*) n"))
          END IF;
        """
    }

    // MARK: Triggers

    private var triggerSteps: [String] {
        var triggers = [("truncate", "AFTER TRUNCATE", "", "STATEMENT")]
        if shape.isPartitioned {
            triggers.append(("row", "AFTER INSERT OR UPDATE OR DELETE", "", "ROW"))
        } else {
            triggers += [
                ("insert", "AFTER INSERT", "REFERENCING NEW TABLE AS new_rows ", "STATEMENT"),
                (
                    "update", "AFTER UPDATE",
                    "REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows ",
                    "STATEMENT"
                ),
                ("delete", "AFTER DELETE", "REFERENCING OLD TABLE AS old_rows ", "STATEMENT"),
            ]
        }
        return Self.kinds.map { kind in
            "DROP TRIGGER IF EXISTS \(shape.table.objectName(kind)) ON \(shape.name)"
        }
            + triggers.map { kind, event, tables, level in
                let name = shape.table.objectName(kind)
                return """
                    CREATE TRIGGER \(name) \(event) ON \(shape.name)
                    \(tables)FOR EACH \(level) EXECUTE FUNCTION public.\(name)()
                    """
            }
    }

    /// Creating a trigger has locked out writers until the end of this transaction: what is there
    /// is all there is.
    private var fillSteps: [String] {
        [
            """
            INSERT INTO \(shape.track) AS x (\(keys), scope, live, version, entered, changed_at)
            SELECT \(trackedKeys("n").joined(separator: ", ")), \(scope), true, \(current), \(current),
              \(PostgresConnection.nowSQL)
            FROM \(shape.name) n
            ON CONFLICT (\(keys), scope) DO UPDATE
            SET live = true, version = excluded.version, changed_at = excluded.changed_at WHERE NOT x.live
            """,
            """
            UPDATE \(shape.track) x
            SET live = false, version = \(current), changed_at = \(PostgresConnection.nowSQL)
            WHERE x.live AND NOT EXISTS (SELECT 1 FROM \(shape.name) n WHERE \(shape.matchOwn("x", "n")))
            """,
        ]
    }
}
