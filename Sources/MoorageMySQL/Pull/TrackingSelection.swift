import MoorageCore
import MoorageHub

/// A tracking query as a condition on the tracking table `r`, and on what has no number yet.
struct TrackingSelection {
    let condition: String
    let arguments: [Value]
    let isByVersion: Bool
    let includesUnnumbered: Bool
    /// The number of the mark that the query reads from.
    let since: Int64?
    /// Of what has no number yet, only what had come into the scope by this number.
    private var lost: Int64?
    private var wantsTombstones = true
    private var wantsAll = false
    /// What is read now is not asked for again.
    private(set) var isTakingBack = false

    private static let hasBeenIn = "(r.live OR r.entered IS NOT NULL)"

    init(_ query: TrackingQuery) throws {
        switch query {
        case .beyond(let mark, let target):
            let number = try NumberedMark(mark).number
            let within = try target.map { try NumberedMark($0).number }
            condition = "r.version > ? AND r.version <= ? AND \(Self.hasBeenIn)"
            arguments = [.integer(number), .integer(within ?? .max)]
            (isByVersion, includesUnnumbered, since) = (true, target == nil, number)
        case .fromNothing(let heldAt, let target):
            since = try heldAt.map { try NumberedMark($0).number }
            let within = try target.map { try NumberedMark($0).number }
            let gone =
                since == nil ? "r.live" : "(r.live OR r.version > ?) AND \(Self.hasBeenIn)"
            condition = gone + (within == nil ? "" : " AND r.version <= ?")
            arguments = [since, within].compactMap { $0.map(Value.integer) }
            (isByVersion, includesUnnumbered) = (false, target == nil)
            wantsTombstones = since != nil
        case .takeBack(let goneAfter, let lostAt):
            let gone = try goneAfter.map { try NumberedMark($0).number }
            lost = try lostAt.map { try NumberedMark($0).number }
            since = lost
            condition =
                (gone == nil ? "1 = 1" : "(r.live OR r.version > ?)")
                + (lost == nil ? "" : " AND r.entered <= ?")
            arguments = [gone, lost].compactMap { $0.map(Value.integer) }
            (isByVersion, includesUnnumbered) = (false, true)
            wantsAll = lost == nil
            isTakingBack = true
        }
    }

    /// Whether the query has an entry without a number.
    func takes(_ entry: Overlay.Entry) -> Bool {
        guard includesUnnumbered else { return false }
        if wantsAll { return entry.isTracked || entry.isLive }
        if let lost { return entry.entered.map { $0 <= lost } ?? false }
        return entry.isLive || (wantsTombstones && entry.hasBeenIn)
    }
}
