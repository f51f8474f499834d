import MoorageCore
import MoorageHub

/// What the trigger functions of a table with scopes do (docs/reference/hub.md, Scopes on
/// PostgreSQL). A row has a tracking row in each scope that it is or was in. The functions derive
/// it from the row and from the rows above it.
///
/// - S1: Only a transaction that has locked a row writes the row's tracking rows.
/// - S2: A row that takes its scope from another row locks that no more than its foreign key does.
///   A change that gives other rows another scope takes the strongest lock, from the top down. One
///   of the two waits, and each statement of a function sees what was committed before it.
/// - S3: Under REPEATABLE READ and SERIALIZABLE a statement does not see that. Such a transaction
///   leaves a record in ``unresolvedMoveTable(_:)``, and no page is read while there is one.
/// - S4: The functions find changed rows and their tracking rows by their keys, one by one.
///   `OFFSET 0` keeps the planner from joining tables instead. The session may use the plan of a
///   statement with a million rows for its next one, with one row. A join would then read the whole
///   table for it.
struct ScopedTrackingSQL {
    let shape: TableShape
    private let paths: [ScopeSQL]

    init(_ shape: TableShape) {
        self.shape = shape
        paths = shape.table.scopes.map { ScopeSQL($0, in: PostgresScopes(schema: shape.schema)) }
    }

    private static let now = TrackingSQL.now
    private static let version = TrackingSQL.version
    static func unresolvedMoveTable(_ schema: OwnerSchema) -> String {
        schema.table("moorage_note")
    }
    private var unresolvedMoveTable: String { Self.unresolvedMoveTable(shape.schema) }
    private var number: Int { shape.table.number }
    private var keyNames: String { shape.keyNames() }

    // MARK: Deriving

    /// The scopes of changed rows, as a query for keys and scopes, each pair once. Two rows have
    /// the same key while a deferred unique key is not checked yet, or once it is gone.
    func scopes(of changedKeys: String) -> String {
        paths.map { path in
            """
            SELECT DISTINCT \(shape.keyNames("c")), \(path.scope) AS scope
            FROM (\(changedKeys)) AS c CROSS JOIN LATERAL (
              SELECT \(columns(path)) FROM \(shape.name) AS l
              WHERE \(shape.match("l", "c", from: .rows)) OFFSET 0) AS l0\(path.above)
            WHERE \(path.condition)
            """
        }.joined(separator: "\nUNION\n")
    }

    /// The columns that a path needs of the table's own row. The owner of the function may have
    /// rights on these only.
    private func columns(_ path: ScopeSQL) -> String {
        let names = shape.keys.map(\.column.quoted) + path.path.decidingColumns(0).map(SQLText.name)
        return Set(names).sorted().map { "l.\($0)" }.joined(separator: ", ")
    }

    /// Whether the row of the tracking row `r` is in its scope.
    ///
    /// - Parameter fence: Empty in statements about all rows, where the planner may join.
    func isInScope(of texts: KeyTexts, _ fence: String = "") -> String {
        let found = paths.map { path in
            """
            EXISTS (SELECT FROM \(path.joined)
              WHERE \(shape.match("l0", "r", from: texts)) AND \(path.condition)
                AND \(path.scope) = r.scope\(fence))
            """
        }
        return "(\(found.joined(separator: " OR ")))"
    }

    /// Writes the tracking rows of changed rows as they are now.
    ///
    /// - Parameter isEdited: Whether the rows themselves were written. Otherwise only their scopes
    ///   may have changed, and their times stay.
    private func derive(_ changedKeys: String, isEdited: Bool) -> String {
        let changedAt =
            isEdited
            ? Self.now
            : """
            coalesce((SELECT max(x.changed_at) FROM \(shape.track) AS x
                      WHERE \(shape.sameKeys("x", "d"))), \(Self.now))
            """
        let comes = "SET live = true, version = EXCLUDED.version, \(TrackingSQL.liveSinceAgain)"
        let renewed =
            isEdited
            ? "\(comes), changed_at = EXCLUDED.changed_at" : "\(comes) WHERE NOT t.live"
        return """
            INSERT INTO \(shape.track) AS t
              (\(keyNames), scope, live, version, live_since, changed_at)
            SELECT \(shape.keyNames("d")), d.scope, true, \(Self.version), \(Self.version), \(changedAt)
            FROM (\(scopes(of: changedKeys))) AS d
            ON CONFLICT (\(keyNames), scope) DO UPDATE \(renewed);
            \(renumber(
                changedKeys, live: false, where: "NOT \(isInScope(of: .rows, " OFFSET 0"))",
                isEdited: isEdited))
            """
    }

