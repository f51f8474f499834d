import MoorageCore
import MoorageHub

/// The tables that track a table's rows, and the triggers that feed them (docs/decisions/0036).
///
/// A trigger does one thing: it records in a queue which row was written. It locks nothing that
/// owners write, and none of their statements waits for a lock of Moorage's.
///
/// - Q1: Triggers add a queue's rows, each with its own id. Only the numbering step removes them,
///   after it has seen them committed.
/// - Q2: A trigger names only the key of the owner's row and the columns that decide about scopes.
///   Any other column can be dropped or renamed. If a named column is dropped, or gets a type that
///   Moorage cannot store, the owner's statement still succeeds. The next attach fills in what
///   could not be recorded.
struct TrackingSQL {
    let shape: TableShape
    let edges: [ForeignEdge]
    let paths: [ScopeSQL]

    init(_ shape: TableShape, edges: [ForeignEdge] = []) {
        self.shape = shape
        self.edges = edges
        paths = shape.table.scopes.map { ScopeSQL($0, in: MySQLScopes()) }
    }

    var table: AttachedTable { shape.table }
    static let now = MySQLConnection.nowSQL
    static let engine = "ENGINE = InnoDB ROW_FORMAT = DYNAMIC"

    /// The errors of a column that was dropped, renamed or given another type. (A handler catches
    /// them, because the server looks for the column only while the trigger runs.)
    private static let schemaErrors = "1048, 1054, 1264, 1265, 1292, 1366, 1406"
    private static let passing = "DECLARE CONTINUE HANDLER FOR \(schemaErrors) BEGIN END;"

    static func name(_ table: AttachedTable, _ kind: String) -> String {
        SQLText.name(table.objectName(kind))
    }

    var changed: String { Self.name(table, "touched") }
    var derived: String { Self.name(table, "derived") }
    var ancestors: [ScopeAncestor] { paths.flatMap(\.ancestors) }
    func ancestorQueue(_ place: Int) -> String { SQLText.name(table.ancestorName(place, "queue")) }

    // MARK: Tables

