import MoorageCore
import MoorageHub

/// A tracking query as a condition on the tracking table `r`, with the parameters it needs.
struct TrackingSelection {
    private(set) var conditions: [String] = []
    private(set) var parameters = Parameters()
    let isByVersion: Bool
    /// Whether the row became live before the checkpoint that the query reads from.
    private(set) var liveBefore = "false"

    init(_ query: TrackingQuery, in scope: Scope) throws {
        parameters.add(scope.name, type: 25)
        conditions.append("r.scope = $1")
        switch query {
        case .beyond(let since, let within):
            isByVersion = true
            let (index, range, exact) = try add(since)
            conditions += [range, exact, TrackingSQL.hasBeenIn("r")]
            liveBefore = "pg_visible_in_snapshot(r.live_since, \(index))"
            try bound(within)
        case .fromNothing(let copiedAt, let within):
            isByVersion = false
            if let copiedAt {
                let (index, range, exact) = try add(copiedAt)
                conditions += [
                    "(r.live OR (\(range) AND \(exact)))", TrackingSQL.hasBeenIn("r"),
                ]
                liveBefore = "pg_visible_in_snapshot(r.live_since, \(index))"
            } else {
                conditions.append("r.live")
            }
            try bound(within)
        case .revoke(let goneAfter, let lostAt):
            isByVersion = false
            if let goneAfter {
                let (_, range, exact) = try add(goneAfter)
                conditions.append("(r.live OR (\(range) AND \(exact)))")
            }
            guard let lostAt else { break }
            parameters.add(try SnapshotCheckpoint(lostAt).text, type: 25)
            liveBefore = "pg_visible_in_snapshot(r.live_since, $\(parameters.count)::pg_snapshot)"
            conditions += [liveBefore, TrackingSQL.hasBeenIn("r")]
        }
    }

    /// Adds a checkpoint's parameters. Returns its name and the two halves of the condition "beyond
    /// it". The index serves the first half.
    private mutating func add(_ checkpoint: Checkpoint) throws -> (String, String, String) {
        let snapshot = try SnapshotCheckpoint(checkpoint)
        parameters.add(snapshot.text, type: 25)
        let text = "$\(parameters.count)::pg_snapshot"
        parameters.add(String(snapshot.minimum), type: 25)
        return (
            text, "r.version >= $\(parameters.count)::xid8",
            "NOT pg_visible_in_snapshot(r.version, \(text))"
        )
    }

    private mutating func bound(_ checkpoint: Checkpoint?) throws {
        guard let checkpoint else { return }
        let snapshot = try SnapshotCheckpoint(checkpoint)
        parameters.add(snapshot.text, type: 25)
        conditions.append("pg_visible_in_snapshot(r.version, $\(parameters.count)::pg_snapshot)")
        parameters.add(String(snapshot.maximum), type: 25)
        conditions.append("r.version < $\(parameters.count)::xid8")
    }
}