    /// Gives the live tracking rows of changed rows a new version.
    private func renumber(
        _ changedKeys: String, live: Bool = true, where condition: String = "true", isEdited: Bool
    ) -> String {
        """
        INSERT INTO \(shape.track) AS t
          (\(keyNames), scope, live, version, live_since, changed_at)
        SELECT \(shape.keyNames("r")), r.scope, \(live), \(Self.version), r.live_since,
               \(isEdited ? Self.now : "r.changed_at")
        FROM (\(changedKeys)) AS c CROSS JOIN LATERAL (
          SELECT x.* FROM \(shape.track) AS x WHERE \(shape.sameKeys("x", "c")) AND x.live
          OFFSET 0) AS r
        WHERE \(condition)
        ON CONFLICT (\(keyNames), scope) DO UPDATE
          SET live = EXCLUDED.live, version = EXCLUDED.version, changed_at = EXCLUDED.changed_at
          WHERE t.live;
        """
    }

    // MARK: The table's own triggers

    /// For rows that were inserted or deleted.
    func wroteBody(_ changedKeys: String, isInsert: Bool) -> String {
        """
        \(isInsert ? lockAbove("moorage_rows") : "")
        \(derive(changedKeys, isEdited: true))
        \(recordUnresolved(changedKeys))
        """
    }

    /// - Parameters:
    ///   - same: The condition that a row `n` of `moorage_new` has the key of a row `o` of
    ///     `moorage_old`.
    ///   - keys: Their key as `k0, k1, …`.
    ///   - changedKeys: The keys of rows whose image differs.
    func updatedBody(same: String, keys: String, changedKeys: String) -> String {
        let first = shape.keys[0].column.quoted
        // Compares images, because a collation may call another value equal.
        let moves = decidingColumns.map { "record_image_ne(ROW(n.\($0)), ROW(o.\($0)))" }
        let isMoved = (["n.\(first) IS NULL", "o.\(first) IS NULL"] + moves).joined(
            separator: " OR ")
        // The planner keeps a full join only if the conditions let rows of either side pass alone.
        // It may run a left join as nested loops.
        let joined = "moorage_new AS n FULL JOIN moorage_old AS o ON \(same)"
        let moved = "SELECT DISTINCT \(keys) FROM \(joined) WHERE \(isMoved)"
        return """
            IF EXISTS (SELECT FROM \(joined) WHERE \(isMoved)) THEN
              \(lockAbove("(SELECT n.* FROM \(joined) WHERE \(isMoved))"))
              \(derive(moved, isEdited: true))
              \(recordUnresolved(moved))
            END IF;
            \(renew(changedKeys))
            \(recordUnresolved(changedKeys))
            """
    }

    private var decidingColumns: [String] {
        Set(paths.flatMap { $0.path.decidingColumns(0) }).map(SQLText.name).sorted()
    }

    /// Renews rows that stay in their scopes, and reads no other row.
    func renew(_ changedKeys: String) -> String { renumber(changedKeys, isEdited: true) }

    /// Locks the rows directly above written rows, no more than the foreign key does.
    private func lockAbove(_ rows: String) -> String {
        var statements: [String] = []
        for path in paths where path.path.levels.count > 1 {
            guard let link = path.path.levels[0].link else { continue }
            let columns = link.columns.map { "q.\(SQLText.name($0))" }.joined(separator: ", ")
            let statement = """
                PERFORM 1 FROM (SELECT DISTINCT \(columns) FROM \(rows) AS q) AS p
                JOIN \(path.table(1)) AS l1 ON \(path.equal("l1", link.referenced, "p", link.columns))
                ORDER BY \(names("l1", link.referenced)) FOR KEY SHARE OF l1;
                """
            if !statements.contains(statement) { statements.append(statement) }
        }
        return statements.joined(separator: "\n")
    }

    private func names(_ row: String, _ columns: [String]) -> String {
        columns.map { "\(row).\(SQLText.name($0))" }.joined(separator: ", ")
    }

    // MARK: Unresolved moves

    private static let mayMissMoves = "current_setting('transaction_isolation') <> 'read committed'"

