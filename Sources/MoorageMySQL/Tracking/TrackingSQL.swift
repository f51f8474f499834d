import MoorageCore
import MoorageHub

/// The tables that track a table's rows, and the triggers that feed them (docs/decisions/0036).
///
/// A trigger does one thing: it notes in a queue whose row was written. Nothing that owners write is ever
/// locked by us, and no statement of theirs waits for one.
///
/// - T1: A queue's rows are only ever added by triggers, each with an id of its own, and only ever
///   taken away by the numbering step, after it has seen them committed.
/// - T2: What a trigger names of the owner's row are its key and what decides about scopes: any other
///   column can be dropped or renamed. Where one of these was, or got a type that ours cannot keep, the
///   owner's statement goes on, and what could not be noted is filled in by the next attach.
struct TrackingSQL {
    let shape: TableShape
    let edges: [ForeignEdge]
    private let paths: [ScopeSQL]

    init(_ shape: TableShape, edges: [ForeignEdge] = []) {
        self.shape = shape
        self.edges = edges
        paths = shape.table.scopes.map { ScopeSQL($0, in: MySQLScopes()) }
    }

    private var table: AttachedTable { shape.table }
    private static let now = MySQLConnection.nowSQL
    private static let engine = "ENGINE = InnoDB ROW_FORMAT = DYNAMIC"

    /// Errors that a column brings about which was dropped, renamed or given another type. (A handler is found
    /// while the trigger runs: the server reads the trigger without looking for the column.)
    private static let moved = "1048, 1054, 1264, 1265, 1292, 1366, 1406"
    private static let passing = "DECLARE CONTINUE HANDLER FOR \(moved) BEGIN END;"

    static func name(_ table: AttachedTable, _ kind: String) -> String {
        SQLText.name(table.objectName(kind))
    }

    var touched: String { Self.name(table, "touched") }
    var derived: String { Self.name(table, "derived") }
    var uppers: [ScopeUpper] { paths.flatMap(\.uppers) }
    func upperQueue(_ place: Int) -> String { SQLText.name(table.upperName(place, "queue")) }

    // MARK: Tables

    /// - Parameter types: The declared types of columns of a table of the owner's.
    func tableSteps(types: (String, [String]) throws -> [String]) rethrows -> [String] {
        let keys = zip(shape.trackTypes, shape.keyNames).map { "  \($1) \($0) NOT NULL," }
            .joined(separator: "\n")
        let names = shape.keyList()
        var steps = [
            """
            CREATE TABLE IF NOT EXISTS \(shape.queue) (
              id BIGINT UNSIGNED NOT NULL PRIMARY KEY,
            \(keys)
              changed_at BIGINT NOT NULL
            ) \(Self.engine)
            """,
            """
            CREATE TABLE IF NOT EXISTS \(shape.track) (
            \(keys)
              scope VARBINARY(255) NOT NULL,
              live TINYINT NOT NULL,
              version BIGINT NOT NULL,
              entered BIGINT,
              changed_at BIGINT NOT NULL,
              PRIMARY KEY (\(names), scope),
              KEY by_version (scope, version, \(names)),
              KEY gone (live, version)
            ) \(Self.engine)
            """,
        ]
        guard !paths.isEmpty else { return steps }
        steps += [
            // Of the numbering step that is under way, and empty when it ends.
            """
            CREATE TABLE IF NOT EXISTS \(touched) (
            \(keys)
              changed_at BIGINT,
              PRIMARY KEY (\(names))
            ) \(Self.engine)
            """,
            """
            CREATE TABLE IF NOT EXISTS \(derived) (
            \(keys)
              scope VARBINARY(255) NOT NULL,
              PRIMARY KEY (\(names), scope)
            ) \(Self.engine)
            """,
        ]
        for (place, upper) in uppers.enumerated() {
            let columns = try types(upper.table, upper.columns).enumerated()
                .map { "  c\($0) \($1)," }
            steps.append(
                """
                CREATE TABLE IF NOT EXISTS \(upperQueue(place)) (
                  id BIGINT UNSIGNED NOT NULL,
                \(columns.joined(separator: "\n"))
                  PRIMARY KEY (id)
                ) \(Self.engine)
                """)
        }
        return steps
    }

