import MoorageCore

/// Which rows of a table may have a reason to differ from the hub's. Hardly any row has one, but a
/// comparison asks for every row. What is in memory saves each of them three queries.
///
/// It is for one transaction. If the comparison itself adds an entry to the log, it does not ask
/// about that row again.
struct ComparisonExemptions {
    private enum ChangedKeys {
        case keys(Set<LocalKey>)
        /// Too many to remember: the log has an index, and each row queries it.
        case many
    }
    private let changedKeys: ChangedKeys
    /// Whether some rows are deferred or withheld.
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

    /// Whether the log has entries of the row. They may say nothing.
    func mayHaveLocalChange(_ localKey: LocalKey) -> Bool {
        switch changedKeys {
        case .keys(let keys): !keys.isEmpty && keys.contains(Self.comparable(localKey))
        case .many: true
        }
    }

    /// To SQLite, 1 and 1.0 are one key. A column without affinity may contain either.
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
