import MoorageCore
import MoorageHub

extension PostgresConnection {
    func resolveMoves() throws {
        let unresolved = try link.query(
            "SELECT DISTINCT number FROM \(ScopedTrackingSQL.unresolvedMoveTable(schema))",
            Parameters())
        for row in 0..<unresolved.rowCount {
            guard let number = unresolved.integer(row, 0) else { continue }
            try begin(.write)
            do {
                try link.simple("SELECT \(TrackingSQL.resolveFunction(Int(number), in: schema))()")
                try commit()
            } catch {
                rollback()
                throw error
            }
        }
    }

    func currentCheckpoint() throws -> Checkpoint {
        try checkpoint(link.query("SELECT \(checkpointSQL)", Parameters()))
    }

    /// The snapshot, and whether rows have moved in it whose scopes are not derived yet.
    var checkpointSQL: String {
        """
        pg_current_snapshot()::text, EXISTS (SELECT FROM \(ScopedTrackingSQL.unresolvedMoveTable(schema)))::text
        """
    }

    /// - Parameter answer: An answer that begins with ``checkpointSQL``.
    func checkpoint(_ answer: QueryResult) throws -> Checkpoint {
        guard answer.text(0, 1) == "false" else { throw CentralError.scopesNotDerived }
        return Checkpoint(answer.text(0, 0) ?? "")
    }

    func changeToken() throws -> String {
        try link.query("SELECT pg_current_snapshot()::text", Parameters()).text(0, 0) ?? ""
    }

    func changedScopes(
        _ table: AttachedTable, among scopes: Set<Scope>, beyond checkpoint: Checkpoint
    ) throws
        -> Set<Scope>
    {
        let shape = try shape(of: table)
        let checkpoint = try SnapshotCheckpoint(checkpoint)
        var parameters = Parameters()
        parameters.add(texts: scopes.sorted().map(\.name))
        parameters.add(checkpoint.text, type: 25)
        parameters.add(String(checkpoint.minimum), type: 25)
        // The limit keeps the planner from reading the whole index for a join.
        let answer = try link.query(
            """
            SELECT s.name FROM unnest($1) AS s (name), LATERAL (
              SELECT FROM \(shape.track) AS r
              WHERE r.scope = s.name AND r.version >= $3::xid8
                AND NOT pg_visible_in_snapshot(r.version, $2::pg_snapshot) LIMIT 1) AS found
            """, parameters)
        return Set((0..<answer.rowCount).compactMap { answer.text($0, 0).map { Scope($0) } })
    }

    func isKnown(_ checkpoint: Checkpoint) throws -> Bool {
        let checkpoint = try SnapshotCheckpoint(checkpoint)
        if checkpoint.maximum <= nextTransaction { return true }
        let now = try link.query("SELECT pg_current_snapshot()::text", Parameters()).text(0, 0)
        return try checkpoint.maximum <= SnapshotCheckpoint(Checkpoint(now ?? "")).maximum
    }

    func content(
        _ table: AttachedTable, columns: [Int], in scope: Scope, _ query: TrackingQuery,
        after: TrackingPosition?, limit: Int
    ) throws -> TrackedContent {
        let shape = try shape(of: table)
        let selection = try TrackingSelection(query, in: scope)
        var (conditions, parameters) = (selection.conditions, selection.parameters)
        let keys = shape.keyNames("r")
        let order = selection.isByVersion ? "r.version, \(keys)" : keys
        if let after, !after.key.values.isEmpty {
            let first = parameters.count + 1
            shape.add(position: after.key, to: &parameters)
            var position = shape.position(from: first)
            if selection.isByVersion {
                parameters.add(String(after.version), type: 25)
                position = "$\(parameters.count)::xid8, " + position
            }
            conditions.append("(\(order)) > (\(position))")
        } else if let after, selection.isByVersion {
            parameters.add(String(after.version), type: 25)
            conditions.append("r.version >= $\(parameters.count)::xid8")
        }
        parameters.add(String(max(0, limit)), type: 20)
        let tracking = """
            SELECT \(keys), r.live, r.version, \(selection.liveBefore) AS earlier
            FROM \(shape.track) AS r WHERE \(conditions.joined(separator: " AND "))
            ORDER BY \(order) LIMIT $\(parameters.count)
            """
        // Finds each row by its key. Another join may read the table from its beginning for every
        // page.
        let values = columns.enumerated().map { place, column in
            shape.columns[column].output("t." + shape.columns[column].quoted) + " AS c\(place)"
        }
        let rows =
            columns.isEmpty
            ? ""
            : """
            LEFT JOIN LATERAL (
              SELECT 1::bigint AS found, \(values.joined(separator: ", "))
              FROM \(shape.name) AS t WHERE r.live AND \(shape.match("t", "r")) LIMIT 1) AS l ON true
            """
        let found = columns.isEmpty ? [] : ["l.found"] + columns.indices.map { "l.c\($0)" }
        let outputs = [
            shape.keyOutputs("r"), "r.live::integer::bigint", "r.version::text::bigint",
            "r.earlier::integer::bigint",
        ]
        let answer = try link.query(
            """
            SELECT \((outputs + found).joined(separator: ", "))
            FROM (\(tracking)) AS r \(rows) ORDER BY \(order)
            """, parameters)
        let count = shape.keys.count
        let versions = answer.column(count + 1, .integer)
        return TrackedContent(
            keys: RowColumns(
                shape.keys.indices.map { answer.column($0, shape.keys[$0].column.resultKind) }),
            isLive: answer.flags(count),
            versions: zip(versions.kinds, versions.words).map { $0 == .null ? nil : $1 },
            wasLiveBefore: answer.flags(count + 2),
            isFound: columns.isEmpty
                ? Array(repeating: false, count: answer.rowCount) : answer.flags(count + 3),
            rows: RowColumns(
                columns.enumerated().map { place, column in
                    answer.column(count + 4 + place, shape.columns[column].resultKind)
                }))
    }

