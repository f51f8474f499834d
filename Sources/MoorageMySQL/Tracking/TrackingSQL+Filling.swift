import MoorageCore
import MoorageHub

/// What fills a tracking table, finds what was missed, and derives scopes.
extension TrackingSQL {
    // MARK: Filling

    /// Whether the row of a tracking row `r` is in its scope.
    var lives: String {
        paths.isEmpty
            ? """
            (r.scope = '\(Scope.everything.name)'
              AND EXISTS (SELECT 1 FROM \(shape.name) AS l WHERE \(shape.match("l", "r"))))
            """
            : "(\(paths.map(isInScope).joined(separator: " OR ")))"
    }

    /// A query that finds something where rows disappeared without a trigger, as TRUNCATE removes
    /// them (docs/decisions/0037). It takes the live tracking row that has not changed for the
    /// longest time. Rows were lost if its row does not exist and no queue explains that. Rows that
    /// came again since then have newer tracking rows.
    var lossQuery: String {
        let explained =
            [
                """
                EXISTS (SELECT 1 FROM \(shape.queue) AS q WHERE \(shape.sameKeys("q", "r")))
                """
            ] + ancestors.indices.map { "EXISTS (SELECT 1 FROM \(ancestorQueue($0)))" }
        return """
            SELECT 1 FROM (
              SELECT \(shape.keyList()), scope FROM \(shape.track) FORCE INDEX (gone)
              WHERE live = 1 ORDER BY version LIMIT 1) AS r
            WHERE NOT \(lives) AND NOT (\(explained.joined(separator: " OR ")))
            """
    }

    /// Puts every row into the queue that its tracking rows contradict.
    var repairSteps: [String] {
        [
            """
            INSERT INTO \(shape.queue) (id, \(shape.keyList()), changed_at)
            SELECT UUID_SHORT(), r.*, \(Self.now) FROM (
              SELECT DISTINCT \(shape.keyList("r")) FROM \(shape.track) AS r WHERE r.live <> \(lives)) AS r
            """
        ]
    }

    private func isInScope(_ path: ScopeSQL) -> String {
        """
        EXISTS (SELECT 1 FROM \(path.joined)
          WHERE \(shape.match("l0", "r")) AND \(path.condition)
            AND CAST(\(path.scope) AS BINARY) = r.scope)
        """
    }

    /// Makes every replica read every row again.
    var restamp: String {
        """
        INSERT INTO \(shape.queue) (id, \(shape.keyList()), changed_at)
        SELECT UUID_SHORT(), r.* FROM (
          SELECT \(shape.keyList("r")), max(r.changed_at) FROM \(shape.track) AS r
          GROUP BY \(shape.keyList("r"))) AS r
        """
    }

    /// A table that exists while rows may have changed without a trigger and have not all been read
    /// again.
    var missedName: String { table.objectName("missed") }

    var createMissed: String {
        """
        CREATE TABLE IF NOT EXISTS \(SQLText.name(missedName)) (id TINYINT NOT NULL PRIMARY KEY) \(Self.engine)
        """
    }

    var dropMissed: String { "DROP TABLE IF EXISTS \(SQLText.name(missedName))" }

    // MARK: Deriving

    /// The scopes of rows, by the keys of `c`: a query for keys and scopes.
    ///
    /// - Parameter outputs: What to select of `c`.
    func scopes(of source: String, _ outputs: String) -> [String] {
        paths.map { path in
            """
            SELECT DISTINCT \(outputs), CAST(\(path.scope) AS BINARY) AS scope
            FROM \(source) STRAIGHT_JOIN \(path.table(0)) AS l0 ON \(shape.match("l0", "c"))\(path.above)
            WHERE \(path.condition)
            """
        }
    }

    /// The keys of rows below those that the queue `u` of a scope ancestor names.
    func below(_ place: Int, _ outputs: String, where condition: String) -> String {
        let ancestor = ancestors[place]
        let level = "l\(ancestor.top)"
        let hangs = zip(ancestor.met, ancestor.columns.indices).map {
            "\(level).\(SQLText.name($0)) = u.c\($1)"
        }.joined(separator: " AND ")
        return """
            SELECT DISTINCT \(outputs) FROM \(ancestorQueue(place)) AS u
            JOIN (\(ancestor.path.below(ancestor.top + 1))) ON \(hangs) WHERE \(condition)
            """
    }
}
