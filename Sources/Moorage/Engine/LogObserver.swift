import GRDB
import MoorageSupport

/// Reports the commits of this process that put new entries into a log.
///
/// `@unchecked Sendable`: GRDB calls it on the database's writer queue alone.
final class LogObserver: TransactionObserver, @unchecked Sendable {
    private let seen: LogWatermark
    private let onCommit: @Sendable () -> Void
    // Used on the database's own queue only.
    private var hasChanged = false

    init(_ seen: LogWatermark, onCommit: @escaping @Sendable () -> Void) {
        self.seen = seen
        self.onCommit = onCommit
    }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
        if case .insert(let table) = eventKind { table.hasPrefix("_moorage_log_") } else { false }
    }

    func databaseDidChange(with event: DatabaseEvent) {
        // Entries that the replica folds back are not new.
        guard seen.isBehind(entry: event.rowID, in: event.tableName) else { return }
        hasChanged = true
        stopObservingDatabaseChangesUntilNextTransaction()
    }

    func databaseDidCommit(_ db: Database) {
        if hasChanged { onCommit() }
        hasChanged = false
    }

    func databaseDidRollback(_ db: Database) { hasChanged = false }
}

/// Runs a closure as often as it is asked to, but never twice at once. All requests during a run
/// together cause one more run.
final class Coalesced: Sendable {
    private struct State {
        var isRunning = false
        var isAskedAgain = false
    }
    private let state = Locked(State())

    func run(_ body: @escaping @Sendable () async -> Void) {
        let isFirst = state.withLock { state in
            defer {
                state.isAskedAgain = state.isRunning
                state.isRunning = true
            }
            return !state.isRunning
        }
        guard isFirst else { return }
        Task {
            repeat { await body() } while goesOn()
        }
    }

    private func goesOn() -> Bool {
        state.withLock { state in
            defer { state.isAskedAgain = false }
            state.isRunning = state.isAskedAgain
            return state.isRunning
        }
    }
}
