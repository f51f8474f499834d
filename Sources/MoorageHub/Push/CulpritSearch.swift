import MoorageCore

/// Finds the changes of a batch on which the central database fails with an error that the hub does
/// not know.
///
/// The search halves the batch until each culprit is alone. Each try takes some of the changes in a
/// transaction of its own, and rolls it back. An unknown error may have ended the whole
/// transaction.
struct CulpritSearch {
    /// How many changes all tries of one search may take together. What is left after that is
    /// refused with the culprits, so that no device can keep the hub busy with one batch.
    static let maximumWork = 100_000

    /// Takes only these changes, by their places in the batch, and undoes them.
    private let attempt: (Set<Int>) throws -> Void
    private var work: Int
    private var passing: Set<Int> = []
    private(set) var culprits: [Int: Refusal] = [:]

    init(
        maximumWork: Int = CulpritSearch.maximumWork, _ attempt: @escaping (Set<Int>) throws -> Void
    ) {
        self.attempt = attempt
        work = maximumWork
    }

    /// - Parameter count: How many changes the batch has.
    /// - Throws: The error of a try without any change. The changes are not at fault then.
    mutating func search(_ count: Int) throws {
        try attempt([])
        try sift(0..<count)
    }

    private mutating func sift(_ range: Range<Int>) throws {
        if range.isEmpty { return }
        let tried = passing.union(range)
        work -= tried.count
        do {
            try attempt(tried)
            passing = tried
        } catch let error as CentralError where error.isOwnFault {
            guard range.count > 1, work > 0 else {
                for index in range { culprits[index] = error.refusalOfChange }
                return
            }
            let middle = range.lowerBound + range.count / 2
            try sift(range.lowerBound..<middle)
            try sift(middle..<range.upperBound)
        }
    }
}

extension CentralError {
    /// The reason for refusing the change on which the database failed so.
    var refusalOfChange: Refusal {
        if case .refused(let refusal) = kind { return refusal }
        return Refusal.failed(message)
    }
}

/// Changes that the hub refuses without asking the database.
struct Exclusion {
    var changes: [Int: Refusal] = [:]
    /// Whether they get a line in the conflict log with their values. A database may fail on that,
    /// too.
    var isLogged = true

    /// All changes of a batch except these.
    static func all(
        of count: Int, but included: Set<Int>,
        _ reason: Refusal = Refusal.leftOutOfTry
    ) -> Exclusion {
        let others = (0..<count).filter { !included.contains($0) }
        return Exclusion(
            changes: Dictionary(uniqueKeysWithValues: others.map { ($0, reason) }), isLogged: false)
    }
}
