import MoorageCore
import MoorageHub

/// Undoing a part of a transaction where the server must not roll back to a savepoint.
///
/// MariaDB loses track of a FULLTEXT index when a write to its table is rolled back to a savepoint:
/// the next write to the row ends the whole server. There the transaction is rolled back as a whole,
/// and what stood before the savepoint is done again (docs/decisions/0046).
extension MySQLConnection {
    /// Whether a table of the database has a FULLTEXT index, on a server that minds. It need not be
    /// one that is synced: a trigger of the owner's may write to it.
    func hasFullText() throws -> Bool {
        guard link.kind.losesFullText else { return false }
        let answer = try link.query(
            """
            SELECT 1 FROM information_schema.statistics
            WHERE table_schema = database() AND index_type = 'FULLTEXT' LIMIT 1
            """, isKept: false)
        return answer.rowCount > 0
    }

    /// Undoes what was written since a point of the journal, by doing what stood before it again.
    ///
    /// - Throws: `conflict` when others changed in between what the transaction had read.
    func undoByRepeating(from point: Int) throws {
        try link.checkTransaction()
        guard var journal = link.journal else { throw Self.changedMeanwhile }
        // A statement that fails undoes itself.
        guard journal.hasChanged(since: point) else { return }
        journal.forget(from: point)
        link.journal = nil
        try link.control("ROLLBACK")
        try link.control("START TRANSACTION READ WRITE")
        // It may stop where the session checks less than it should.
        isLax = true
        do {
            for work in journal.work { try again(work) }
        } catch let error as CentralError {
            guard case .refused = error.kind else { throw error }
            throw Self.changedMeanwhile
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
                throw Self.changedMeanwhile
            }
        case .torn: break
        }
    }

    private static let changedMeanwhile = CentralError(
        .conflict,
        "Another transaction changed rows of this batch while the hub wrote it again in part.")
}