    private func recordUnresolved(_ changedKeys: String) -> String {
        // A row without rows above it is derived only from itself, so it can miss nothing.
        guard paths.contains(where: { $0.path.levels.count > 1 || $0.path.isShared }) else {
            return ""
        }
        let key = shape.keys.indices.map { "c.k\($0)::text" }.joined(separator: ", ")
        return """
            IF \(Self.mayMissMoves) THEN
              INSERT INTO \(unresolvedMoveTable) (number, upper, row_key)
              SELECT \(number), NULL, ARRAY[\(key)] FROM (\(changedKeys)) AS c;
            END IF;
            """
    }

    // MARK: Triggers on other tables

    var ancestors: [ScopeAncestor] { paths.flatMap(\.ancestors) }

    /// The rows of `changed` (`p0, p1, …`) joined with the tables below, down to a level.
    private func below(_ ancestor: ScopeAncestor, _ changed: String, downTo level: Int) -> String {
        var sql =
            "(\(changed)) AS p JOIN \(ancestor.path.table(ancestor.top)) AS l\(ancestor.top) ON "
        sql += ancestor.met.enumerated().map {
            "l\(ancestor.top).\(SQLText.name($1)) = p.p\($0)"
        }.joined(separator: " AND ")
        for lower in stride(from: ancestor.top - 1, through: level, by: -1) {
            guard let link = ancestor.path.path.levels[lower].link else { continue }
            sql += " JOIN \(ancestor.path.table(lower)) AS l\(lower) ON "
            sql += ancestor.path.equal("l\(lower)", link.columns, "l\(lower + 1)", link.referenced)
        }
        return sql
    }

    /// Locks rows level by level, then derives the lowest.
    private func move(_ ancestor: ScopeAncestor, _ changed: String) -> String {
        var statements: [String] = []
        if !ancestor.isMembers {
            let same = ancestor.columns.enumerated().map { "u.\(SQLText.name($1)) = p.p\($0)" }
            statements.append(
                """
                PERFORM 1 FROM (\(changed)) AS p JOIN \(shape.schema.table(ancestor.table)) AS u
                ON \(same.joined(separator: " AND ")) ORDER BY \(names("u", ancestor.columns))
                FOR UPDATE OF u;
                """)
        }
        for level in stride(from: ancestor.top, through: 0, by: -1) {
            let order =
                level == 0
                ? shape.keys.map { $0.tracked("l0") }.joined(separator: ", ")
                : names("l\(level)", ancestor.path.path.levels[level - 1].link?.referenced ?? [])
            statements.append(
                """
                PERFORM 1 FROM \(below(ancestor, changed, downTo: level))
                ORDER BY \(order) FOR UPDATE OF l\(level);
                """)
        }
        let keys = shape.keys.enumerated().map { "\($1.tracked("l0")) AS k\($0)" }
        let changedKeys = """
            SELECT DISTINCT \(keys.joined(separator: ", ")) FROM \(below(ancestor, changed, downTo: 0))
            """
        return (statements + [derive(changedKeys, isEdited: false)]).joined(separator: "\n")
    }

    private func outputs(_ ancestor: ScopeAncestor, _ row: String) -> String {
        ancestor.columns.enumerated().map { "\(row).\(SQLText.name($1)) AS p\($0)" }
            .joined(separator: ", ")
    }

    /// For rows of a scope ancestor whose deciding columns changed, and for those that were
    /// inserted or deleted.
    func ancestorBody(_ ancestor: ScopeAncestor, number place: Int, isUpdate: Bool) -> String {
        let changed: String
        if isUpdate {
            let texts = (ancestor.columns + ancestor.deciding).map {
                "x.\(SQLText.name($0))::text COLLATE \"C\""
            }.joined(separator: ", ")
            let image = { (rows: String) in
                "SELECT \(self.outputs(ancestor, "x")), ARRAY[\(texts)] FROM \(rows) AS x"
            }
            let names = ancestor.columns.indices.map { "p\($0)" }.joined(separator: ", ")
            changed = """
                SELECT DISTINCT \(names) FROM (
                  (\(image("moorage_new")) EXCEPT \(image("moorage_old"))) UNION ALL
                  (\(image("moorage_old")) EXCEPT \(image("moorage_new")))) AS y
                """
        } else {
            changed = "SELECT DISTINCT \(outputs(ancestor, "x")) FROM moorage_rows AS x"
        }
        let key = ancestor.columns.indices.map { "p.p\($0)::text" }.joined(separator: ", ")
        return """
            IF EXISTS (\(changed)) THEN
              IF \(Self.mayMissMoves) THEN
                INSERT INTO \(unresolvedMoveTable) (number, upper, row_key)
                SELECT \(number), \(place), ARRAY[\(key)] FROM (\(changed)) AS p;
              ELSE
                \(move(ancestor, changed))
              END IF;
            END IF;
            """
    }

