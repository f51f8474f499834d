import MoorageCore
import MoorageHub

extension MySQLConnection {
    /// The last number, and how many entries of each queue are visible. Every commit to a tracked
    /// table changes one of them. Entries are only removed together with a new number, so no token
    /// repeats. (The last id of a queue would not do. Ids are assigned before the commit, so a
    /// lower one may be committed later.)
    ///
    /// TRUNCATE changes neither, so the token also says whether rows were lost
    /// (docs/decisions/0037). In a snapshot it does not, because a numbering step has looked for
    /// them before the page.
    func changeToken() throws -> String {
        try withPresentTables {
            let tables = try trackedTables()
            var parts =
                ["(SELECT max(number) FROM moorage_clock)"]
                + tables.flatMap(queues).map { "(SELECT count(*) FROM \($0))" }
            if !isSnapshot, !tables.isEmpty {
                let losses = tables.map { "EXISTS (\($0.lossQuery))" }
                parts.append("IF(\(losses.joined(separator: " OR ")), 'lost', NULL)")
            }
            return try link.query("SELECT concat_ws('/', \(parts.joined(separator: ", ")))")
                .text(0, 0) ?? ""
        }
    }

    func changedScopes(
        _ table: AttachedTable, among scopes: Set<Scope>, beyond checkpoint: Checkpoint
    ) throws
        -> Set<Scope>
    {
        let shape = try shape(of: table)
        let names = scopes.sorted().map(\.name)
        guard !names.isEmpty else { return [] }
        var parameters = Parameters()
        parameters.add(Self.list(names))
        parameters.add(try NumberedCheckpoint(checkpoint).number)
        let answer = try link.query(
            """
            SELECT s.i FROM \(Self.names("s"))
            WHERE EXISTS (SELECT 1 FROM \(shape.track) AS r WHERE r.scope = s.name AND r.version > ?)
            """, parameters, [.integer])
        var found = Set(
            (0..<answer.rowCount).map { Scope(names[Int(answer.integer($0, 0) ?? 1) - 1]) })
        let unnumberedRows = try unnumberedRows(of: shape)
        if unnumberedRows.isTruncated { return scopes }
        for entry in unnumberedRows.entries { found.insert(Scope(entry.scope)) }
        return found.intersection(scopes)
    }

    /// Names as one argument: `i, name`.
    private static func names(_ alias: String) -> String {
        """
        (SELECT j.i, UNHEX(j.name) AS name FROM JSON_TABLE(?, '$[*]' COLUMNS (
           i FOR ORDINALITY, name VARCHAR(510) CHARACTER SET latin1 PATH '$.name')) AS j
         LIMIT 18446744073709551615) AS \(alias)
        """
    }

    private static func list(_ names: [String]) -> String {
        RowList.text(names.map { [("name", SQLText.hexadecimal(Array($0.utf8)))] })
    }

    // MARK: Content

    func content(
        _ table: AttachedTable, columns: [Int], in scope: Scope, _ query: TrackingQuery,
        after: TrackingPosition?, limit: Int
    ) throws -> TrackedContent {
        let shape = try shape(of: table)
        let selection = try TrackingSelection(query)
        let unnumberedRows = try unnumberedRows(of: shape)
        if unnumberedRows.isTruncated, selection.isRevoking {
            throw CentralError.tooManyUnnumbered(of: shape.table.name)
        }
        let entries = unnumberedRows.entries.filter {
            $0.scope.hasSameBytes(as: scope.name) && selection.matches($0)
        }
        var parts: [QueryResult] = []
        if selection.isByVersion {
            // After the numbered rows only unnumbered ones are left.
            let isBehind = after?.version == .max
            if !isBehind {
                parts.append(
                    try read(
                        shape, columns, selection, scope, after, limit, unnumberedRows, entries: [])
                )
            }
            let rest = limit - (parts.first?.rowCount ?? 0)
            if rest > 0, !entries.isEmpty {
                parts.append(
                    try read(
                        shape, columns, selection, nil, isBehind ? after : nil, rest,
                        unnumberedRows,
                        entries: entries))
            }
        } else {
            parts.append(
                try read(
                    shape, columns, selection, scope, after, limit, unnumberedRows, entries: entries
                ))
        }
        return content(
            shape, columns, parts,
            isPartial: unnumberedRows.isTruncated && selection.includesUnnumbered)
    }

