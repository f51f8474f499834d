import Foundation

/// Work on a thread of its own.
final class Waiter: @unchecked Sendable {
    private let work: () throws -> Void
    private let done = DispatchSemaphore(value: 0)
    private var failure: (any Error)?

    init(_ work: @escaping () throws -> Void) { self.work = work }

    func start() {
        Thread.detachNewThread { [self] in
            do { try work() } catch { failure = error }
            done.signal()
        }
    }

    func end() throws {
        done.wait()
        if let failure { throw failure }
    }
}
