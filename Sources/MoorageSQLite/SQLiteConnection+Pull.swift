import GRDBSQLite
import MoorageCore
import MoorageHub

extension SQLiteConnection {
    func content(
        _ table: AttachedTable, columns: [Int], in scope: Scope, _ query: TrackingQuery,
        after: TrackingPosition?, limit: Int
    ) throws -> TrackedContent {
        let shape = try shape(of: table)
        let selection = try TrackingSelection(query, shape: shape)
        var content = ContentReading(shape, columns: columns, since: selection.since)
        // After the numbered rows only unnumbered ones are left.
        let isBehind = selection.isByVersion && after?.version == .max
        if !isBehind { try read(&content, selection, scope, after, limit) }
        // Unnumbered rows come after all numbered ones.
        if selection.includesUnnumbered, selection.isByVersion, content.count < limit {
            try read(
                &content, selection.unnumbered, scope, isBehind ? after : nil,
                limit - content.count)
        }
        return content.content
    }

    private func read(
        _ content: inout ContentReading, _ selection: TrackingSelection, _ scope: Scope,
        _ after: TrackingPosition?, _ limit: Int
    ) throws {
        let shape = content.shape
        let keys = shape.trackKeys.map { "x.\($0)" }
        let order = (selection.isByVersion ? ["x.version"] + keys : keys).joined(separator: ", ")
        // Rows that everyone has are read in the order of keys. By the index of versions, each page
        // would read and sort all of them. In one of many scopes that index finds the few rows.
        let isByKey = selection.isScan && scope == .everything
        if isByKey, try isEmpty(shape, scope) { return }
        var condition = "\(isByKey ? "+" : "")x.scope = ? AND \(selection.condition)"
        var arguments: [Value] = [.text(scope.name)] + selection.arguments
        if let after, after.key.values.isEmpty {
            if selection.isByVersion {
                condition += " AND x.version >= ?"
                arguments.append(.integer(Int64(clamping: after.version)))
            }
        } else if let after {
            var place = try position(after.key, shape)
            if selection.isByVersion {
                place.marks.insert("?", at: 0)
                place.values.insert(.integer(Int64(clamping: after.version)), at: 0)
            }
            condition += " AND (\(order)) > (\(place.marks.joined(separator: ", ")))"
            arguments += place.values
        }
        let match = zip(shape.keyColumns, keys).map { TrackingTriggers.isSame("t.\($0)", as: $1) }
        let rows =
            content.columns.isEmpty
            ? ""
            : "LEFT JOIN \(shape.name) t ON x.live AND \(match.joined(separator: " AND "))"
        let found = content.columns.isEmpty ? "0" : "t.\(shape.keyColumns[0]) IS NOT NULL"
        let outputs =
            keys + ["x.live", "x.version", "x.live_since", found]
            + content.columns.map { "t.\(shape.column($0))" }
        let tracked = "FROM \(shape.track) x"
        let rest = "WHERE \(condition) ORDER BY \(order) LIMIT ?"
        // Where tracking rows must be sorted, the rows are looked up only for those that are left.
        let isSorted = selection.isScan && !isByKey && !content.columns.isEmpty
        let source =
            isSorted
            ? "FROM (SELECT * \(tracked) \(rest)) x \(rows) ORDER BY \(order)"
            : "\(tracked) \(rows) \(rest)"
        let sql = "SELECT \(outputs.joined(separator: ", ")) \(source)"
        try statement(sql).run(arguments + [.integer(Int64(limit))]) { content.add($0) }
    }

    /// `data_version` counts the commits of others, `total_changes` what this connection wrote.
    func changeToken() throws -> String {
        let version = try query("PRAGMA data_version").first?.first?.number ?? 0
        return "\(version)/\(sqlite3_total_changes64(handle))"
    }

