import MoorageCore
import MoorageHub

/// What the trigger functions of a table with scopes do (docs/design.md, 5.1): a row has a tracking
/// row in each scope that it is or was in, derived from the row and from those that it hangs below.
///
/// - S1: Tracking rows of a row are written only by a transaction that holds that row's own lock.
/// - S2: What takes a scope from another row locks that no more than its foreign key does; what gives
///   others another scope takes the strongest lock, from the top down. One of the two waits, and each
///   statement of a function sees what was committed before it.
/// - S3: Above READ COMMITTED it does not: such a transaction leaves a record in moorage_unresolved_move, and no page is read while
///   one stands.
/// - S4: Touched rows and their tracking rows are found by their keys, one by one: `OFFSET 0` keeps the
///   planner from joining tables instead. A plan made for a statement of a million rows serves the
///   session's next one, of one row, and would read all of the table for it.
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

    /// The scopes of touched rows, as a query for keys and scopes.
    func scopes(of changedKeys: String) -> String {
        paths.map { path in
            """
            SELECT \(shape.keyNames("c")), \(path.scope) AS scope
            FROM (\(changedKeys)) AS c CROSS JOIN LATERAL (
              SELECT \(columns(path)) FROM \(shape.name) AS l
              WHERE \(shape.match("l", "c", from: .rows)) OFFSET 0) AS l0\(path.above)
            WHERE \(path.condition)
            """
        }.joined(separator: "\nUNION\n")
    }

    /// What a path needs of the table's own row: the owner of the function may have rights on these alone.
    private func columns(_ path: ScopeSQL) -> String {
        let names = shape.keys.map(\.column.quoted) + path.path.decidingColumns(0).map(SQLText.name)
        return Set(names).sorted().map { "l.\($0)" }.joined(separator: ", ")
    }

    /// Whether the row of the tracking row `r` is in its scope.
    ///
    /// - Parameter fence: Empty in statements about all rows: the planner may join.
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

    /// Writes the tracking rows of touched rows as they are now.
    ///
    /// - Parameter isEdited: The rows themselves were written; otherwise only their scopes may be
    ///   others, and their times stay.
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

    /// Gives the live tracking rows of touched rows a new version.
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

    /// A row came, or went.
    func wroteBody(_ changedKeys: String, isInsert: Bool) -> String {
        """
        \(isInsert ? lockAbove("moorage_rows") : "")
        \(derive(changedKeys, isEdited: true))
        \(recordUnresolved(changedKeys))
        """
    }

    /// - Parameters:
    ///   - same: A row of `moorage_new`, `n`, has the key of one of `moorage_old`, `o`.
    ///   - keys: Their key as `k0, k1, …`.
    ///   - changedKeys: The rows whose image is another.
    func updatedBody(same: String, keys: String, changedKeys: String) -> String {
        let first = shape.keys[0].column.quoted
        // By image: a collation may call another value equal.
        let moves = decidingColumns.map { "record_image_ne(ROW(n.\($0)), ROW(o.\($0)))" }
        let isMoved = (["n.\(first) IS NULL", "o.\(first) IS NULL"] + moves).joined(
            separator: " OR ")
        // It stays a full join only where its conditions let rows of either side alone pass: a left join can
        // be made by a loop in a loop.
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

    /// Rows that stay in their scopes read no other row.
    func renew(_ changedKeys: String) -> String { renumber(changedKeys, isEdited: true) }

    /// The rows that written rows hang below directly, no more than the foreign key locks them.
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
        // A row by itself is derived from what it names alone: nothing above it can be missed.
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

    /// For an upper table's rows that changed what decides; and for those that came or went.
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

    /// Before a member comes or goes, and before its foreign key locks the row: two that changed one
    /// row's members would else wait for each other.
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

    /// Every member is gone.
    var membersGoneBody: String {
        """
        UPDATE \(shape.track) AS r SET live = false, version = \(Self.version)
        WHERE r.live AND NOT \(isInScope(of: .compared));
        """
    }

    /// Derives again what the unresolved moves name, and forgets them. A recorded row itself is read again by everyone who
    /// has it: its writer may have renewed it in scopes that it saw alone.
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
        // A row whose label is another one by now is found by an attach.
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

    /// Every column that the functions name beside the key, for the guard against renamed ones.
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