    /// Every table that ``tableSteps(types:)`` can have made.
    static func tables(of table: AttachedTable) -> [String] {
        ["queue", "track", "touched", "derived", "missed"].map { table.objectName($0) }
            + table.upperNames(["queue"]).sorted()
    }

    // MARK: Triggers

    struct Trigger {
        let name: String
        let table: String
        let event: String
        let body: String
    }

    /// - Throws: ``CentralError`` where foreign-key actions reach the table, or one above it, in more ways than
    ///   this server's triggers can follow.
    func triggers() throws -> [Trigger] {
        var triggers = rowTriggers
        for (place, upper) in uppers.enumerated() {
            triggers += upperTriggers(place, upper)
        }
        return try triggers + cascadeTriggers()
    }

    private func note(_ row: String) -> String {
        """
        INSERT INTO \(shape.queue) (id, \(shape.keyList()), changed_at)
            VALUES (UUID_SHORT(), \(shape.trackedList(row)), \(Self.now));
        """
    }

    private func object(_ kind: String) -> String { table.objectName(kind) }

    private var rowTriggers: [Trigger] {
        let same = zip(shape.tracked("OLD"), shape.tracked("NEW")).map { "\($0) <=> \($1)" }
            .joined(separator: " AND ")
        return [
            Trigger(
                name: object("insert"), table: table.name, event: "AFTER INSERT",
                body: "\(Self.passing)\n\(note("NEW"))"),
            Trigger(
                name: object("update"), table: table.name, event: "AFTER UPDATE",
                body: """
                    \(Self.passing)
                    IF NOT (\(same)) THEN
                      \(note("OLD"))
                    END IF;
                    \(note("NEW"))
                    """),
            Trigger(
                name: object("delete"), table: table.name, event: "AFTER DELETE",
                body: "\(Self.passing)\n\(note("OLD"))"),
        ]
    }

    private func noteUpper(_ place: Int, _ upper: ScopeUpper, _ row: String) -> String {
        let columns = upper.columns.indices.map { "c\($0)" }.joined(separator: ", ")
        let values = upper.columns.map { "\(row).\(SQLText.name($0))" }.joined(separator: ", ")
        return """
            INSERT INTO \(upperQueue(place)) (id, \(columns)) VALUES (UUID_SHORT(), \(values));
            """
    }

    private func upperTriggers(_ place: Int, _ upper: ScopeUpper) -> [Trigger] {
        func trigger(_ kind: String, _ event: String, _ body: String) -> Trigger {
            Trigger(
                name: table.upperName(place, kind), table: upper.table, event: event,
                body: "\(Self.passing)\n\(body)")
        }
        // By bytes: a scope is named by them.
        let same = Set(upper.columns + upper.deciding).sorted().map(SQLText.name).map {
            "CAST(OLD.\($0) AS BINARY) <=> CAST(NEW.\($0) AS BINARY)"
        }.joined(separator: " AND ")
        let (old, new) = (noteUpper(place, upper, "OLD"), noteUpper(place, upper, "NEW"))
        return [
            trigger("insert", "AFTER INSERT", new),
            trigger("delete", "AFTER DELETE", old),
            trigger(
                "update", "AFTER UPDATE",
                """
                IF NOT (\(same)) THEN
                  \(old)
                  \(new)
                END IF;
                """),
        ]
    }

    /// Rows that a trigger must note, and what it notes of them.
    private struct Sink {
        let table: String
        /// Columns of the table by which the noted rows are found again.
        let recorded: [String]
        let insert: (String) -> String
    }

    private var sinks: [Sink] {
        let own = Sink(
            table: table.name, recorded: shape.keys.map(\.column.name),
            insert: { rows in
                "INSERT INTO \(shape.queue) (id, \(shape.keyList()), changed_at) \(rows);"
            })
        return [own]
            + uppers.enumerated().map { place, upper in
                let columns = upper.columns.indices.map { "c\($0)" }.joined(separator: ", ")
                return Sink(
                    table: upper.table, recorded: upper.columns,
                    insert: { "INSERT INTO \(upperQueue(place)) (id, \(columns)) \($0);" })
            }
    }

