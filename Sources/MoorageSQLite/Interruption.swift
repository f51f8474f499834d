import GRDBSQLite
import MoorageSupport

/// Ends the statements of work whose task was cancelled.
///
/// GRDB interrupts the statement that runs when the task is cancelled. SQLite forgets an
/// interruption while nothing runs, so a statement that begins a moment later would run to its end.
/// This one interrupts again until the work is over.
final class Interruption: Sendable {
    private struct State {
        /// The connection, while the work uses it. SQLite allows to interrupt it from any thread.
        var handle: OpaquePointer?
        var isOver = false
    }

    private static let pause = Duration.milliseconds(10)

    private let state = Locked(State())

    /// Does work that ``begin()`` may interrupt on its connection. It interrupts nothing after that.
    func covering<Result>(
        _ handle: OpaquePointer, _ work: () throws -> Result
    ) rethrows -> Result {
        state.withLock { $0.handle = handle }
        defer {
            state.withLock {
                $0.handle = nil
                $0.isOver = true
            }
        }
        return try work()
    }

    /// Marks work that never began as over, so that nothing waits for it.
    func end() { state.withLock { $0.isOver = true } }

    /// Interrupts what runs, now and again, until the work is over.
    func begin() {
        Task.detached { [self] in
            while interrupt() { try? await Task.sleep(for: Self.pause) }
        }
    }

    private func interrupt() -> Bool {
        state.withLock {
            if let handle = $0.handle { sqlite3_interrupt(handle) }
            return !$0.isOver
        }
    }
}
