import MoorageCore
import MoorageWire

/// Pages through one table as the hub holds it, for `verify` and for a replica whose triggers were
/// lost.
struct Comparison {
    let connection: any CentralConnection
    let state: HubState
    let held: Set<Scope>
    let maximumRows: Int

    func page(_ request: CompareRequest) throws -> CompareAnswer {
        guard let table = RequestedTable(request.table, in: state.attached) else {
            throw HubError(
                .unknownTable, "The hub has no table \(request.table.name) with these columns.")
        }
        let after = request.after.map { table.attached.description.key($0.values) }
        let epoch = request.cursor.epoch
        try connection.begin(.snapshot)
        defer { connection.rollback() }
        // What the state says of the horizon may be older than this snapshot.
        let facts = try Metadata(connection: connection).facts()
        let isOther = epoch != nil && epoch != facts.epoch
        if try isOther || request.cursor.isBehind(facts.horizon, connection)
            || request.cursor.isOfLostHistory(facts, connection)
        {
            throw HubError(
                .cursorExpired,
                """
                The replica's copy is of an earlier time than the hub can compare with. Sync it first.
                """)
        }
        let mark = epoch == nil ? nil : request.cursor.mark
        let limit = max(1, min(request.maximumRows, request.withValues ? 500 : maximumRows))
        let rows = try connection.rows(
            table.attached, after: after, limit: limit, in: held, beyond: mark)
        let compared = rows.map { row -> ComparedRow in
            guard let values = row.values.map(table.restrict) else {
                return ComparedRow(
                    key: row.key, fingerprint: nil, values: nil, isBeyondCursor: row.isBeyondMark)
            }
            if table.restricted.withheldColumn(in: values) != nil {
                return ComparedRow(
                    key: row.key, fingerprint: nil, values: nil, isBeyondCursor: row.isBeyondMark,
                    isWithheld: true)
            }
            return ComparedRow(
                key: row.key, fingerprint: table.restricted.fingerprint(of: values),
                values: request.withValues ? values : nil, isBeyondCursor: row.isBeyondMark)
        }
        return CompareAnswer(rows: compared, next: rows.count == limit ? rows.last?.key : nil)
    }
}
