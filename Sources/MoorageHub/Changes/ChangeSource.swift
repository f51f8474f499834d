import MoorageCore

/// What a tracking row says of a change. The row itself is read later.
struct TrackedChange: Hashable, Sendable {
    /// 0 where rows are read for the first time.
    let version: UInt64
    /// The key as the database has it, by which reading goes on. A SQLite file may have it in another
    /// form.
    let storedKey: RowKey
    /// The key in its one form.
    let key: RowKey
    let isLive: Bool
    let wasLiveBefore: Bool
}

/// The tracking rows of one table in one scope, in the order of a bounded query.
struct ChangeSource {
    /// The most tracking rows that are read at once.
    private static let mostAtOnce = 512

    /// The table's place in the feed.
    let table: Int
    let scope: Scope
    private let attached: AttachedTable
    private let query: TrackingQuery
    private let isByVersion: Bool
    private var pieceRows: Int
    private var piece: [TrackedChange] = []
    /// The place in the piece.
    private var next = 0
    /// The position behind which the piece begins; `nil` at the beginning of the query.
    private var start: TrackingPosition?
    private var isLast = false

    /// - Parameters:
    ///   - query: With an upper bound, so that each tracking row has a version.
    ///   - firstRows: How many tracking rows are read first.
    init(
        _ attached: AttachedTable, at table: Int, in scope: Scope, _ query: TrackingQuery,
        after start: TrackingPosition?, firstRows: Int
    ) {
        self.attached = attached
        self.table = table
        self.scope = scope
        self.query = query
        self.start = start
        isByVersion = if case .beyond = query { true } else { false }
        pieceRows = max(1, min(firstRows, Self.mostAtOnce))
    }

    /// The next tracking row, which stays the next one; `nil` at the end.
    mutating func peek(on connection: any CentralConnection) throws -> TrackedChange? {
        if next == piece.count, !isLast { try load(on: connection) }
        return next < piece.count ? piece[next] : nil
    }

    /// Goes on behind the tracking row that ``peek(on:)`` returned.
    mutating func advance() { next += 1 }

    /// Goes on behind a position.
    mutating func seek(_ position: TrackingPosition) {
        start = position
        piece = []
        next = 0
        isLast = false
    }

    /// Goes back to the first tracking row of a version, where it is not in front of it.
    mutating func rewind(to version: UInt64) {
        if let first = piece.firstIndex(where: { $0.version >= version }),
            first > 0 || isBefore(version)
        {
            next = first
        } else {
            seek(TrackingPosition(version: version, key: RowKey([])))
        }
    }

    /// Whether the piece begins before all tracking rows of a version, or with the first of them.
    private func isBefore(_ version: UInt64) -> Bool {
        guard let start else { return true }
        return start.version < version
            || start.version == version && start.key.values.isEmpty
    }

    private mutating func load(on connection: any CentralConnection) throws {
        if let last = piece.last {
            start = TrackingPosition(version: last.version, key: last.storedKey)
        }
        let content = try connection.content(
            attached, columns: [], in: scope, query, after: start, limit: pieceRows)
        isLast = content.count < pieceRows
        piece = (0..<content.count).map { row in
            TrackedChange(
                version: isByVersion ? content.versions[row] ?? 0 : 0,
                storedKey: RowKey(content.keys[row]),
                key: attached.description.key(content.keys[row]), isLive: content.isLive[row],
                wasLiveBefore: content.wasLiveBefore[row])
        }
        next = 0
        pieceRows = min(pieceRows * 2, Self.mostAtOnce)
    }
}
