import MoorageCore
import MoorageHub

/// The rows of a table that its queues contain and that have no number yet. For their keys the
/// tracking table is out of date. Their entries follow from the rows as they are now.
struct UnnumberedRows {
    struct Entry {
        let key: RowKey
        let scope: String
        let isLive: Bool
        /// As in the tracking table.
        let liveSince: Int64?
        let isTracked: Bool
        /// What the tracking table still says.
        let wasLive: Bool

        /// A replica may have read the row in a state with a checkpoint.
        var hasBeenIn: Bool { isLive || liveSince != nil }

        /// The tracking row is a tombstone. The next number reaches it only if the row is live
        /// again by then. The row as it is now does not promise that (docs/decisions/0050).
        var isTombstone: Bool { isTracked && !wasLive }

        /// Whether a replica whose checkpoint has this number hears when the row leaves the scope.
        /// The row came into the scope by that number, and its tracking row is live. The tombstone
        /// therefore gets a number beyond the checkpoint.
        func isAccounted(at number: Int64) -> Bool {
            isTracked && wasLive && liveSince.map { $0 <= number } ?? false
        }
    }

    /// Each key that a queued change affects, in no order.
    let keys: [RowKey]
    let entries: [Entry]
    /// There are more keys than can be listed, so `keys` and `entries` are empty.
    var isTruncated = false

    static let none = UnnumberedRows(keys: [], entries: [])
    static let truncated = UnnumberedRows(keys: [], entries: [], isTruncated: true)

    /// The keys whose tracking row in a scope is a tombstone. The next number may not reach them.
    func tombstones(in scope: Scope) -> Set<RowKey> {
        Set(
            entries.filter { $0.scope.hasSameBytes(as: scope.name) && $0.isTombstone }.map(\.key))
    }

    /// The hub lists at most this many keys. If there are more, the server leaves them out with a
    /// join.
    static let mostKeys = 5_000
}

extension MySQLConnection {
    /// The unnumbered rows of a table in the transaction that is open. A snapshot reads them once.
    func unnumberedRows(of shape: TableShape) throws -> UnnumberedRows {
        if isSnapshot, let known = unnumberedByTable[shape.table.number] { return known }
        let unnumberedRows = try readUnnumberedRows(shape)
        if isSnapshot { unnumberedByTable[shape.table.number] = unnumberedRows }
        return unnumberedRows
    }

    /// What the tracking table says of some keys, or will say. It follows from the rows, whether or
    /// not a queue contains the keys. A queue may contain any number of other keys, in a push's own
    /// transaction or after a large change of the owner's.
    func entries(of keys: [RowKey], in shape: TableShape) throws -> [UnnumberedRows.Entry] {
        guard let sql = try trackedSQL(of: shape) else { return [] }
        return try derive(sql, Array(Set(keys)).filter { sql.shape.canBe($0) })
    }

    /// The caller's table may not know its scopes, so this finds the table as it is attached.
    private func trackedSQL(of shape: TableShape) throws -> TrackingSQL? {
        try trackedTables().first { $0.shape.table.number == shape.table.number }
    }

    private func readUnnumberedRows(_ asked: TableShape) throws -> UnnumberedRows {
        guard let sql = try trackedSQL(of: asked) else { return .none }
        let shape = sql.shape
        let found = try link.query(
            """
            SELECT \(shape.keyOutputs("q")) FROM (\(queuedKeys(sql))) AS q
            LIMIT \(UnnumberedRows.mostKeys + 1)
            """, Parameters(), shape.keyKinds)
        guard found.rowCount > 0 else { return .none }
        guard found.rowCount <= UnnumberedRows.mostKeys else { return .truncated }
        let keys = (0..<found.rowCount).map { shape.key(found, $0, from: 0) }
        // The keys must fit into one argument, alone and with their entries.
        guard chunks(keys, { shape.elements(of: $0) }).count == 1 else { return .truncated }
        let entries = try derive(sql, keys)
        let isOneList = chunks(entries, { elements(of: $0, shape, since: nil) }).count <= 1
        return isOneList ? UnnumberedRows(keys: keys, entries: entries) : .truncated
    }

