import Dispatch
import Foundation
import GRDB
import MoorageSupport

/// A lock between processes, as SQLite locks a file of its own. It ends with its process, however
/// that ends.
final class ProcessLock: Sendable {
    private struct State {
        /// The file, while this process has the lock.
        var file: DatabaseQueue?
        /// Whether this process may be suspended, and must not have the lock.
        var isBarred = false
    }

    private let path: String
    private let state = Locked(State())

    init(_ url: URL) { path = url.path }

    /// Tries to get the lock.
    ///
    /// - Returns: Whether this process has it now.
    func tryLock() async throws -> Bool {
        // Opening a file takes a while.
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try self.lockNow() })
            }
        }
    }

    /// Any thread may call it, also without the lock.
    func unlock() {
        let file = state.withLock { state in
            defer { state.file = nil }
            return state.file
        }
        // What fails to close here closes with its last reference.
        try? file?.close()
    }

    /// Gives the lock up, and does not take it again until ``admit()``.
    func bar() {
        state.withLock { $0.isBarred = true }
        unlock()
    }

    func admit() { state.withLock { $0.isBarred = false } }

    private func lockNow() throws -> Bool {
        if state.withLock({ $0.isBarred }) { return false }
        var configuration = Configuration()
        configuration.label = "moorage.lock"
        configuration.busyMode = .immediateError
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.writeWithoutTransaction { db in
                // Keeps the lock of a transaction beyond its end.
                try db.execute(sql: "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT")
            }
            let isTaken = state.withLock { state in
                if state.isBarred { return false }
                state.file = queue
                return true
            }
            if !isTaken { try queue.close() }
            return isTaken
        } catch let error as DatabaseError
            where [.SQLITE_BUSY, .SQLITE_LOCKED].contains(error.resultCode)
        {
            return false
        }
    }
}
