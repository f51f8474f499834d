import MoorageCore

/// Which rows of a table may have an excuse for differing from the hub's. Almost none have one, and every
/// row of a comparison is asked: what is in memory spares each of them three queries.
///
/// It is of one transaction. An entry that the comparison itself adds to the log is of a row that it does
/// not ask about again.
struct ComparisonExemptions {
    private enum ChangedKeys {
        case keys(Set<LocalKey>)
        /// Too many to remember: the log has an index and is asked.
        case many
    }
    private let changedKeys: ChangedKeys
    /// Some rows are deferred or withheld.
    let hasRowsBehind: Bool

    private static let rememberedKeys = 20_000

    init(_ reading: LogReading) throws {
        let statements = reading.statements
        hasRowsBehind =
            try !DeferredRows(statements: statements).isEmpty()
            || !WithheldRows(statements: statements).isEmpty()
        guard try reading.count(upTo: Self.rememberedKeys + 1) <= Self.rememberedKeys else {
            changedKeys = .many
            return
        }
        var keys: Set<LocalKey> = []
        try reading.forEachRow { localKey in
            keys.insert(Self.comparable(localKey))
            return true
        }
        changedKeys = .keys(keys)
    }

    /// Whether the log has entries of the row; they may say nothing.
    func mayHaveLocalChange(_ localKey: LocalKey) -> Bool {
        switch changedKeys {
        case .keys(let keys): !keys.isEmpty && keys.contains(Self.comparable(localKey))
        case .many: true
        }
    }

    /// To SQLite 1 and 1.0 are one key; a column without affinity may hold either.
    private static func comparable(_ localKey: LocalKey) -> LocalKey {
        LocalKey(
            localKey.values.map { value in
                guard case .real(let number) = value, let integer = Int64(exactly: number) else {
                    return value
                }
                return .integer(integer)
            })
    }
}
