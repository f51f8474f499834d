import MoorageCore
import MoorageHub

/// Undoes a part of a transaction where the server must not roll back to a savepoint.
///
/// When a write is rolled back to a savepoint, MariaDB loses track of a FULLTEXT index of its
/// table. The next write to the row crashes the whole server. Instead, the connector rolls back the
/// whole transaction and repeats what came before the savepoint (docs/decisions/0046).
extension MySQLConnection {
    /// Whether a table of the database has a FULLTEXT index, on a server with this problem. The
    /// table need not be synced, because a trigger of the owner's may write to it.
    func hasFullText() throws -> Bool {
        guard link.kind.losesFullText else { return false }
        let answer = try link.query(
            """
            SELECT 1 FROM information_schema.statistics
            WHERE table_schema = database() AND index_type = 'FULLTEXT' LIMIT 1
            """, isKept: false)
        return answer.rowCount > 0
    }

    /// Undoes what was written since a point of the journal, by repeating what came before it.
    ///
    /// - Throws: `conflict` when others have changed what the transaction had read.
    func undoByRepeating(from point: Int) throws {
        try link.checkTransaction()
        guard var journal = link.journal else { throw CentralError.changedMeanwhile }
        // A statement that fails undoes itself.
        guard journal.hasChanged(since: point) else { return }
        journal.forget(from: point)
        link.journal = nil
        try link.control("ROLLBACK")
        try link.control("START TRANSACTION READ WRITE")
        // A repeated statement may fail while the session skips checks.
        isLax = true
        do {
            for work in journal.work { try again(work) }
        } catch let error as CentralError {
            guard case .refused = error.kind else { throw error }
            throw CentralError.changedMeanwhile
        }
        isLax = false
        link.journal = journal
    }

    private func again(_ work: Journal.Work) throws {
        switch work {
        case .simple(let sql): try link.simple(sql)
        case .query(let sql, let parameters): try link.query(sql, parameters)
        case .bulk(let sql, let columns): try link.bulk(sql, columns)
        case .read(let sql, let parameters, let kinds, let known):
            let found = try link.query(sql, parameters, kinds)
            guard found.rowCount == known.rowCount, found.columns == known.columns else {
                throw CentralError.changedMeanwhile
            }
        case .torn: break
        }
    }
}
