import Foundation

/// A value behind a lock.
final class Locked<State>: @unchecked Sendable {
    // `state` is touched only while `lock` is held, and leaves this class only as what the body
    // returns.
    private let lock = NSLock()
    private var state: State

    init(_ state: State) { self.state = state }

    func with<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&state)
    }
}
