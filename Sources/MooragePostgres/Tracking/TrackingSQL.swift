import MoorageCore
import MoorageHub

/// The tracking table of one table, with the functions and triggers that maintain it in the
/// transaction of every change (docs/reference/hub.md, PostgreSQL).
///
/// - F1: For every key that a statement changed, a trigger asks the table itself whether the row
///   exists. The owner's triggers and nested statements fire in orders that the transition tables
///   alone do not show.
/// - F2: A trigger never makes the owner's statement fail because a column or a table was renamed,
///   dropped or retyped. It then tracks nothing, and the hub suspends the table because its stamp
///   differs.
/// - F3: `liveSince` is never renewed once a state with a checkpoint has shown the row, because a
///   replica may have it since then.
struct TrackingSQL {
    let shape: TableShape
    /// `CREATE OR REPLACE TRIGGER`, which PostgreSQL has from 14 on, needs no exclusive lock.
    let canReplaceTriggers: Bool
    /// The partitions, which can be truncated by themselves.
    let partitions: [String]

    static let kinds = ["insert", "update", "delete", "row", "truncate"]

    var table: AttachedTable { shape.table }
    var scoped: ScopedTrackingSQL? {
        table.scopes.isEmpty ? nil : ScopedTrackingSQL(shape)
    }
    var keyNames: String { shape.keyNames() }
    var scope: String { SQLText.literal(Scope.everything.name) }
    func object(_ kind: String) -> String { table.objectName(kind) }
    private func function(_ kind: String) -> String { shape.schema.table(object(kind)) }

    static let now =
        "(SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)"
    static let version = "pg_current_xact_id()"

    /// Whether a row was in the scope in a state that anyone saw. A row that came and went within
    /// one transaction was not, and has one version for both.
    static func hasBeenIn(_ row: String) -> String {
        "(\(row).live OR \(row).live_since <> \(row).version)"
    }

    /// When a row that comes into the scope with a version first came into it, in a state that
    /// anyone saw.
    static func firstLiveSince(_ row: String, with version: String) -> String {
        "CASE WHEN \(hasBeenIn(row)) THEN \(row).live_since ELSE \(version) END"
    }

    static let liveSinceAgain = "live_since = \(firstLiveSince("t", with: "EXCLUDED.version"))"

    // MARK: Steps

    var tableStep: String {
        let columns = shape.keys.enumerated().map { "  k\($0) \($1.trackType) NOT NULL," }
        return """
            CREATE TABLE IF NOT EXISTS \(shape.track) (
            \(columns.joined(separator: "\n"))
              scope text COLLATE "C" NOT NULL,
              live boolean NOT NULL,
              version xid8 NOT NULL,
              live_since xid8 NOT NULL,
              changed_at bigint NOT NULL,
              PRIMARY KEY (\(keyNames), scope)
            );
            CREATE INDEX IF NOT EXISTS \(SQLText.name(object("version")))
            ON \(shape.track) (scope, version, \(keyNames));
            CREATE INDEX IF NOT EXISTS \(SQLText.name(object("gone")))
            ON \(shape.track) (version) WHERE NOT live
            """
    }

    var dropTableStep: String { "DROP TABLE IF EXISTS \(shape.track)" }

    /// One step, so that no change falls between the triggers.
    var triggerStep: String {
        var statements: [String] = []
        if shape.isPartitioned {
            statements.append(create("row", rowBody, settings: ["enable_seqscan TO off"]))
            statements.append(
                trigger(
                    "row", "AFTER INSERT OR UPDATE OR DELETE ON \(shape.name) FOR EACH ROW", "row"))
        } else {
            for kind in ["insert", "delete"] {
                let body = setBody(isInsert: kind == "insert")
                statements.append(create(kind, body, settings: ["enable_seqscan TO off"]))
            }
            statements.append(
                create("update", updateBody, settings: ["enable_seqscan TO off"]))
            statements.append(
                trigger(
                    "insert",
                    """
                    AFTER INSERT ON \(shape.name) REFERENCING NEW TABLE AS moorage_rows \
                    FOR EACH STATEMENT
                    """, "insert"))
            statements.append(
                trigger(
                    "update",
                    """
                    AFTER UPDATE ON \(shape.name) REFERENCING OLD TABLE AS moorage_old \
                    NEW TABLE AS moorage_new FOR EACH STATEMENT
                    """, "update"))
            statements.append(
                trigger(
                    "delete",
                    """
                    AFTER DELETE ON \(shape.name) REFERENCING OLD TABLE AS moorage_rows \
                    FOR EACH STATEMENT
                    """, "delete"))
        }
        statements.append(create("truncate", truncateBody, settings: ["enable_nestloop TO off"]))
        for name in [shape.name] + partitions {
            statements.append(
                trigger(
                    "truncate", "AFTER TRUNCATE ON \(name) FOR EACH STATEMENT", "truncate",
                    on: name))
        }
        return statements.joined(separator: ";\n")
    }

