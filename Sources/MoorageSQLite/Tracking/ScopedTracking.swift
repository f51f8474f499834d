import MoorageCore
import MoorageHub

/// What the triggers of a table with scopes do. A row has a tracking row in each scope that it is
/// or was in. The triggers derive it from the row and from the rows above it.
///
/// Everything happens inside the statement that changed something, because a file has only one
/// writer.
struct ScopedTracking {
    private let triggers: TrackingTriggers
    private let paths: [ScopeSQL]

    init(_ triggers: TrackingTriggers) {
        self.triggers = triggers
        paths = triggers.table.scopes.map { ScopeSQL($0, in: SQLiteScopes()) }
    }

    private var track: String { triggers.track }
    private var now: String { triggers.now }
    private var rowKeys: String { triggers.keys.map { "l0.\($0)" }.joined(separator: ", ") }

    // MARK: The row itself

    /// The table's own columns that decide about scopes.
    var decidingColumns: [String] {
        Set(paths.flatMap { $0.path.decidingColumns(0) }).map(\.quoted).sorted()
    }

    /// The condition that an update leaves the row in its scopes.
    var staysInScopes: String {
        decidingColumns.isEmpty ? "1" : TrackingTriggers.areSame(decidingColumns)
    }

    func renew(_ row: String) -> String {
        """
        UPDATE \(track) SET version = NULL, changed_at = \(now)
          WHERE \(triggers.tracked(track, of: row)) AND live;
        """
    }

    /// For a row that was written, and whose scopes are those that it has now, each once. Two
    /// equal members name the same scope.
    func derive(_ row: String) -> String {
        let isRow = triggers.keys.map { "l0.\($0) = \(row).\($0)" }.joined(separator: " AND ")
        let scopes = paths.map {
            """
            SELECT DISTINCT \($0.scope) AS scope FROM \($0.joined) WHERE \(isRow) AND \($0.condition)
            """
        }.joined(separator: " UNION ")
        let keys = triggers.keys.map { "\(row).\($0)" }.joined(separator: ", ")
        return """
            UPDATE \(track) SET live = scope IN (\(scopes)), version = NULL, changed_at = \(now)
              WHERE \(triggers.tracked(track, of: row)) AND (live OR scope IN (\(scopes)));
              INSERT INTO \(track) (\(triggers.keyList), scope, live, version, live_since, changed_at)
              SELECT \(keys), d.scope, 1, NULL, NULL, \(now) FROM (\(scopes)) d
              WHERE NOT EXISTS (
                SELECT 1 FROM \(track) x WHERE \(triggers.tracked("x", of: row)) AND x.scope = d.scope);
            """
    }

    // MARK: Rows below

    /// For rows of the table whose scopes changed with another row's. Their own times stay, because
    /// nobody edited them.
    ///
    /// - Parameter keys: A query for their keys.
    private func derive(keys: String) -> String {
        let rows = inserts(changedAt: lastChange, where: "(\(rowKeys)) IN (\(keys))")
        return """
            UPDATE \(track) SET live = NOT live, version = NULL
              WHERE (\(triggers.keyList)) IN (\(keys)) AND live <> \(isInScope);
              \(rows.joined(separator: ";\n  "));
            """
    }

    /// Whether the row of a tracking row is in its scope.
    var isInScope: String {
        let found = paths.map {
            """
            EXISTS (SELECT 1 FROM \($0.joined) WHERE \(triggers.match(track, "l0")) \
            AND \($0.condition) AND \($0.scope) = \(track).scope)
            """
        }
        return "(\(found.joined(separator: " OR ")))"
    }

    private var lastChange: String {
        """
        coalesce((SELECT max(x.changed_at) FROM \(track) x WHERE \(triggers.tracked("x", of: "l0"))), \(now))
        """
    }

    private func inserts(changedAt: String, where condition: String) -> [String] {
        paths.map { path in
            """
            INSERT INTO \(track) (\(triggers.keyList), scope, live, version, live_since, changed_at)
              SELECT DISTINCT \(rowKeys), \(path.scope), 1, NULL, NULL, \(changedAt)
              \(untracked(path, where: condition))
            """
        }
    }

    /// The rows of a path that have no tracking row in its scope.
    private func untracked(_ path: ScopeSQL, where condition: String) -> String {
        """
        FROM \(path.joined) WHERE \(path.condition) AND \(condition)
            AND NOT EXISTS (SELECT 1 FROM \(track) x
              WHERE \(triggers.tracked("x", of: "l0")) AND x.scope = \(path.scope))
        """
    }

    /// Queries for rows that have no tracking row in a scope that they are in: their keys, and the
    /// scope.
    func missing(where condition: String) -> [String] {
        paths.map { path in
            "SELECT DISTINCT \(rowKeys), \(path.scope) \(untracked(path, where: condition))"
        }
    }

