import MoorageCore
import MoorageHub

/// A tracking query as a condition on the tracking table `r` and on unnumbered rows.
struct TrackingSelection {
    let condition: String
    let arguments: [Value]
    let isByVersion: Bool
    let includesUnnumbered: Bool
    /// The number of the checkpoint that the query reads from.
    let since: Int64?
    /// If set, only those unnumbered rows match that had come into the scope by this number.
    private var lost: Int64?
    private var wantsTombstones = true
    private var wantsAll = false
    /// The query revokes a scope, and no later query reads its rows again.
    private(set) var isRevoking = false

    private static let hasBeenIn = "(r.live OR r.live_since IS NOT NULL)"

    init(_ query: TrackingQuery) throws {
        switch query {
        case .beyond(let checkpoint, let upperBound):
            let number = try NumberedCheckpoint(checkpoint).number
            let within = try upperBound.map { try NumberedCheckpoint($0).number }
            condition = "r.version > ? AND r.version <= ? AND \(Self.hasBeenIn)"
            arguments = [.integer(number), .integer(within ?? .max)]
            (isByVersion, includesUnnumbered, since) = (true, upperBound == nil, number)
        case .fromNothing(let copiedAt, let upperBound):
            since = try copiedAt.map { try NumberedCheckpoint($0).number }
            let within = try upperBound.map { try NumberedCheckpoint($0).number }
            let gone =
                since == nil ? "r.live" : "(r.live OR r.version > ?) AND \(Self.hasBeenIn)"
            condition = gone + (within == nil ? "" : " AND r.version <= ?")
            arguments = [since, within].compactMap { $0.map(Value.integer) }
            (isByVersion, includesUnnumbered) = (false, upperBound == nil)
            wantsTombstones = since != nil
        case .revoke(let goneAfter, let lostAt):
            let gone = try goneAfter.map { try NumberedCheckpoint($0).number }
            lost = try lostAt.map { try NumberedCheckpoint($0).number }
            since = lost
            condition =
                (gone == nil ? "1 = 1" : "(r.live OR r.version > ?)")
                + (lost == nil ? "" : " AND r.live_since <= ?")
            arguments = [gone, lost].compactMap { $0.map(Value.integer) }
            (isByVersion, includesUnnumbered) = (false, true)
            wantsAll = lost == nil
            isRevoking = true
        }
    }

    /// Whether the query includes an unnumbered row.
    func matches(_ entry: UnnumberedRows.Entry) -> Bool {
        guard includesUnnumbered else { return false }
        if wantsAll { return entry.isTracked || entry.isLive }
        if let lost { return entry.liveSince.map { $0 <= lost } ?? false }
        return entry.isLive || (wantsTombstones && entry.hasBeenIn)
    }
}