    /// Locks the row of a member before the member comes or goes, and before the member's foreign
    /// key locks it. Otherwise two changes to one row's members would wait for each other.
    func memberLockBody(_ ancestor: ScopeAncestor) -> String {
        let isRow = ["OLD", "NEW"].map { row in
            zip(ancestor.met, ancestor.columns).map {
                "u.\(SQLText.name($0)) = \(row).\(SQLText.name($1))"
            }.joined(separator: " AND ")
        }
        return """
            IF NOT \(Self.mayMissMoves) THEN
              PERFORM 1 FROM \(ancestor.path.table(ancestor.top)) AS u
              WHERE (\(isRow.joined(separator: ") OR ("))) ORDER BY \(names("u", ancestor.met))
              FOR UPDATE;
            END IF;
            """
    }

    /// For TRUNCATE, which removes every member.
    var membersGoneBody: String {
        """
        UPDATE \(shape.track) AS r SET live = false, version = \(Self.version)
        WHERE r.live AND NOT \(isInScope(of: .compared));
        """
    }

    /// Derives again what the unresolved moves name, and deletes them. Every replica that has a
    /// recorded row reads it again. The row's writer may have renewed it only in the scopes that it
    /// saw.
    ///
    /// - Parameter types: The types of a table's columns, with their collations.
    func resolveBody(types: (_ table: String, _ columns: [String]) throws -> [String]) rethrows
        -> String
    {
        func unresolved(_ place: String, _ outputs: [String]) -> String {
            """
            SELECT DISTINCT \(outputs.joined(separator: ", ")) FROM \(unresolvedMoveTable) AS m
            WHERE m.id = ANY (notes) AND m.upper \(place)
            """
        }
        var statements = try ancestors.enumerated().map { place, ancestor in
            let casts = try types(ancestor.table, ancestor.columns).enumerated().map {
                "(m.row_key[\($0 + 1)]::\($1)) AS p\($0)"
            }
            return move(ancestor, unresolved("= \(place)", casts))
        }
        let keys = shape.keys.enumerated().map { index, key in
            "\(key.tracked(scalar: "m.row_key[\(index + 1)]")) AS k\(index)"
        }
        // An attach finds the rows whose label is another one by now.
        let labels = shape.keys.enumerated().compactMap { $1.isLabel("m.row_key[\($0 + 1)]") }
        let changedKeys = unresolved((["IS NULL"] + labels).joined(separator: " AND "), keys)
        statements.append(
            """
            PERFORM 1 FROM (\(changedKeys)) AS c
            JOIN \(shape.name) AS l0 ON \(shape.match("l0", "c", from: .rows))
            ORDER BY \(shape.keys.map { $0.tracked("l0") }.joined(separator: ", ")) FOR UPDATE OF l0;
            \(derive(changedKeys, isEdited: false))
            \(renumber(changedKeys, isEdited: false))
            """)
        return """
            SELECT array_agg(n.id) INTO notes FROM (
              SELECT n.id FROM \(unresolvedMoveTable) AS n WHERE n.number = \(number) FOR UPDATE) AS n;
            IF notes IS NULL THEN RETURN; END IF;
            \(statements.joined(separator: "\n"))
            DELETE FROM \(unresolvedMoveTable) AS n WHERE n.id = ANY (notes);
            """
    }

    // MARK: Attaching

    /// Every table that decides, for locking.
    var tables: [String] {
        Array(Set([shape.name] + ancestors.map { shape.schema.table($0.table) })).sorted()
    }

    /// Every column except the key that the functions name, for the guard against renamed ones.
    var namedColumns: [(table: String, column: String)] {
        let own = Set(paths.flatMap { $0.path.decidingColumns(0) }).map { (shape.name, $0) }
        let others = ancestors.flatMap { ancestor in
            (ancestor.columns + ancestor.deciding).map { (shape.schema.table(ancestor.table), $0) }
        }
        return own + others
    }
}

extension ScopePath {
    /// Rows of another table decide, too.
    fileprivate var isShared: Bool { if case .members = source { true } else { false } }
}