    /// - Parameter types: Returns the declared types of columns of an owner's table.
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
              live_since BIGINT,
              changed_at BIGINT NOT NULL,
              PRIMARY KEY (\(names), scope),
              KEY by_version (scope, version, \(names)),
              KEY gone (live, version)
            ) \(Self.engine)
            """,
        ]
        guard !paths.isEmpty else { return steps }
        steps += [
            // The current numbering step fills these two tables, and they are empty when it ends.
            """
            CREATE TABLE IF NOT EXISTS \(changed) (
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
        for (place, ancestor) in ancestors.enumerated() {
            let columns = try types(ancestor.table, ancestor.columns).enumerated()
                .map { "  c\($0) \($1)," }
            steps.append(
                """
                CREATE TABLE IF NOT EXISTS \(ancestorQueue(place)) (
                  id BIGINT UNSIGNED NOT NULL,
                \(columns.joined(separator: "\n"))
                  PRIMARY KEY (id)
                ) \(Self.engine)
                """)
        }
        return steps
    }

    /// Every table that ``tableSteps(types:)`` can create.
    static func tables(of table: AttachedTable) -> [String] {
        ["queue", "track", "touched", "derived", "missed"].map { table.objectName($0) }
            + table.ancestorNames(["queue"]).sorted()
    }

    // MARK: Triggers

    struct Trigger {
        let name: String
        let table: String
        let event: String
        let body: String
    }

    /// - Throws: ``CentralError`` where foreign-key actions reach the table or a scope ancestor in
    ///   more ways than this server's triggers can follow.
    func triggers() throws -> [Trigger] {
        var triggers = rowTriggers
        for (place, ancestor) in ancestors.enumerated() {
            triggers += ancestorTriggers(place, ancestor)
        }
        return try triggers + cascadeTriggers()
    }

    private func enqueue(_ row: String) -> String {
        """
        INSERT INTO \(shape.queue) (id, \(shape.keyList()), changed_at)
            VALUES (UUID_SHORT(), \(shape.trackedList(row)), \(Self.now));
        """
    }

    func object(_ kind: String) -> String { table.objectName(kind) }

    private var rowTriggers: [Trigger] {
        let same = zip(shape.tracked("OLD"), shape.tracked("NEW")).map { "\($0) <=> \($1)" }
            .joined(separator: " AND ")
        return [
            Trigger(
                name: object("insert"), table: table.name, event: "AFTER INSERT",
                body: "\(Self.passing)\n\(enqueue("NEW"))"),
            Trigger(
                name: object("update"), table: table.name, event: "AFTER UPDATE",
                body: """
                    \(Self.passing)
                    IF NOT (\(same)) THEN
                      \(enqueue("OLD"))
                    END IF;
                    \(enqueue("NEW"))
                    """),
            Trigger(
                name: object("delete"), table: table.name, event: "AFTER DELETE",
                body: "\(Self.passing)\n\(enqueue("OLD"))"),
        ]
    }

    private func enqueueAncestor(_ place: Int, _ ancestor: ScopeAncestor, _ row: String) -> String {
        let columns = ancestor.columns.indices.map { "c\($0)" }.joined(separator: ", ")
        let values = ancestor.columns.map { "\(row).\(SQLText.name($0))" }.joined(separator: ", ")
        return """
            INSERT INTO \(ancestorQueue(place)) (id, \(columns)) VALUES (UUID_SHORT(), \(values));
            """
    }

    private func ancestorTriggers(_ place: Int, _ ancestor: ScopeAncestor) -> [Trigger] {
        func trigger(_ kind: String, _ event: String, _ body: String) -> Trigger {
            Trigger(
                name: table.ancestorName(place, kind), table: ancestor.table, event: event,
                body: "\(Self.passing)\n\(body)")
        }
        // Compares bytes, because bytes name a scope.
        let same = Set(ancestor.columns + ancestor.deciding).sorted().map(SQLText.name).map {
            "CAST(OLD.\($0) AS BINARY) <=> CAST(NEW.\($0) AS BINARY)"
        }.joined(separator: " AND ")
        let (old, new) = (
            enqueueAncestor(place, ancestor, "OLD"), enqueueAncestor(place, ancestor, "NEW")
        )
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

    /// Rows that a trigger must record, and what it records of them.
    private struct Sink {
        let table: String
        /// The columns by which the recorded rows are found again.
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
            + ancestors.enumerated().map { place, ancestor in
                let columns = ancestor.columns.indices.map { "c\($0)" }.joined(separator: ", ")
                return Sink(
                    table: ancestor.table, recorded: ancestor.columns,
                    insert: { "INSERT INTO \(ancestorQueue(place)) (id, \(columns)) \($0);" })
            }
    }

    private func outputs(_ sink: Int, _ row: String) -> String {
        if sink == 0 { return "UUID_SHORT(), \(shape.trackedList(row)), \(Self.now)" }
        let columns = ancestors[sink - 1].columns.map { "\(row).\(SQLText.name($0))" }
        return "UUID_SHORT(), " + columns.joined(separator: ", ")
    }

    /// A row of the table itself needs a key. Without this, one that has none would fail the
    /// statement for all others once the owner lets a column of the key be NULL.
    private func isRecorded(_ sink: Int, _ row: String) -> String {
        if sink > 0 { return "1 = 1" }
        return shape.keys.map { "\(row).\($0.column.quoted) IS NOT NULL" }
            .joined(separator: " AND ")
    }

    private func insert(
        into sink: Sink, _ place: Int, _ chain: CascadeTree.Chain, below row: String,
        _ lock: CascadeTree.Chain.RowLock
    ) -> String {
        sink.insert(
            chain.rows(
                below: row, lock, where: { isRecorded(place, $0) }, { outputs(place, $0) }))
    }

    /// Triggers on the tables where foreign-key actions begin, for what the actions do to watched
    /// rows.
    private func cascadeTriggers() throws -> [Trigger] {
        var bodies: [String: [String: [String]]] = [:]
        for (place, sink) in sinks.enumerated() {
            let tree = CascadeTree(to: sink.table, edges: edges)
            guard tree.isWhole else {
                guard shape.kind.readsRecursivelyWithLocks else {
                    throw CentralError.tooManyCascades(to: sink.table)
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
                        self.insert(into: sink, place, chain, below: row, lock)
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
                // Records the rows under their new names, too.
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
                // A child table that was dropped or changed has lost its foreign key, so the
                // handler ignores that. A session without checks of foreign keys runs no actions
                // either.
                let body = """
                    DECLARE CONTINUE HANDLER FOR 1146, \(Self.schemaErrors) BEGIN END;
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
    /// - Parameter spare: Chains to follow one by one once a column or a table of the recursive
    ///   statement is gone. The remaining ones work as far as they go.
    private func follow(_ graph: CascadeGraph, _ sink: Sink, _ place: Int, spare: CascadeTree)
        -> [(event: String, body: String)]
    {
        func enqueueing(_ row: String, renaming: [String]?) -> String {
            let chains = spare.chains.filter {
                $0.root.hasSameBytes(as: graph.root) && $0.isDelete == graph.isDelete
            }
            let one = chains.map { chain in
                Self.reading { lock in
                    self.insert(into: sink, place, chain, below: row, lock)
                }
            }
            let all = Self.reading { lock in
                sink.insert(
                    graph.rows(
                        below: row, lock, columns: sink.recorded, renaming: renaming,
                        where: { self.isRecorded(place, $0) }, { self.outputs(place, $0) }))
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
        if graph.isDelete { return [("BEFORE DELETE", enqueueing("OLD", renaming: nil))] }
        func ifChanged(_ body: String) -> String {
            "IF NOT (\(CascadeGraph.same(graph.referenced))) THEN\n  \(body)\nEND IF;"
        }
        let before = ("BEFORE UPDATE", ifChanged(enqueueing("OLD", renaming: nil)))
        guard graph.changes(sink.recorded) else { return [before] }
        return [before, ("AFTER UPDATE", ifChanged(enqueueing("NEW", renaming: sink.recorded)))]
    }

    /// A trigger cannot take a write lock on a table that the statement which fired it also uses
    /// (1442). Such a table refers to itself, is one of several that are deleted from, or has the
    /// trigger that led here.
    private static func reading(_ insert: (CascadeTree.Chain.RowLock) -> String) -> String {
        """
        BEGIN
          DECLARE EXIT HANDLER FOR 1442
            \(insert(.shared))
          \(insert(.exclusive))
        END;
        """
    }

    /// - Parameter isReplacing: Whether a trigger of this name already exists.
    func step(_ trigger: Trigger, isReplacing: Bool) -> String {
        let name = SQLText.name(trigger.name)
        let definition = """
            TRIGGER \(name) \(trigger.event) ON \(SQLText.name(trigger.table)) FOR EACH ROW
            \(Self.block(trigger.body))
            """
        guard isReplacing else { return "CREATE \(definition)" }
        if shape.kind.replacesTriggers { return "CREATE OR REPLACE \(definition)" }
        // The lock keeps others from writing between the two.
        return """
            LOCK TABLES \(SQLText.name(trigger.table)) WRITE;
            DROP TRIGGER IF EXISTS \(name);
            CREATE \(definition);
            UNLOCK TABLES
            """
    }

    static func block(_ body: String) -> String { "BEGIN\n\(body)\nEND" }
}
