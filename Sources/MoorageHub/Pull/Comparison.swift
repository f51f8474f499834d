import MoorageCore
import MoorageWire

/// Pages through one table as the hub has it, for `verify` and for a replica whose triggers were
/// lost.
struct Comparison {
    let connection: any CentralConnection
    let state: HubState
    /// Recognizes signed cursors; `nil` where no table has scopes.
    let signer: CursorSigner?
    let authorized: Set<Scope>
    let maximumRows: Int

    func page(_ request: CompareRequest) throws -> CompareAnswer {
        guard let table = RequestedTable(request.table, in: state.attached) else {
            throw HubError.noTableWithColumns(request.table.name)
        }
        if let reason = state.attached.suspended[Identifier(table.attached.name)] {
            throw HubError.tableSuspended(reason)
        }
        // As the page before named it. The database orders keys as it has them.
        let after = request.after
        if let after { try table.check(position: after) }
        let epoch = request.cursor.epoch
        try connection.begin(.snapshot)
        defer { connection.rollback() }
        // The horizon in the state may be older than this snapshot.
        let facts = try Metadata(connection: connection).facts()
        let isOther = epoch != nil && epoch != facts.epoch
        if try isOther || signer?.accept(request.cursor) == false
            || request.cursor.isBehind(facts.horizon, connection)
            || request.cursor.isOfLostHistory(facts, connection)
        {
            throw HubError.cursorExpired
        }
        let checkpoint = epoch == nil ? nil : request.cursor.checkpoint
        let limit = max(1, min(request.maximumRows, request.withValues ? 500 : maximumRows))
        let scopes = compared(for: request.cursor)
        var rows: [ComparedCentralRow] = []
        var place = after
        var isEnd = false
        // The answer also names the row at which the page ends, so that row must be one that it may
        // name.
        func key(_ row: ComparedCentralRow) -> RowKey {
            table.attached.description.key(row.key.values)
        }
        while rows.isEmpty, !isEnd {
            let read = try connection.rows(
                table.attached, after: place, limit: limit, in: scopes, beyond: checkpoint)
            isEnd = read.count < limit
            place = read.last?.key
            rows = read.filter { row in
                // A row that is gone is named only if a replica may have it. Then the row was live
                // at some checkpoint, or was sent ahead of one.
                row.values != nil || row.hasBeenIn
                    || request.cursor.ahead.contains(
                        RowName(table: table.name, key: key(row)))
            }
        }
        let compared = rows.map { row -> ComparedRow in
            let key = key(row)
            guard let values = row.values.map(table.restrict) else {
                return ComparedRow(
                    key: key, fingerprint: nil, values: nil,
                    isBeyondCursor: row.isBeyondCheckpoint)
            }
            if table.restricted.withheldColumn(in: values) != nil {
                return ComparedRow(
                    key: key, fingerprint: nil, values: nil,
                    isBeyondCursor: row.isBeyondCheckpoint,
                    isWithheld: true)
            }
            return ComparedRow(
                key: key, fingerprint: table.restricted.fingerprint(of: values),
                values: request.withValues ? values : nil, isBeyondCursor: row.isBeyondCheckpoint)
        }
        return CompareAnswer(rows: compared, next: isEnd ? nil : rows.last?.key)
    }

    /// The scopes to compare. The user may have got a scope since the replica's last page, or a
    /// scan of it may be in progress. If the replica lacks a row of such a scope, nobody deleted it
    /// there.
    private func compared(for cursor: SyncCursor) -> ComparedScopes {
        if signer == nil { return ComparedScopes(authorized) }
        return ComparedScopes(
            authorized: authorized,
            read: authorized.intersection(cursor.named.union([.everything])),
            whole: authorized.intersection(cursor.complete))
    }
}