    /// - Parameters:
    ///   - scope: The scope whose tracking rows are read; `nil` to read only `entries`.
    ///   - entries: Unnumbered rows to read with them, in the same order.
    private func read(
        _ shape: TableShape, _ columns: [Int], _ selection: TrackingSelection, _ scope: Scope?,
        _ after: TrackingPosition?, _ limit: Int, _ unnumberedRows: UnnumberedRows,
        entries: [UnnumberedRows.Entry]
    ) throws -> QueryResult {
        var parameters = Parameters()
        let keys = shape.keyList("r")
        let order = selection.isByVersion && scope != nil ? "r.version, \(keys)" : keys
        var sources: [String] = []
        if let scope {
            if let since = selection.since { parameters.add(since) }
            let earlier = selection.since == nil ? "0" : "coalesce(r.live_since <= ?, 0)"
            var conditions = ["r.scope = ?", selection.condition]
            parameters.add(Value.blob(Array(scope.name.utf8)))
            for argument in selection.arguments { parameters.add(argument) }
            // A row that the scan passes over must get a number beyond its upper bound. The scan
            // meets those rows now that may get none.
            var join = ""
            let meetsTombstones = !selection.includesUnnumbered
            if unnumberedRows.isTruncated {
                let exclusion = try queuedExclusion(shape, meetsTombstones: meetsTombstones)
                join = exclusion.join
                conditions.append(exclusion.condition)
            }
            let met = meetsTombstones ? unnumberedRows.tombstones(in: scope) : []
            if let exclusion = exclusion(unnumberedRows, but: met, shape, &parameters) {
                conditions.append(exclusion)
            }
            if let after, after.key.values.isEmpty {
                if selection.isByVersion {
                    conditions.append("r.version >= ?")
                    parameters.add(Int64(clamping: after.version))
                }
            } else if let after {
                if selection.isByVersion {
                    let version = Int64(clamping: after.version)
                    conditions.append(
                        "(r.version > ? OR (r.version = ? AND \(shape.isBehind("r"))))")
                    parameters.add(version)
                    parameters.add(version)
                } else {
                    conditions.append(shape.isBehind("r"))
                }
                for value in shape.positionValues(after.key) { parameters.add(value) }
            }
            parameters.add(Int64(max(0, limit)))
            let index = selection.isByVersion ? "" : try keyOrderIndex(shape, [scope])
            sources.append(
                """
                (SELECT \(keys), r.live, r.version, \(earlier) AS earlier
                 FROM \(shape.track) AS r\(index)\(join) WHERE \(conditions.joined(separator: " AND "))
                 ORDER BY \(order) LIMIT ?)
                """)
        }
        if !entries.isEmpty {
            parameters.add(list(entries, shape, since: selection.since))
            var condition = "1 = 1"
            if let after, !after.key.values.isEmpty {
                condition = shape.isBehind("x")
                for value in shape.positionValues(after.key) { parameters.add(value) }
            }
            sources.append(
                """
                (SELECT \(shape.keyList("x")), x.live, NULL AS version, x.earlier
                 FROM \(shape.keyRows(["live TINYINT", "earlier TINYINT"])) WHERE \(condition))
                """)
        }
        parameters.add(Int64(max(0, limit)))
        let values = columns.map { shape.columns[$0].output("t." + shape.columns[$0].quoted) }
        let rows =
            columns.isEmpty
            ? "" : "LEFT JOIN \(shape.name) AS t ON r.live AND \(shape.match("t", "r"))"
        let found = columns.isEmpty ? "0" : "t.\(shape.keys[0].column.quoted) IS NOT NULL"
        let outputs = [shape.keyOutputs("r"), "r.live", "r.version", "r.earlier", found] + values
        let outerOrder = sources.count == 1 ? order : keys
        return try link.query(
            """
            SELECT \(outputs.joined(separator: ", "))
            FROM (\(sources.joined(separator: " UNION ALL "))
                  ORDER BY \(outerOrder.replacing("r.", with: "")) LIMIT ?) AS r \(rows)
            ORDER BY \(outerOrder)
            """, parameters,
            shape.keyKinds + [.integer, .integer, .integer, .integer]
                + columns.map { shape.columns[$0].resultKind })
    }

    /// The condition that leaves out the unnumbered keys, except `others`.
    func exclusion(
        _ unnumberedRows: UnnumberedRows, but others: Set<RowKey> = [], _ shape: TableShape,
        _ parameters: inout Parameters
    ) -> String? {
        let keys = unnumberedRows.keys.filter { !others.contains($0) }
        guard !keys.isEmpty else { return nil }
        parameters.add(shape.list(keys))
        return """
            (\(shape.keyList("r"))) NOT IN (SELECT \(shape.keyList("x")) FROM \(shape.keyRows()))
            """
    }

