import Foundation
import MoorageCore
import MoorageHub

/// Transactions in the state of `XA PREPARE` (docs/guides/mysql.md).
extension MySQLConnection {
    /// Waits for transactions that were prepared before a table's triggers were created. No trigger
    /// recorded what they wrote, and no reader sees it before they are committed.
    ///
    /// While its session exists, such a transaction locks its tables, and no trigger can be
    /// created. Once the session is gone, MariaDB releases that lock, and MySQL keeps it.
    ///
    /// - Throws: ``CentralError`` of kind `conflict` when one of them lasts longer than a step
    ///   waits.
    func awaitPreparedTransactions() throws {
        guard link.kind.isMariaDB else { return }
        let end = ContinuousClock.now + options.stepLockTimeout
        var early = try preparedTransactions()
        while !early.isEmpty {
            guard .now < end else { throw CentralError.preparedTransaction }
            Thread.sleep(forTimeInterval: 0.02)
            early.formIntersection(try preparedTransactions())
        }
    }

    /// The prepared transactions of all databases, because the server does not say to which one
    /// each belongs.
    private func preparedTransactions() throws -> Set<[Value]> {
        let answer = try link.query("XA RECOVER", isKept: false)
        return Set((0..<answer.rowCount).map { row in answer.columns.map { $0[row] } })
    }
}
