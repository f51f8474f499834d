import GRDB
import MoorageSupport

/// Fails at a commit, as if the process had ended there.
///
/// `@unchecked Sendable`: GRDB calls it on the database's own queue alone.
final class EndAtCommit: TransactionObserver, @unchecked Sendable {
    private var left: Int
    private let ended = Locked(false)

    init(_ commits: Int) { left = commits }

    var hasEnded: Bool { ended.withLock { $0 } }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }

    func databaseDidChange(with event: DatabaseEvent) {}

    func databaseWillCommit() throws {
        left -= 1
        // Nothing of this process commits after its end.
        guard left < 0 else { return }
        ended.withLock { $0 = true }
        throw CancellationError()
    }

    func databaseDidCommit(_ db: Database) {}

    func databaseDidRollback(_ db: Database) {}
}