    private func list(_ entries: [UnnumberedRows.Entry], _ shape: TableShape, since: Int64?)
        -> String
    {
        RowList.text(entries.map { elements(of: $0, shape, since: since) })
    }

    func elements(of entry: UnnumberedRows.Entry, _ shape: TableShape, since: Int64?)
        -> [(name: String, text: String?)]
    {
        let isEarlier = since.map { since in entry.liveSince.map { $0 <= since } ?? false }
        return shape.elements(of: entry.key) + [
            ("live", entry.isLive ? "1" : "0"), ("earlier", isEarlier == true ? "1" : "0"),
            ("scope", SQLText.hexadecimal(Array(entry.scope.utf8))),
            ("live_since", entry.liveSince.map(String.init)),
        ]
    }

    private func content(
        _ shape: TableShape, _ columns: [Int], _ parts: [QueryResult], isPartial: Bool
    ) -> TrackedContent {
        let count = shape.keys.count
        func joined(_ place: Int) -> ValueColumn {
            var result = parts.first?.columns[place] ?? ValueColumn()
            for part in parts.dropFirst() {
                result.append(part.columns[place], rows: 0..<part.rowCount)
            }
            return result
        }
        func flags(_ place: Int) -> [Bool] { joined(place).words.map { $0 == 1 } }
        let versions = joined(count + 1)
        return TrackedContent(
            keys: RowColumns((0..<count).map(joined)), isLive: flags(count),
            versions: zip(versions.kinds, versions.words).map { $0 == .null ? nil : $1 },
            wasLiveBefore: flags(count + 2), isFound: flags(count + 3),
            rows: RowColumns(columns.indices.map { joined(count + 4 + $0) }), isPartial: isPartial)
    }

    /// Counts up to a limit. Beyond it the server's estimate is good enough for a progress bar.
    func countTracked(_ table: AttachedTable, in scope: Scope, _ query: TrackingQuery) throws -> Int
    {
        let shape = try shape(of: table)
        let selection = try TrackingSelection(query)
        var parameters = Parameters()
        parameters.add(Value.blob(Array(scope.name.utf8)))
        for argument in selection.arguments { parameters.add(argument) }
        let counted =
            try link.query(
                """
                SELECT count(*) FROM (SELECT 1 FROM \(shape.track) AS r
                  WHERE r.scope = ? AND \(selection.condition) LIMIT 100000) AS part
                """, parameters, [.integer]
            ).integer(0, 0) ?? 0
        guard counted == 100_000 else { return Int(clamping: counted) }
        let estimate = try link.query(
            """
            SELECT table_rows FROM information_schema.tables
            WHERE table_schema = database() AND table_name = ?
            """, Self.parameters(table.objectName("track")), [.integer], isKept: false)
        return Int(clamping: max(counted, estimate.integer(0, 0) ?? 0))
    }

    // MARK: Keys

    func tracked(
        _ table: AttachedTable, keys: [RowKey], in scopes: Set<Scope>
    ) throws -> [RowKey: Bool] {
        var tracked: [RowKey: Bool] = [:]
        for entry in try entries(of: keys, in: try shape(of: table))
        where scopes.contains(Scope(entry.scope)) {
            tracked[entry.key] = tracked[entry.key] == true || entry.isLive
        }
        return tracked
    }

    func newcomers(
        _ table: AttachedTable, among keys: [RowKey], in scopes: Set<Scope>,
        beyond checkpoint: Checkpoint
    ) throws -> Set<RowKey> {
        let entries = try entries(of: keys, in: try shape(of: table))
        let number = try NumberedCheckpoint(checkpoint).number
        let live = entries.filter { $0.isLive && scopes.contains(Scope($0.scope)) }
        let new = Dictionary(grouping: live, by: \.key).filter { _, entries in
            !entries.contains { $0.isAccounted(at: number) }
        }
        return Set(new.keys)
    }

    func known(
        _ table: AttachedTable, among keys: [RowKey], in scopes: Set<Scope>,
        by checkpoint: Checkpoint
    ) throws -> Set<RowKey> {
        let number = try NumberedCheckpoint(checkpoint).number
        let entries = try entries(of: keys, in: try shape(of: table))
        let known = entries.filter { entry in
            scopes.contains(Scope(entry.scope)) && entry.liveSince.map { $0 <= number } ?? false
        }
        return Set(known.map(\.key))
    }

