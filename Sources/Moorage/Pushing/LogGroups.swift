import MoorageCore

/// The groups that the app marked, as far as they are in the log. Their rows are sent in one batch,
/// and the hub accepts all of them or none.
struct LogGroups {
    /// A row of the log, by the table's place in the batch's order.
    struct Member: Hashable {
        let table: Int
        let localKey: LocalKey
    }

    /// The rows of each group; groups that share a row are one.
    private(set) var members: [[Member]] = []
    private var numbers: [Member: Int] = [:]
    private var blocked: Set<Int> = []

    /// `nil` when no entry belongs to a group.
    ///
    /// - Parameter elsewhere: Groups with rows of suspended tables. They wait until those tables
    ///   resume.
    init?(_ readings: [LogReading], elsewhere: Set<Int64>) throws {
        var roots: [Int64: Int64] = [:]
        func root(_ group: Int64) -> Int64 {
            var group = group
            while let next = roots[group], next != group { group = next }
            return group
        }
        var groups: [Member: Int64] = [:]
        var order: [Member] = []
        for (table, reading) in readings.enumerated() {
            try reading.forEachGrouped { localKey, group in
                let member = Member(table: table, localKey: localKey)
                if roots[group] == nil { roots[group] = group }
                if let known = groups[member] {
                    roots[root(group)] = root(known)
                } else {
                    groups[member] = group
                    order.append(member)
                }
            }
        }
        if order.isEmpty { return nil }
        var places: [Int64: Int] = [:]
        for member in order {
            guard let group = groups[member] else { continue }
            let key = root(group)
            let place = places[key] ?? members.count
            if place == members.count {
                places[key] = place
                members.append([])
            }
            members[place].append(member)
            numbers[member] = place
        }
        blocked = Set(elsewhere.compactMap { roots[$0] == nil ? nil : places[root($0)] })
    }

    var hasBlocked: Bool { !blocked.isEmpty }

    /// Whether a group has rows that cannot be sent with the others.
    func isBlocked(_ number: Int) -> Bool { blocked.contains(number) }

    /// The group of a row, as its place in ``members``.
    func number(_ table: Int, _ localKey: LocalKey) -> Int? {
        numbers[Member(table: table, localKey: localKey)]
    }
}