    // MARK: Triggers on other tables

    static let ancestorKinds = [
        "insert", "delete", "update", "before_insert", "before_update", "replaced_insert",
        "replaced_update",
    ]

    /// The condition that a part of the path is below a row of a scope ancestor.
    private func hangs(below ancestor: ScopeAncestor, _ row: String) -> String {
        let level = "l\(ancestor.top)"
        return ancestor.isMembers
            ? ancestor.path.equal(level, ancestor.met, row, ancestor.columns)
            : ancestor.path.equal(row, ancestor.columns, level, ancestor.met)
    }

    private func joined(below ancestor: ScopeAncestor) -> String {
        ancestor.path.below(ancestor.top + 1)
    }

    private func keys(below ancestor: ScopeAncestor, _ row: String) -> String {
        """
        SELECT \(triggers.lookedUp("l0")) FROM \(joined(below: ancestor))
        WHERE \(hangs(below: ancestor, row))
        """
    }

    /// The triggers on scope ancestors, and the table of rows below a row that `REPLACE` is about
    /// to remove. `REPLACE` fires no trigger for that row.
    ///
    /// - Parameter unique: A table's unique keys, the primary key first.
    func ancestorSteps(unique: (String) throws -> [UniqueKey]) rethrows -> [String] {
        let ancestors = paths.flatMap(\.ancestors)
        if ancestors.isEmpty { return [] }
        var steps = [
            """
            CREATE TABLE IF NOT EXISTS \(changed) (
              \(triggers.trackKeys.map { "\($0) NOT NULL" }.joined(separator: ", ")),
              PRIMARY KEY (\(triggers.keyList))
            ) WITHOUT ROWID
            """
        ]
        for (number, ancestor) in ancestors.enumerated() {
            let columns = Set(ancestor.columns + ancestor.deciding).map(\.quoted).sorted()
            let stays = TrackingTriggers.areSame(columns)
            func step(_ kind: String, _ event: String, when: String = "1", _ body: String) {
                steps.append(
                    triggers.trigger(
                        triggers.table.ancestorName(number, kind), event, on: ancestor.table.quoted,
                        when: when, body))
            }
            let below = { self.derive(keys: keys(below: ancestor, $0)) }
            step("insert", "AFTER INSERT", below("NEW"))
            step("delete", "AFTER DELETE", below("OLD"))
            step(
                "update", "AFTER \(TrackingTriggers.update(of: columns))",
                when: "NOT (\(stays))", below("OLD") + "\n  " + below("NEW"))
            let unique = try unique(ancestor.table)
            func candidates(except row: String?) -> String {
                unique.map {
                    record(below: ancestor, hitBy: $0, except: row.map { ($0, unique[0].deciding) })
                }
                .joined(separator: "\n  ")
            }
            let replaced = """
                \(derive(keys: "SELECT \(triggers.keyList) FROM \(changed)"))
                  DELETE FROM \(changed);
                """
            let isReplaced = "EXISTS (SELECT 1 FROM \(changed))"
            let update = TrackingTriggers.update(of: Set(unique.flatMap(\.deciding)).sorted())
            step("before_insert", "BEFORE INSERT", candidates(except: nil))
            step("before_update", "BEFORE \(update)", candidates(except: "OLD"))
            step("replaced_insert", "AFTER INSERT", when: isReplaced, replaced)
            step("replaced_update", "AFTER \(update)", when: isReplaced, replaced)
        }
        return steps
    }

    private var changed: String { triggers.table.objectName("touched").quoted }

    /// Records the rows below a row that the incoming row will replace.
    private func record(
        below ancestor: ScopeAncestor, hitBy key: UniqueKey,
        except row: (name: String, key: [String])?
    ) -> String {
        let hits = key.hits(isUpdate: row != nil)
        let others = row.map { row in
            let same = row.key.map { "\($0) IS \(row.name).\($0)" }
            return " AND NOT (\(same.joined(separator: " AND ")))"
        }
        let keys = zip(triggers.keys, triggers.trackKeys).map { "+l0.\($0) AS \($1)" }
        let same = triggers.trackKeys.map { "x.\($0) = d.\($0)" }.joined(separator: " AND ")
        let isKey = triggers.keys.map { "l0.\($0) IS NOT NULL" }.joined(separator: " AND ")
        return """
            INSERT INTO \(changed) (\(triggers.keyList))
              SELECT \(triggers.keyList) FROM (
                SELECT DISTINCT \(keys.joined(separator: ", "))
                FROM \(joined(below: ancestor)),
                  (SELECT * FROM \(ancestor.table.quoted) WHERE \(hits)\(others ?? "")) AS t
                WHERE \(hangs(below: ancestor, "t")) AND \(isKey)) d
              WHERE NOT EXISTS (SELECT 1 FROM \(changed) x WHERE \(same));
            """
    }
}