    /// Drops the functions and their triggers, on whichever table these are now.
    static func dropSteps(_ table: AttachedTable, in schema: OwnerSchema) -> [String] {
        kinds.map { "DROP FUNCTION IF EXISTS \(schema.table(table.objectName($0)))() CASCADE" }
            + ["track", "fill"].map {
                "DROP TABLE IF EXISTS \(schema.table(table.objectName($0)))"
            }
    }

    // MARK: Functions

    /// Writes the tracking rows of changed keys. A row is live if the table has it. Once the owner
    /// lets a column of the key be NULL, a row may have no key.
    private func upsert(_ changedKeys: String, changedAt: String = Self.now) -> String {
        let isKey = shape.keys.indices.map { "c.k\($0) IS NOT NULL" }.joined(separator: " AND ")
        return """
            INSERT INTO \(shape.track) AS t
                  (\(keyNames), scope, live, version, live_since, changed_at)
                SELECT \(shape.keyNames("c")), \(scope),
                       (SELECT true FROM \(shape.name) AS l
                        WHERE \(shape.match("l", "c", from: .rows)) LIMIT 1) IS NOT NULL,
                       \(Self.version), \(Self.version), \(changedAt)
                FROM (\(changedKeys)) AS c
                WHERE \(isKey)
                ON CONFLICT (\(keyNames), scope) DO UPDATE
                  SET live = EXCLUDED.live, version = EXCLUDED.version, \(Self.liveSinceAgain),
                      changed_at = EXCLUDED.changed_at;
            """
    }

    /// Writes a set in key order, so that neighbouring index entries are created one after the
    /// other.
    ///
    /// - Parameter changedKeys: A query for keys, each once.
    private func upsertSet(_ changedKeys: String) -> String {
        let announced = AnnouncedTimes(shape)
        return announced.applying(
            upsert(
                announced.joined(changedKeys), changedAt: "least(c.edited, \(Self.now))"),
            else: upsert("\(changedKeys) ORDER BY \(keyNames)"))
    }

    private func namedKeys(_ row: String) -> String {
        shape.keys.enumerated().map { "\($1.tracked(row)) AS k\($0)" }.joined(separator: ", ")
    }

    /// For INSERT and DELETE, whose triggers both call their rows `moorage_rows`.
    private func setBody(isInsert: Bool) -> String {
        let changedKeys = "SELECT DISTINCT \(namedKeys("n")) FROM moorage_rows AS n"
        guard let scoped else { return upsertSet(changedKeys) }
        return guarded(
            scoped.wroteBody(changedKeys, isInsert: isInsert), else: scoped.renew(changedKeys))
    }

    /// If a column that decides about scopes is gone, rows stay in their scopes until the table is
    /// attached again.
    func guarded(_ body: String, else other: String = "") -> String {
        guard let scoped else { return body }
        let names = scoped.namedColumns.map {
            "(\(SQLText.literal($0.table)), \(SQLText.literal($0.column)))"
        }
        return """
            IF NOT EXISTS (
              SELECT FROM (VALUES \(Set(names).sorted().joined(separator: ", "))) AS v(t, c)
              WHERE NOT EXISTS (
                SELECT FROM pg_catalog.pg_attribute AS a
                WHERE a.attrelid = to_regclass(v.t) AND a.attname = v.c AND NOT a.attisdropped)) THEN
              \(body)
            ELSE
              \(other)
              NULL;
            END IF;
            """
    }

    /// Records keys that came or went, and rows whose image differs. The server runs a full join by
    /// hash or merge, never as nested loops. So a plan made for one row also serves a million.
    private var updateBody: String {
        let same = shape.keys.map { "\($0.tracked("n")) = \($0.tracked("o"))" }
            .joined(separator: " AND ")
        let keys = shape.keys.enumerated().map {
            "coalesce(\($1.tracked("n")), \($1.tracked("o"))) AS k\($0)"
        }
        let first = shape.keys[0].column.quoted
        func changedKeys(_ changed: String) -> String {
            """
            SELECT DISTINCT \(keys.joined(separator: ", "))
            FROM moorage_new AS n FULL JOIN moorage_old AS o ON \(same)
            WHERE n.\(first) IS NULL OR o.\(first) IS NULL OR \(changed)
            """
        }
        func write(_ changedKeys: String) -> String {
            guard let scoped else { return upsertSet(changedKeys) }
            return guarded(
                scoped.updatedBody(
                    same: same, keys: keys.joined(separator: ", "), changedKeys: changedKeys),
                else: scoped.renew(changedKeys))
        }
        let whole = write(changedKeys("n.* *<> o.*"))
        if shape.isWhole { return whole }
        let synced = shape.columns.map(\.quoted)
        func image(_ row: String) -> String {
            "ROW(" + synced.map { "\(row).\($0)" }.joined(separator: ", ") + ")"
        }
        let names = shape.columns.map { SQLText.literal($0.name) }.joined(separator: ", ")
        return """
            IF (SELECT count(*) FROM pg_catalog.pg_attribute AS a
                WHERE a.attrelid = TG_RELID AND a.attnum > 0 AND NOT a.attisdropped
                  AND a.attname IN (\(names))) = \(synced.count) THEN
              \(write(changedKeys("NOT record_image_eq(\(image("n")), \(image("o")))")))
            ELSE
              \(whole)
            END IF;
            """
    }