    /// A query for each key that a change affects and that has no number yet.
    private func queuedKeys(_ sql: TrackingSQL) -> String {
        let shape = sql.shape
        var sources = ["SELECT DISTINCT \(shape.keyList("q")) FROM \(shape.queue) AS q"]
        for place in sql.ancestors.indices {
            sources.append(sql.below(place, shape.trackedNamed("l0"), where: "1 = 1"))
        }
        return sources.joined(separator: " UNION ")
    }

    /// A join with tracking rows `r`, and its condition. They leave out the keys that cannot be
    /// listed.
    ///
    /// - Parameter meetsTombstones: Whether to keep tombstones
    ///   (``UnnumberedRows/tombstones(in:)``).
    func queuedExclusion(_ asked: TableShape, meetsTombstones: Bool) throws
        -> (join: String, condition: String)
    {
        guard let sql = try trackedSQL(of: asked) else { return ("", "1 = 1") }
        let met = meetsTombstones ? " OR NOT r.live" : ""
        return (
            " LEFT JOIN (\(queuedKeys(sql))) AS w ON \(asked.sameKeys("w", "r"))",
            "(w.k0 IS NULL\(met))"
        )
    }

    /// The entries of these keys, from the rows and the tracking table.
    private func derive(_ sql: TrackingSQL, _ keys: [RowKey]) throws -> [UnnumberedRows.Entry] {
        try chunks(keys, { sql.shape.elements(of: $0) }).flatMap { try entries(ofPart: $0, sql) }
    }

    private func entries(ofPart keys: [RowKey], _ sql: TrackingSQL) throws -> [UnnumberedRows.Entry]
    {
        let shape = sql.shape
        var list = Parameters()
        list.add(shape.list(keys))
        var live: [Int: Set<String>] = [:]
        if sql.shape.table.scopes.isEmpty {
            let rows = try link.query(
                """
                SELECT x.i FROM \(shape.keyRows()) STRAIGHT_JOIN \(shape.name) AS l ON \(shape.match("l", "x"))
                """, list, [.integer])
            for row in 0..<rows.rowCount { live[place(rows, row)] = [Scope.everything.name] }
        } else {
            let source = shape.keyRows().replacing(") AS x", with: ") AS c")
            for query in sql.scopes(of: source, "c.i") {
                let rows = try link.query(query, list, [.integer, .text])
                for row in 0..<rows.rowCount {
                    live[place(rows, row), default: []].insert(rows.text(row, 1) ?? "")
                }
            }
        }
        let tracked = try link.query(
            """
            SELECT x.i, r.scope, r.live_since, r.live
            FROM \(shape.keyRows()) STRAIGHT_JOIN \(shape.track) AS r ON \(shape.sameKeys("r", "x"))
            """, list, [.integer, .text, .integer, .integer])
        var entries: [UnnumberedRows.Entry] = []
        for row in 0..<tracked.rowCount {
            let (place, scope) = (place(tracked, row), tracked.text(row, 1) ?? "")
            let isLive = live[place]?.remove(scope) != nil
            entries.append(
                UnnumberedRows.Entry(
                    key: keys[place], scope: scope, isLive: isLive,
                    liveSince: tracked.integer(row, 2), isTracked: true,
                    wasLive: tracked.isTrue(row, 3)))
        }
        for (place, scopes) in live.sorted(by: { $0.key < $1.key }) {
            for scope in scopes.sorted() {
                entries.append(
                    UnnumberedRows.Entry(
                        key: keys[place], scope: scope, isLive: true, liveSince: nil,
                        isTracked: false, wasLive: false))
            }
        }
        return entries
    }

    private func place(_ result: QueryResult, _ row: Int) -> Int {
        Int(clamping: (result.integer(row, 0) ?? 1) - 1)
    }
}
