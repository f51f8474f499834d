import MoorageCore
import MoorageHub

/// What fills a tracking table, and finds what was missed.
extension TrackingSQL {
    private var toFill: String { shape.schema.table(object("fill")) }

    /// The keys of rows that may have no tracking row, numbered in key order. A first copy reads
    /// the tracking rows by key, and so finds each page of them side by side.
    var fillListStep: String {
        let keys = zip(shape.keys, shape.keys.indices).map { "\($0.tracked("l")) AS k\($1)" }
        // With scopes, it is not worth a check which of them already have a tracking row.
        let isMissing =
            scoped == nil
            ? """
            WHERE NOT EXISTS (
              SELECT FROM \(shape.track) AS r WHERE \(shape.sameKeys("r", "l")) AND r.scope = \(scope))
            """ : ""
        return list(
            """
            SELECT * FROM (SELECT \(keys.joined(separator: ", ")) FROM \(shape.name) AS l) AS l
            \(isMissing)
            """)
    }

    var fillCount: String { "SELECT coalesce(max(n), 0)::text FROM \(toFill)" }
    var dropFillListStep: String { "DROP TABLE IF EXISTS \(toFill)" }

    /// Adds a tracking row for each row in a part of the list that has none. If a row is deleted
    /// meanwhile, the trigger's tombstone prevents the insert, or the trigger waits for it and
    /// finds it.
    func fillStep(after: Int, upTo last: Int) -> String {
        let part = "SELECT f.* FROM \(toFill) AS f WHERE f.n > \(after) AND f.n <= \(last)"
        let found =
            scoped.map { scoped in
                """
                SELECT \(shape.keyNames("d")), d.scope FROM (\(scoped.scopes(of: part))) AS d
                ORDER BY \(shape.keyNames("d"))
                """
            } ?? """
                SELECT \(shape.keyNames("f")), \(scope) FROM (\(part)) AS f
                JOIN \(shape.name) AS l ON \(shape.match("l", "f", from: .rows)) ORDER BY \(shape.keyNames("f"))
                """
        return """
            INSERT INTO \(shape.track) (\(keyNames), scope, live, version, live_since, changed_at)
            SELECT \(shape.keyNames("s")), s.scope, true, \(Self.version), \(Self.version), \(Self.now)
            FROM (\(found)) AS s (\(keyNames), scope)
            ON CONFLICT (\(keyNames), scope) DO NOTHING
            """
    }

    /// Adds tracking rows for rows that came with a partition and have none, in a table without
    /// scopes.
    var fillMissingStep: String {
        let keys = zip(shape.keys, shape.keys.indices).map { "\($0.tracked("l")) AS k\($1)" }
        return """
            INSERT INTO \(shape.track) (\(keyNames), scope, live, version, live_since, changed_at)
            SELECT \(shape.keyNames("l")), \(scope), true, \(Self.version), \(Self.version), \(Self.now)
            FROM (SELECT \(keys.joined(separator: ", ")) FROM \(shape.name) AS l) AS l
            WHERE NOT EXISTS (
              SELECT FROM \(shape.track) AS r WHERE \(shape.sameKeys("r", "l")) AND r.scope = \(scope))
            ORDER BY \(shape.keyNames("l"))
            ON CONFLICT (\(keyNames), scope) DO NOTHING
            """
    }

    /// Makes tombstones for rows that are gone, and revives rows that came back. It locks out
    /// writers only when there is something to repair.
    var repairStep: String {
        let lives =
            scoped?.isInScope(of: .tracked)
                ?? """
                (r.scope = \(scope)
                 AND EXISTS (SELECT FROM \(shape.name) AS l WHERE \(shape.match("l", "r"))))
                """
        let tables = scoped?.tables ?? [shape.name]
        return """
            DO $moorage$ BEGIN
              IF EXISTS (SELECT FROM \(shape.track) AS r WHERE r.live <> \(lives)) THEN
                LOCK TABLE \(tables.joined(separator: ", ")) IN SHARE MODE;
                UPDATE \(shape.track) AS r
                SET live = NOT r.live, version = \(Self.version), changed_at = \(Self.now),
                    live_since = \(Self.firstLiveSince("r", with: Self.version))
                WHERE r.live <> \(lives);
              END IF;
            END $moorage$
            """
    }

    /// `liveSince` of another cluster may be in this one's future.
    var restamp: String {
        """
        LOCK TABLE \(shape.name) IN SHARE MODE;
        UPDATE \(shape.track) AS r
        SET version = \(Self.version),
            live_since = least(\(Self.firstLiveSince("r", with: Self.version)), \(Self.version))
        """
    }

    /// The keys of tracking rows, numbered in key order.
    var restampListStep: String {
        list("SELECT DISTINCT \(keyNames) FROM \(shape.track)")
    }

    /// The same for the tracking rows of a part of the list. A row that comes meanwhile is new
    /// anyway.
    func restamp(after: Int, upTo last: Int) -> String {
        """
        \(restamp)
        FROM \(toFill) AS f
        WHERE f.n > \(after) AND f.n <= \(last) AND \(shape.sameKeys("r", "f"))
        """
    }

    /// A table with the rows of a query for keys, numbered in key order.
    private func list(_ query: String) -> String {
        """
        \(dropFillListStep);
        CREATE UNLOGGED TABLE \(toFill) AS
        SELECT row_number() OVER (ORDER BY \(keyNames)) AS n, l.* FROM (\(query)) AS l ORDER BY n;
        CREATE INDEX ON \(toFill) (n);
        ANALYZE \(toFill)
        """
    }
}
