import MoorageCore

/// Reads one table in one scope piece by piece, in the query's order.
struct ScopeReading {
    let table: RequestedTable
    let scope: Scope
    /// Whether the replica may see the rows. If not, only their tracking rows are read.
    let isAuthorized: Bool
    let query: TrackingQuery
    /// The tracking row behind which the next piece begins; `nil` at the beginning.
    private(set) var position: TrackingPosition?
    private var isOver = false
    /// Whether any piece had ``TrackedContent/isPartial``.
    private(set) var isPartial = false

    /// - Throws: `malformed` for a position that is in no key of the table.
    init(
        of table: RequestedTable, in scope: Scope, isAuthorized: Bool, _ query: TrackingQuery,
        after position: TrackingPosition? = nil
    ) throws {
        if let position { try table.check(position: position.key) }
        self.table = table
        self.scope = scope
        self.isAuthorized = isAuthorized
        self.query = query
        self.position = position
    }

    /// - Parameter limit: How many tracking rows at most.
    /// - Returns: `nil` when there are no more.
    mutating func next(_ limit: Int, on connection: any CentralConnection) throws
        -> TrackedContent?
    {
        if isOver { return nil }
        let content = try connection.content(
            table.attached, columns: isAuthorized ? table.columns : [], in: scope, query,
            after: position,
            limit: limit)
        isOver = content.count < limit
        isPartial = isPartial || content.isPartial
        if content.count == 0 { return nil }
        position = position(of: content.count - 1, in: content)
        return content
    }

    /// The place behind a tracking row, with its key as the database has it. Reading on behind the
    /// normal form would pass over rows, or read some again.
    func position(of row: Int, in content: TrackedContent) -> TrackingPosition {
        TrackingPosition(
            version: isByVersion ? content.versions[row] ?? .max : 0,
            key: RowKey(content.keys[row]))
    }

    /// The key of a tracking row in its normal form.
    func key(of row: Int, in content: TrackedContent) -> RowKey {
        table.attached.description.key(content.keys[row])
    }

    private var isByVersion: Bool { if case .beyond = query { true } else { false } }
}
