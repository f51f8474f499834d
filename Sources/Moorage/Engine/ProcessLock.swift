import Dispatch
import Foundation
import GRDB
import MoorageSupport

/// A lock between processes, as SQLite locks a file of its own. It ends with its process, however
/// that ends.
final class ProcessLock: Sendable {
    private let path: String
    /// The file, while this process has the lock.
    private let file = Locked<DatabaseQueue?>(nil)

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
        let queue = file.withLock { file in
            defer { file = nil }
            return file
        }
        // What fails to close here closes with its last reference.
        try? queue?.close()
    }

    private func lockNow() throws -> Bool {
        var configuration = Configuration()
        configuration.label = "moorage.lock"
        configuration.busyMode = .immediateError
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.writeWithoutTransaction { db in
                // Keeps the lock of a transaction beyond its end.
                try db.execute(sql: "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT")
            }
            file.withLock { $0 = queue }
            return true
        } catch let error as DatabaseError
            where [.SQLITE_BUSY, .SQLITE_LOCKED].contains(error.resultCode)
        {
            return false
        }
    }
}