    private func outputs(_ sink: Int, _ row: String) -> String {
        if sink == 0 { return "UUID_SHORT(), \(shape.trackedList(row)), \(Self.now)" }
        let columns = uppers[sink - 1].columns.map { "\(row).\(SQLText.name($0))" }
        return "UUID_SHORT(), " + columns.joined(separator: ", ")
    }

    /// On the tables above, for what foreign-key actions do to rows that are watched.
    private func cascadeTriggers() throws -> [Trigger] {
        var bodies: [String: [String: [String]]] = [:]
        for (place, sink) in sinks.enumerated() {
            let tree = CascadeTree(to: sink.table, edges: edges)
            guard tree.isWhole else {
                guard shape.kind.readsRecursivelyWithLocks else {
                    throw CentralError(.failed, CascadeTree.problem(of: sink.table))
                }
                for graph in CascadeGraph.all(to: sink.table, edges: edges) {
                    for (event, body) in follow(graph, sink, place, spare: tree) {
                        bodies[graph.root, default: [:]][event, default: []].append(body)
                    }
                }
                continue
            }
            for chain in tree.chains {
                let rows = { row in
                    Self.reading { lock in
                        sink.insert(chain.rows(below: row, lock) { self.outputs(place, $0) })
                    }
                }
                if chain.isDelete {
                    bodies[chain.root, default: [:]]["BEFORE DELETE", default: []].append(
                        rows("OLD"))
                    continue
                }
                let changes = chain.edges[0].referenced.map(SQLText.name).map {
                    "CAST(OLD.\($0) AS BINARY) <=> CAST(NEW.\($0) AS BINARY)"
                }.joined(separator: " AND ")
                func ifChanged(_ body: String) -> String {
                    "IF NOT (\(changes)) THEN\n  \(body)\nEND IF;"
                }
                bodies[chain.root, default: [:]]["BEFORE UPDATE", default: []].append(
                    ifChanged(rows("OLD")))
                // Under what they are called afterwards, too.
                let isRenamed = sink.recorded.contains { name in
                    chain.changed.contains { $0.hasSameBytes(as: name) }
                }
                if isRenamed {
                    bodies[chain.root, default: [:]]["AFTER UPDATE", default: []].append(
                        ifChanged(rows("NEW")))
                }
            }
        }
        return bodies.keys.sorted().enumerated().flatMap { place, root in
            (bodies[root] ?? [:]).keys.sorted().map { event in
                let kind = "cascade\(place)_" + event.lowercased().replacing(" ", with: "_")
                // A table below that was dropped or changed takes its foreign key along. Who has switched the
                // checks of foreign keys off has switched their actions off, too.
                let body = """
                    DECLARE CONTINUE HANDLER FOR 1146, \(Self.moved) BEGIN END;
                    IF @@SESSION.foreign_key_checks THEN
                    \((bodies[root]?[event] ?? []).joined(separator: "\n"))
                    END IF;
                    """
                return Trigger(name: object(kind), table: root, event: event, body: body)
            }
        }
    }

    /// What the triggers of a graph's root do, by their events.
    ///
    /// - Parameter spare: The ways that are followed one by one once a column or a table is gone that the whole
    ///   statement names: those that are left, as far as they go.
    private func follow(_ graph: CascadeGraph, _ sink: Sink, _ place: Int, spare: CascadeTree)
        -> [(event: String, body: String)]
    {
        func noting(_ row: String, renaming: [String]?) -> String {
            let chains = spare.chains.filter {
                $0.root.hasSameBytes(as: graph.root) && $0.isDelete == graph.isDelete
            }
            let one = chains.map { chain in
                Self.reading { lock in
                    sink.insert(chain.rows(below: row, lock) { self.outputs(place, $0) })
                }
            }
            let all = Self.reading { lock in
                sink.insert(
                    graph.rows(below: row, lock, columns: sink.recorded, renaming: renaming) {
                        self.outputs(place, $0)
                    })
            }
            return """
                BEGIN
                  DECLARE EXIT HANDLER FOR 1146, 1054 BEGIN
                  \(one.joined(separator: "\n"))
                  END;
                  \(all)
                END;
                """
        }
        if graph.isDelete { return [("BEFORE DELETE", noting("OLD", renaming: nil))] }
        func ifChanged(_ body: String) -> String {
            "IF NOT (\(CascadeGraph.same(graph.referenced))) THEN\n  \(body)\nEND IF;"
        }
        let before = ("BEFORE UPDATE", ifChanged(noting("OLD", renaming: nil)))
        guard graph.changes(sink.recorded) else { return [before] }
        return [before, ("AFTER UPDATE", ifChanged(noting("NEW", renaming: sink.recorded)))]
    }