    func changedScopes(
        _ table: AttachedTable, among scopes: Set<Scope>, beyond checkpoint: Checkpoint
    ) throws
        -> Set<Scope>
    {
        let shape = try shape(of: table)
        let number = Value.integer(try NumberedCheckpoint(checkpoint).number)
        return try scopes.filter { scope in
            let rows = try query(
                """
                SELECT EXISTS (SELECT 1 FROM \(shape.track) WHERE scope = ?1 AND version > ?2)
                    OR EXISTS (SELECT 1 FROM \(shape.track) WHERE scope = ?1 AND version IS NULL)
                """, [.text(scope.name), number])
            return rows.first?.first == .integer(1)
        }
    }

    /// A key that the database returned, as arguments behind which reading goes on.
    ///
    /// Text that is not UTF-8 was returned as a blob, and blobs come after all texts. The tracking
    /// table tells which of the two it was.
    private func position(
        _ key: RowKey, _ shape: TableShape
    ) throws -> (marks: [String], values: [Value]) {
        var (marks, values): ([String], [Value]) = ([], [])
        for (column, value) in zip(shape.trackKeys, shape.position(key)) {
            let before = zip(shape.trackKeys, marks).map { "\($0) = \($1) AND " }.joined()
            func exists(_ mark: String) throws -> Bool {
                try !query(
                    "SELECT 1 FROM \(shape.track) WHERE \(before)\(column) = \(mark) LIMIT 1",
                    values + [value]
                ).isEmpty
            }
            let isText = try value.mayBeText && exists(Value.asText("?")) && !exists("?")
            marks.append(isText ? Value.asText("?") : "?")
            values.append(value)
        }
        return (marks, values)
    }

    /// Whether the scope has never had a row of the table. Other scopes may have many.
    private func isEmpty(_ shape: TableShape, _ scope: Scope) throws -> Bool {
        var isEmpty = true
        try statement("SELECT 1 FROM \(shape.track) WHERE scope = ? LIMIT 1")
            .run([.text(scope.name)]) { _ in isEmpty = false }
        return isEmpty
    }

    func countTracked(_ table: AttachedTable, in scope: Scope, _ query: TrackingQuery) throws -> Int
    {
        let shape = try shape(of: table)
        let selection = try TrackingSelection(query, shape: shape)
        let sql =
            "SELECT count(*) FROM \(shape.track) x WHERE x.scope = ? AND \(selection.condition)"
        let count = try self.query(sql, [.text(scope.name)] + selection.arguments).first?.first
        return Int(clamping: count?.number ?? 0)
    }

    /// A file has one writer at a time, which sees everything.
    func resolveMoves() throws {}

    func tracked(
        _ table: AttachedTable, keys: [RowKey], in scopes: Set<Scope>
    ) throws -> [RowKey: Bool] {
        let shape = try shape(of: table)
        let names = scopes.sorted()
        let placeholders = names.map { _ in "?" }.joined(separator: ", ")
        let sql = """
            SELECT max(live) FROM \(shape.track)
            WHERE \(shape.trackPredicate) AND scope IN (\(placeholders)) HAVING count(*) > 0
            """
        var tracked: [RowKey: Bool] = [:]
        for key in keys {
            guard let stored = try shape.storable(key) else { continue }
            try statement(sql).run(stored + names.map { Value.text($0.name) }) {
                tracked[key] = $0.value(at: 0) == .integer(1)
            }
        }
        return tracked
    }

    func newcomers(
        _ table: AttachedTable, among keys: [RowKey], in scopes: Set<Scope>,
        beyond checkpoint: Checkpoint
    ) throws -> Set<RowKey> {
        let shape = try shape(of: table)
        let names = scopes.sorted()
        let placeholders = names.map { _ in "?" }.joined(separator: ", ")
        let sql = """
            SELECT min(live_since IS NULL OR live_since > ?) FROM \(shape.track)
            WHERE \(shape.trackPredicate) AND live AND scope IN (\(placeholders)) HAVING count(*) > 0
            """
        let number = Value.integer(try NumberedCheckpoint(checkpoint).number)
        var new: Set<RowKey> = []
        for key in keys {
            guard let stored = try shape.storable(key) else { continue }
            let arguments = [number] + stored + names.map { Value.text($0.name) }
            try statement(sql).run(arguments) {
                if $0.value(at: 0) == .integer(1) { new.insert(key) }
            }
        }
        return new
    }