    func rows(_ table: AttachedTable, keys: [RowKey], in scopes: Set<Scope>) throws -> [[Value]] {
        let shape = try shape(of: table)
        let live = Set(
            try entries(of: keys, in: shape)
                .filter { $0.isLive && scopes.contains(Scope($0.scope)) }.map(\.key))
        return try chunks(live.map { shape.elements(of: $0) }, { $0 }).flatMap { part in
            var parameters = Parameters()
            parameters.add(RowList.text(part))
            let answer = try link.query(
                """
                SELECT \(shape.outputs("l"))
                FROM \(shape.keyRows()) STRAIGHT_JOIN \(shape.name) AS l ON \(shape.match("l", "x"))
                """, parameters, shape.columnKinds)
            return (0..<answer.rowCount).map { shape.row(answer, $0, from: 0) }
        }
    }

    // MARK: Comparing

    func rows(
        _ table: AttachedTable, after: RowKey?, limit: Int, in scopes: ComparedScopes,
        beyond checkpoint: Checkpoint?
    ) throws -> [ComparedCentralRow] {
        let shape = try shape(of: table)
        let unnumberedRows = try unnumberedRows(of: shape)
        if unnumberedRows.isTruncated {
            throw CentralError.tooManyUnnumbered(of: shape.table.name)
        }
        func inScopes(_ scopes: Set<Scope>) -> String {
            let names = scopes.sorted().map { SQLText.literal(Array($0.name.utf8)) }
            return names.isEmpty ? "0" : "r.scope IN (\(names.joined(separator: ", ")))"
        }
        let since = try checkpoint.map { try NumberedCheckpoint($0).number }
        let beyond = since.map { "(r.version IS NULL OR r.version > \($0))" } ?? "0"
        let keys = shape.keyList("r")
        var parameters = Parameters()
        func position(_ row: String) -> String {
            guard let after else { return "1 = 1" }
            for value in shape.positionValues(after) { parameters.add(value) }
            return shape.isBehind(row)
        }
        var conditions = [inScopes(scopes.authorized)]
        if let exclusion = exclusion(unnumberedRows, shape, &parameters) {
            conditions.append(exclusion)
        }
        conditions.append(position("r"))
        var source = """
            SELECT \(keys), r.scope, r.live, r.version, r.live_since
            FROM \(shape.track) AS r\(try keyOrderIndex(shape, scopes.authorized)) WHERE \(conditions.joined(separator: " AND "))
            """
        let entries = unnumberedRows.entries.filter { scopes.authorized.contains(Scope($0.scope)) }
        if !entries.isEmpty {
            parameters.add(list(entries, shape, since: nil))
            let listed = shape.keyRows([
                "scope VARCHAR(510) CHARACTER SET latin1", "live TINYINT", "live_since BIGINT",
            ])
            source += """
                 UNION ALL SELECT \(shape.keyList("x")), UNHEX(x.scope), x.live, NULL, x.live_since
                FROM \(listed) WHERE \(position("x"))
                """
        }
        parameters.add(Int64(max(0, limit)))
        let answer = try link.query(
            """
            SELECT \(shape.keyOutputs("r")), r.live AND t.\(shape.keys[0].column.quoted) IS NOT NULL,
              r.beyond, r.been, \(shape.outputs("t"))
            FROM (SELECT \(keys), max(r.live) AS live,
                         max(\(beyond)) OR NOT max(r.live AND \(inScopes(scopes.whole))) AS beyond,
                         max(r.live OR r.live_since IS NOT NULL) AS been
                  FROM (\(source)) AS r
                  WHERE r.live OR (\(beyond) AND \(inScopes(scopes.read)))
                  GROUP BY \(keys) ORDER BY \(keys) LIMIT ?) AS r
            LEFT JOIN \(shape.name) AS t ON \(shape.match("t", "r"))
            ORDER BY \(keys)
            """, parameters,
            shape.keyKinds + [.integer, .integer, .integer] + shape.columnKinds, isKept: false)
        let count = shape.keys.count
        return (0..<answer.rowCount).map { row in
            let isLive = answer.isTrue(row, count)
            return ComparedCentralRow(
                key: shape.key(answer, row, from: 0),
                values: isLive ? shape.row(answer, row, from: count + 3) : nil,
                isBeyondCheckpoint: answer.isTrue(row, count + 1),
                hasBeenIn: answer.isTrue(row, count + 2))
        }
    }
}