    private var rowBody: String {
        """
        IF TG_OP = 'UPDATE' THEN
          IF NEW *= OLD THEN RETURN NULL; END IF;
        END IF;
        IF TG_OP <> 'DELETE' THEN
          \(upsert("SELECT \(namedKeys("NEW"))"))
        END IF;
        IF TG_OP <> 'INSERT' THEN
          \(upsert("SELECT \(namedKeys("OLD"))"))
        END IF;
        """
    }

    private var truncateBody: String {
        """
        UPDATE \(shape.track) AS r
        SET live = false, version = \(Self.version), changed_at = \(Self.now)
        WHERE r.live
          AND NOT EXISTS (
            SELECT FROM \(shape.name) AS l WHERE \(shape.match("l", "r", from: .compared)));
        """
    }

    func create(
        _ kind: String, _ body: String, settings: [String], returning row: String = "NULL",
        isOwn: Bool = true
    ) -> String {
        let relation = isOwn ? "TG_RELID" : "to_regclass(\(SQLText.literal(shape.name)))"
        let conditions = shape.keys.map(\.guardCondition).joined(separator: " OR ")
        // A scan that cannot be avoided looks expensive enough for the server to compile the
        // statement, which takes seconds.
        let settings =
            settings + [Self.plainLiterals]
            + (scoped == nil ? [] : ["jit TO off"] + Self.plainTexts)
        return """
            CREATE OR REPLACE FUNCTION \(function(kind))() RETURNS trigger
            LANGUAGE plpgsql SECURITY DEFINER
            SET search_path TO \(shape.schema.functionPath)
            \(settings.map { "SET \($0)" }.joined(separator: " ")) AS $moorage$
            BEGIN
              -- A table or key of another shape is tracked again when it is attached again.
              IF to_regclass(\(SQLText.literal(shape.name))) IS NULL
                 OR (SELECT count(*) FROM pg_catalog.pg_attribute AS a
                     WHERE a.attrelid = \(relation) AND a.attnum > 0 AND NOT a.attisdropped
                       AND (\(conditions))) <> \(shape.keys.count) THEN
                RETURN \(row);
              END IF;
              \(body)
              RETURN \(row);
            END $moorage$;
            REVOKE ALL ON FUNCTION \(function(kind))() FROM PUBLIC
            """
    }

    func trigger(
        _ kind: String, _ event: String, _ function: String, on name: String? = nil
    )
        -> String
    {
        let trigger = SQLText.name(object(kind))
        let table = name ?? shape.name
        // A new partition's copy of a row trigger fires as the table's own does.
        let copies = kind == "row" ? partitions : []
        let always = ([table] + copies).map { Self.always(trigger, on: $0) }.joined()
        let end = "\(event) EXECUTE FUNCTION \(self.function(function))()"
        // A row trigger of a partitioned table cannot be replaced, and only the table's owner could
        // drop it. What it does is in its function.
        if kind == "row" {
            return """
                DO $moorage$ BEGIN
                  IF NOT EXISTS (SELECT FROM pg_catalog.pg_trigger AS g
                                 WHERE g.tgrelid = \(SQLText.literal(table))::regclass
                                   AND g.tgname = \(SQLText.literal(object(kind)))) THEN
                    CREATE TRIGGER \(trigger) \(end);
                  END IF;
                END $moorage$\(always)
                """
        }
        if canReplaceTriggers {
            return "CREATE OR REPLACE TRIGGER \(trigger) \(end)" + always
        }
        return """
            DROP TRIGGER IF EXISTS \(trigger) ON \(table);
            CREATE TRIGGER \(trigger) \(end)\(always)
            """
    }

    /// Makes a trigger also fire in sessions whose `session_replication_role` is `replica`. Only a
    /// table's owner may set this. Where another role attaches, the trigger stays an ordinary one.
    private static func always(_ trigger: String, on table: String) -> String {
        """
        ;
        DO $moorage$ BEGIN
          IF (SELECT pg_catalog.pg_has_role(c.relowner, 'USAGE') FROM pg_catalog.pg_class AS c
              WHERE c.oid = \(SQLText.literal(table))::regclass) THEN
            ALTER TABLE \(table) ENABLE ALWAYS TRIGGER \(trigger);
          END IF;
        END $moorage$
        """
    }
}