    /// Counts up to a limit. Beyond it the planner's estimate is good enough for a progress bar.
    func countTracked(_ table: AttachedTable, in scope: Scope, _ query: TrackingQuery) throws -> Int
    {
        let shape = try shape(of: table)
        let selection = try TrackingSelection(query, in: scope)
        let answer = try link.query(
            """
            SELECT count(*), (SELECT c.reltuples::bigint FROM pg_class AS c
                              WHERE c.oid = \(SQLText.literal(shape.track))::regclass)
            FROM (SELECT FROM \(shape.track) AS r
                  WHERE \(selection.conditions.joined(separator: " AND ")) LIMIT 100000) AS part
            """, selection.parameters)
        let counted = answer.integer(0, 0) ?? 0
        guard counted == 100_000 else { return Int(clamping: counted) }
        return Int(clamping: max(counted, answer.integer(0, 1) ?? 0))
    }

    func tracked(
        _ table: AttachedTable, keys: [RowKey], in scopes: Set<Scope>
    ) throws -> [RowKey: Bool] {
        let shape = try shape(of: table)
        let possible = keys.filter { shape.canBe($0, isOwn: true) }
        guard !possible.isEmpty, !scopes.isEmpty else { return [:] }
        var parameters = Parameters()
        try shape.add(keys: possible, to: &parameters)
        parameters.add(texts: scopes.sorted().map(\.name))
        let answer = try link.query(
            """
            SELECT x.i, bool_or(r.live)::integer::bigint
            FROM \(shape.keyRows()) JOIN \(shape.track) AS r ON \(shape.sameKeys("r", "x"))
            WHERE r.scope = ANY ($\(parameters.count)) GROUP BY x.i
            """, parameters)
        var tracked: [RowKey: Bool] = [:]
        for row in 0..<answer.rowCount {
            guard let number = answer.integer(row, 0) else { continue }
            tracked[possible[Int(number) - 1]] = answer.integer(row, 1) == 1
        }
        return tracked
    }

    func newcomers(
        _ table: AttachedTable, among keys: [RowKey], in scopes: Set<Scope>,
        beyond checkpoint: Checkpoint
    ) throws -> Set<RowKey> {
        let shape = try shape(of: table)
        let possible = keys.filter { shape.canBe($0, isOwn: true) }
        guard !possible.isEmpty, !scopes.isEmpty else { return [] }
        var parameters = Parameters()
        try shape.add(keys: possible, to: &parameters)
        parameters.add(texts: scopes.sorted().map(\.name))
        let held = "r.scope = ANY ($\(parameters.count))"
        parameters.add(try SnapshotCheckpoint(checkpoint).text, type: 25)
        let answer = try link.query(
            """
            SELECT x.i
            FROM \(shape.keyRows()) JOIN \(shape.track) AS r ON \(shape.sameKeys("r", "x"))
            WHERE \(held) AND r.live GROUP BY x.i
            HAVING NOT bool_or(pg_visible_in_snapshot(r.live_since, $\(parameters.count)::pg_snapshot))
            """, parameters)
        return Set(
            (0..<answer.rowCount).compactMap { row in
                answer.integer(row, 0).map { possible[Int($0) - 1] }
            })
    }

