import Foundation

/// State behind a lock, for synchronous code on several threads. `Mutex` needs newer systems than
/// those that our apps may run on.
///
/// `@unchecked Sendable`: code reaches the state only while it has the lock, and the state never
/// leaves it.
package final class Locked<State>: @unchecked Sendable {
    private let lock = NSLock()
    private var state: State

    package init(_ state: State) { self.state = state }

    package func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&state)
    }
}
