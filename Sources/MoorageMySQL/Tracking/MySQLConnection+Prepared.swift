import Foundation
import MoorageCore
import MoorageHub

/// Transactions in the state of `XA PREPARE` (docs/databases.md).
extension MySQLConnection {
    /// Waits for those that were prepared before a table's triggers were made: what they wrote no trigger has
    /// recorded, and no reader sees before they are committed.
    ///
    /// Where their session is still there, they hold their tables and no trigger is made; on MariaDB nothing
    /// holds a table for one whose session is gone. MySQL goes on holding it.
    ///
    /// - Throws: ``CentralError`` of kind `conflict` when one of them goes on for longer than a step waits.
    func awaitPreparedTransactions() throws {
        guard link.kind.isMariaDB else { return }
        let end = ContinuousClock.now + options.stepLockTimeout
        var early = try preparedTransactions()
        while !early.isEmpty {
            guard .now < end else {
                throw CentralError(
                    .conflict,
                    """
                    a transaction is prepared (XA PREPARE) and waits; it may have written to the table before. \
                    Let XA RECOVER name it, and end it with XA COMMIT or XA ROLLBACK.
                    """)
            }
            Thread.sleep(forTimeInterval: 0.02)
            early.formIntersection(try preparedTransactions())
        }
    }

    /// Of all databases: the server does not say of which one they are.
    private func preparedTransactions() throws -> Set<[Value]> {
        let answer = try link.query("XA RECOVER", isKept: false)
        return Set((0..<answer.rowCount).map { row in answer.columns.map { $0[row] } })
    }
}
