/// Ends a transaction in which the database refused some writes of a group and took others. The
/// request is tried again without those groups.
struct BrokenGroups: Error {
    /// The writes that are not carried out, by their places, with the reasons.
    private(set) var places: [Int: RowProblem] = [:]
    /// What the conflict log says about the refusals.
    private(set) var conflicts: [ConflictRecord] = []
    private var rounds = 0

    /// How often groups are found before all of them are refused. One group may break another that
    /// refers to its rows.
    private static let maximumRounds = 3

    init() {}

    init(_ places: [Int: RowProblem], conflicts: [ConflictRecord]) {
        self.places = places
        self.conflicts = conflicts
    }

    mutating func add(_ other: BrokenGroups) {
        places.merge(other.places) { first, _ in first }
        conflicts += other.conflicts
        rounds += 1
    }

    var isRepeated: Bool { rounds >= Self.maximumRounds }

    /// Refuses every group of a batch. What is left cannot break any more.
    mutating func refuseAll(of batch: RowBatch) {
        for (place, write) in batch.writes.enumerated() where write.group != nil {
            if places[place] == nil { places[place] = .notWritten }
        }
    }
}

extension RowBatch {
    /// The places of the writes, so that each comes after those to which it is linked.
    var levels: [[Int]] {
        var level = Array(repeating: 0, count: writes.count)
        for (place, write) in writes.enumerated() {
            for link in write.links where link.source < place {
                level[place] = max(level[place], level[link.source] + 1)
            }
        }
        let byLevel = Dictionary(grouping: writes.indices) { level[$0] }
        return byLevel.keys.sorted().compactMap { byLevel[$0] }
    }
}