    /// A table that the statement which fired the trigger uses itself – one that refers to itself, one of
    /// several that are deleted from, one whose own trigger led here – cannot be locked for writing (1442).
    private static func reading(_ insert: (CascadeTree.Chain.RowLock) -> String) -> String {
        """
        BEGIN
          DECLARE EXIT HANDLER FOR 1442
            \(insert(.shared))
          \(insert(.exclusive))
        END;
        """
    }

    /// - Parameter isReplacing: A trigger of the name stands there.
    func step(_ trigger: Trigger, isReplacing: Bool) -> String {
        let name = SQLText.name(trigger.name)
        let definition = """
            TRIGGER \(name) \(trigger.event) ON \(SQLText.name(trigger.table)) FOR EACH ROW
            \(Self.block(trigger.body))
            """
        guard isReplacing else { return "CREATE \(definition)" }
        if shape.kind.replacesTriggers { return "CREATE OR REPLACE \(definition)" }
        // Nobody writes between the two.
        return """
            LOCK TABLES \(SQLText.name(trigger.table)) WRITE;
            DROP TRIGGER IF EXISTS \(name);
            CREATE \(definition);
            UNLOCK TABLES
            """
    }

    static func block(_ body: String) -> String { "BEGIN\n\(body)\nEND" }

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

    /// A query that finds something where rows went without a trigger, as TRUNCATE takes them
    /// (docs/decisions/0037): the tracking row that has not changed for the longest time speaks of a row that
    /// is not there, and no queue explains it. Rows that came again since have younger tracking rows.
    var signOfLoss: String {
        let explained =
            [
                """
                EXISTS (SELECT 1 FROM \(shape.queue) AS q WHERE \(shape.sameKeys("q", "r")))
                """
            ] + uppers.indices.map { "EXISTS (SELECT 1 FROM \(upperQueue($0)))" }
        return """
            SELECT 1 FROM (
              SELECT \(shape.keyList()), scope FROM \(shape.track) FORCE INDEX (gone)
              WHERE live = 1 ORDER BY version LIMIT 1) AS r
            WHERE NOT \(lives) AND NOT (\(explained.joined(separator: " OR ")))
            """
    }

    /// Every row whose tracking rows say otherwise than the row, into the queue.
    var mendSteps: [String] {
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

    /// Everyone reads every row again.
    var restamp: String {
        """
        INSERT INTO \(shape.queue) (id, \(shape.keyList()), changed_at)
        SELECT UUID_SHORT(), r.* FROM (
          SELECT \(shape.keyList("r")), max(r.changed_at) FROM \(shape.track) AS r
          GROUP BY \(shape.keyList("r"))) AS r
        """
    }

    /// A table that stands there while rows may have changed unseen, and not all have been read again.
    var missedName: String { table.objectName("missed") }

    var markMissed: String {
        """
        CREATE TABLE IF NOT EXISTS \(SQLText.name(missedName)) (id TINYINT NOT NULL PRIMARY KEY) \(Self.engine)
        """
    }

    var unmarkMissed: String { "DROP TABLE IF EXISTS \(SQLText.name(missedName))" }

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

    /// The keys of rows below what an upper table's queue `u` names.
    func below(_ place: Int, _ outputs: String, where condition: String) -> String {
        let upper = uppers[place]
        let level = "l\(upper.top)"
        let hangs = zip(upper.met, upper.columns.indices).map {
            "\(level).\(SQLText.name($0)) = u.c\($1)"
        }.joined(separator: " AND ")
        return """
            SELECT DISTINCT \(outputs) FROM \(upperQueue(place)) AS u
            JOIN (\(upper.path.below(upper.top + 1))) ON \(hangs) WHERE \(condition)
            """
    }
}