    func known(
        _ table: AttachedTable, among keys: [RowKey], in scopes: Set<Scope>,
        by checkpoint: Checkpoint
    ) throws -> Set<RowKey> {
        let shape = try shape(of: table)
        let names = scopes.sorted()
        let placeholders = names.map { _ in "?" }.joined(separator: ", ")
        let sql = """
            SELECT 1 FROM \(shape.track)
            WHERE \(shape.trackPredicate) AND live_since <= ? AND scope IN (\(placeholders)) LIMIT 1
            """
        let number = Value.integer(try NumberedCheckpoint(checkpoint).number)
        var known: Set<RowKey> = []
        for key in keys {
            guard let stored = try shape.storable(key) else { continue }
            let arguments = stored + [number] + names.map { Value.text($0.name) }
            try statement(sql).run(arguments) { _ in known.insert(key) }
        }
        return known
    }

    func rows(_ table: AttachedTable, keys: [RowKey], in scopes: Set<Scope>) throws -> [[Value]] {
        let shape = try shape(of: table)
        let names = scopes.sorted()
        let placeholders = names.map { _ in "?" }.joined(separator: ", ")
        let sql = """
            SELECT \(shape.columnList) FROM \(shape.name)
            WHERE \(shape.keyPredicate) AND EXISTS (
              SELECT 1 FROM \(shape.track) WHERE \(shape.trackPredicate) AND live AND scope IN (\(placeholders)))
            """
        var rows: [[Value]] = []
        for key in keys {
            guard let stored = try shape.storable(key) else { continue }
            let arguments = stored + stored + names.map { Value.text($0.name) }
            try statement(sql).run(arguments) { row in
                let values = shape.row(row.values(0..<row.columnCount))
                if table.description.key(of: values) == key { rows.append(values) }
            }
        }
        return rows
    }

    func rows(
        _ table: AttachedTable, after: RowKey?, limit: Int, in scopes: ComparedScopes,
        beyond checkpoint: Checkpoint?
    ) throws -> [ComparedCentralRow] {
        let shape = try shape(of: table)
        let names = scopes.authorized.sorted()
        let (read, whole) = (scopes.read.sorted(), scopes.whole.sorted())
        func placeholders(_ scopes: [Scope]) -> String {
            scopes.map { _ in "?" }.joined(separator: ", ")
        }
        let since = try checkpoint.map { try NumberedCheckpoint($0).number }
        let keys = shape.trackKeys.map { "x.\($0)" }
        let match = zip(keys, shape.keyColumns).map { TrackingTriggers.isSame("t.\($1)", as: $0) }
            .joined(separator: " AND ")
        let columns = table.description.columns.map { "t.\($0.name.quoted)" }.joined(
            separator: ", ")
        // `+` keeps SQLite from using the index by scope, because it would sort the rest of the
        // table for each page.
        var arguments: [Value] = [since.map(Value.integer) ?? .null]
        arguments += (whole + names).map { .text($0.name) }
        var position = ""
        if let after {
            let place = try self.position(after, shape)
            position =
                "AND (\(keys.joined(separator: ", "))) > (\(place.marks.joined(separator: ", ")))"
            arguments += place.values
        }
        arguments += read.map { .text($0.name) }
        let sql = """
            SELECT \(keys.joined(separator: ", ")),
                   max(x.live AND t.\(shape.keyColumns[0]) IS NOT NULL),
                   max(?1 IS NOT NULL AND (x.version IS NULL OR x.version > ?1))
                   OR NOT max(x.live AND x.scope IN (\(placeholders(whole)))),
                   max(\(hasBeenIn("x."))), \(columns)
            FROM \(shape.track) x LEFT JOIN \(shape.name) t ON \(match)
            WHERE +x.scope IN (\(placeholders(names))) \(position)
              AND (x.live OR (
                ?1 IS NOT NULL AND (x.version IS NULL OR x.version > ?1)
                AND x.scope IN (\(placeholders(read)))))
            GROUP BY \(keys.joined(separator: ", "))
            ORDER BY \(keys.joined(separator: ", ")) LIMIT ?
            """
        var rows: [ComparedCentralRow] = []
        let count = shape.keyCount
        try statement(sql).run(arguments + [.integer(Int64(limit))]) { row in
            let isLive = row.value(at: Int32(count)) == .integer(1)
            let isBeyond = row.value(at: Int32(count + 1)) == .integer(1)
            rows.append(
                ComparedCentralRow(
                    key: shape.key(row.values(0..<count)),
                    values: isLive ? shape.row(row.values((count + 3)..<row.columnCount)) : nil,
                    isBeyondCheckpoint: isBeyond,
                    hasBeenIn: row.value(at: Int32(count + 2)) == .integer(1)))
        }
        return rows
    }
}

