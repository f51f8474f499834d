import GRDB

extension Database {
    /// Runs one transaction, and returns what its closure returns. If the closure throws, the
    /// transaction is rolled back.
    func returning<Result>(
        _ kind: TransactionKind, _ body: () throws -> Result
    ) throws -> Result {
        var result: Result?
        try inTransaction(kind) {
            result = try body()
            return .commit
        }
        // GRDB commits only after the closure has returned.
        guard let result else { throw DatabaseError(resultCode: .SQLITE_INTERRUPT) }
        return result
    }
}