    func known(
        _ table: AttachedTable, among keys: [RowKey], in scopes: Set<Scope>,
        by checkpoint: Checkpoint
    ) throws -> Set<RowKey> {
        let shape = try shape(of: table)
        let possible = keys.filter { shape.canBe($0, isOwn: true) }
        guard !possible.isEmpty, !scopes.isEmpty else { return [] }
        var parameters = Parameters()
        try shape.add(keys: possible, to: &parameters)
        parameters.add(texts: scopes.sorted().map(\.name))
        let isScope = "r.scope = ANY ($\(parameters.count))"
        parameters.add(try SnapshotCheckpoint(checkpoint).text, type: 25)
        let answer = try link.query(
            """
            SELECT DISTINCT x.i
            FROM \(shape.keyRows()) JOIN \(shape.track) AS r ON \(shape.sameKeys("r", "x"))
            WHERE \(isScope) AND \(TrackingSQL.hasBeenIn("r"))
              AND pg_visible_in_snapshot(r.live_since, $\(parameters.count)::pg_snapshot)
            """, parameters)
        return Set(
            (0..<answer.rowCount).compactMap { row in
                answer.integer(row, 0).map { possible[Int($0) - 1] }
            })
    }

    func rows(_ table: AttachedTable, keys: [RowKey], in scopes: Set<Scope>) throws -> [[Value]] {
        let shape = try shape(of: table)
        let keys = Set(keys).filter { shape.canBe($0, isOwn: true) }
        guard !keys.isEmpty, !scopes.isEmpty else { return [] }
        var parameters = Parameters()
        try shape.add(keys: Array(keys), to: &parameters)
        parameters.add(texts: scopes.sorted().map(\.name))
        let answer = try link.query(
            """
            SELECT \(shape.outputs("l"))
            FROM \(shape.keyRows()) JOIN \(shape.name) AS l ON \(shape.match("l", "x"))
            WHERE EXISTS (
              SELECT FROM \(shape.track) AS r
              WHERE \(shape.sameKeys("r", "x")) AND r.scope = ANY ($\(parameters.count)) AND r.live)
            """, parameters)
        return (0..<answer.rowCount).map { shape.row(answer, $0, from: 0) }
    }

    func rows(
        _ table: AttachedTable, after: RowKey?, limit: Int, in scopes: ComparedScopes,
        beyond checkpoint: Checkpoint?
    ) throws -> [ComparedCentralRow] {
        let shape = try shape(of: table)
        var parameters = Parameters()
        parameters.add(texts: scopes.authorized.sorted().map(\.name))
        var beyond = "false"
        if let checkpoint {
            parameters.add(try SnapshotCheckpoint(checkpoint).text, type: 25)
            beyond = "NOT pg_visible_in_snapshot(r.version, $2::pg_snapshot)"
        }
        parameters.add(texts: scopes.read.sorted().map(\.name))
        let isGone = "\(beyond) AND r.scope = ANY ($\(parameters.count))"
        parameters.add(texts: scopes.whole.sorted().map(\.name))
        let isWhole = "r.live AND r.scope = ANY ($\(parameters.count))"
        var condition = "r.scope = ANY ($1) AND (r.live OR (\(isGone)))"
        let keys = shape.keyNames("r")
        if let after {
            let first = parameters.count + 1
            shape.add(position: after, to: &parameters)
            condition += " AND (\(keys)) > (\(shape.position(from: first)))"
        }
        parameters.add(String(max(0, limit)), type: 20)
        let outputs = shape.keyOutputs("r")
        let values = shape.columns.enumerated().map { position, column -> String in
            column.output("t." + column.quoted) + " AS c\(position)"
        }
        let names = shape.columns.indices.map { "l.c\($0)" }.joined(separator: ", ")
        let answer = try link.query(
            """
            SELECT \(outputs),
                   (l.found IS NOT NULL AND r.live)::integer::bigint, r.beyond::integer::bigint,
                   r.been::integer::bigint, \(names)
            FROM (SELECT \(keys), bool_or(r.live) AS live, bool_or(\(beyond)) OR NOT bool_or(\(isWhole)) AS beyond,
                         bool_or(\(TrackingSQL.hasBeenIn("r"))) AS been
                  FROM \(shape.track) AS r WHERE \(condition)
                  GROUP BY \(keys) ORDER BY \(keys) LIMIT $\(parameters.count)) AS r
            LEFT JOIN LATERAL (
              SELECT true AS found, \(values.joined(separator: ", "))
              FROM \(shape.name) AS t WHERE \(shape.match("t", "r")) LIMIT 1) AS l ON true
            ORDER BY \(keys)
            """, parameters)
        let count = shape.keys.count
        return (0..<answer.rowCount).map { row in
            let isLive = answer.integer(row, count) == 1
            return ComparedCentralRow(
                key: shape.key(answer, row, from: 0),
                values: isLive ? shape.row(answer, row, from: count + 3) : nil,
                isBeyondCheckpoint: answer.integer(row, count + 1) == 1,
                hasBeenIn: answer.integer(row, count + 2) == 1)
        }
    }
}