extension Value {
    /// Whether SQLite may have this blob as text: it is not UTF-8.
    var mayBeText: Bool {
        if case .blob(let bytes) = self {
            String(validating: bytes, as: UTF8.self) == nil
        } else {
            false
        }
    }

    static func asText(_ argument: String) -> String { "CAST(\(argument) AS TEXT)" }
}

/// Whether the row of a tracking row was in the scope at some checkpoint. A tracking row gets
/// `liveSince` when it is numbered while it is live.
private func hasBeenIn(_ alias: String) -> String {
    "(\(alias)live OR \(alias)live_since IS NOT NULL)"
}

/// A tracking query as a condition on the tracking table `x`.
private struct TrackingSelection {
    let condition: String
    let arguments: [Value]
    let isByVersion: Bool
    /// Whether the query reads by key through everything that a scope has.
    var isScan: Bool { !isByVersion && !isUnnumbered }
    let includesUnnumbered: Bool
    private var isUnnumbered = false
    /// The number of the checkpoint that the query reads from.
    let since: Int64?

    private init(
        _ condition: String, _ arguments: [Value], isByVersion: Bool, includesUnnumbered: Bool,
        since: Int64?
    ) {
        self.condition = condition
        self.arguments = arguments
        self.isByVersion = isByVersion
        self.includesUnnumbered = includesUnnumbered
        self.since = since
    }

    init(_ query: TrackingQuery, shape: TableShape) throws {
        switch query {
        case .beyond(let checkpoint, let upperBound):
            let since = try NumberedCheckpoint(checkpoint).number
            let within = try upperBound.map { try NumberedCheckpoint($0).number }
            self.init(
                "x.version > ? AND x.version <= ? AND \(hasBeenIn("x."))",
                [.integer(since), .integer(within ?? .max)],
                isByVersion: true, includesUnnumbered: upperBound == nil, since: since)
        case .fromNothing(let copiedAt, let upperBound):
            let since = try copiedAt.map { try NumberedCheckpoint($0).number }
            let within = try upperBound.map { try NumberedCheckpoint($0).number }
            let gone =
                since == nil
                ? "x.live" : "(x.live OR x.version > ? OR x.version IS NULL) AND \(hasBeenIn("x."))"
            // With an upper bound, only rows with a number up to it.
            let bound = within == nil ? "" : " AND x.version <= ?"
            self.init(
                gone + bound, [since, within].compactMap { $0.map(Value.integer) },
                isByVersion: false,
                includesUnnumbered: within == nil, since: since)
        case .revoke(let goneAfter, let lostAt):
            let gone = try goneAfter.map { try NumberedCheckpoint($0).number }
            let lost = try lostAt.map { try NumberedCheckpoint($0).number }
            let isGone = gone == nil ? "1" : "(x.live OR x.version > ? OR x.version IS NULL)"
            self.init(
                isGone + (lost == nil ? "" : " AND x.live_since <= ?"),
                [gone, lost].compactMap { $0.map(Value.integer) }, isByVersion: false,
                includesUnnumbered: true, since: lost)
        }
    }

    var unnumbered: TrackingSelection {
        var selection = TrackingSelection(
            "x.version IS NULL AND \(hasBeenIn("x."))", [], isByVersion: false,
            includesUnnumbered: true, since: since)
        selection.isUnnumbered = true
        return selection
    }
}
