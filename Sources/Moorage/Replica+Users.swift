import Foundation
import GRDB
import Logging
import MoorageWire

/// A file belongs to one user. For any other user the hub refuses the exchange (`differentUser`):
/// it sends and accepts nothing.
extension Replica {
    /// The id by which the hub knows the file, as its lists, its log and its webhook name it.
    ///
    /// It can change: at ``startOver(archivingTo:)``, when a sync finds that the file is a copy of
    /// another device's, and after the central database was restored. An app that registers it
    /// somewhere does so after each launch.
    ///
    /// - Returns: A UUID.
    /// - Throws: ``ReplicaError`` if the file cannot be read.
    public nonisolated func id() async throws -> String {
        try await store.reading(database) { db, _ in try Metadata(db: db).replica() }
    }

    /// Empties the file for the user who is signed in now, and gives it a new replica id. It
    /// removes the rows of its tables, pending changes and lists. The next sync fills it again.
    ///
    /// To keep the file for its present user, do not call this: syncing goes on when that user
    /// signs in again. Stop other replicas on the same file first.
    ///
    /// It needs no network, but waits until a sync under way has ended. The app's writes wait while
    /// the file is copied. If the task is cancelled, the file is emptied as a whole or not at all.
    ///
    /// - Parameter archive: The path for a copy of the file, with what was not sent. The copy is a
    ///   replica of the file's former user, and can be opened and synced like this one. There must
    ///   be no file at the path yet. `nil` makes no copy: everything that was not sent is lost.
    /// - Throws: ``ReplicaError``. Nothing is deleted then, and no copy remains. The code is
    ///   `removalForbidden` if a table of the app's own refers to a row and forbids its removal. It
    ///   is `changesPending` if a suspended table has changes and there is no archive. It is
    ///   `fileNotEmpty` if there is a file at the path. It is `diskFull` or `database` if the copy
    ///   cannot be made, or if other processes write to the file all the time.
    public func startOver(archivingTo archive: String? = nil) async throws {
        let id = newID()
        try await exchangeMutex.withLock {
            try await access { [seen] db, store in
                if let archive {
                    try Self.startOver(db, store, newID: id, archive: archive)
                } else {
                    try store.checkNothingSuspended(db)
                    try store.empty(db, newID: id)
                }
                store.journal?.forget()
                try seen.changed(db, store)
            }
        }
        statusPublisher.update {
            $0.isCaughtUp = false
            $0.hasPulled = false
            $0.lastError = nil
            $0.failingSince = nil
        }
        await recount()
        wakeUp.signal(.request)
    }

    /// Empties the file only if no other process committed during the copy. Such a commit would be
    /// in neither file.
    private static func startOver(
        _ db: Database, _ store: ReplicaStore, newID: String, archive: String
    ) throws {
        for _ in 0..<maximumCopies {
            guard !FileManager.default.fileExists(atPath: archive) else {
                throw ReplicaError.copyExists
            }
            do {
                let version = try Int.fetchOne(db, sql: "PRAGMA data_version")
                try db.execute(sql: "VACUUM INTO ?", arguments: [archive])
                let handle = try FileHandle(forUpdating: URL(filePath: archive))
                try handle.synchronize()
                try handle.close()
                if try store.empty(db, newID: newID, ifUnchangedSince: version) { return }
            } catch {
                try? FileManager.default.removeItem(atPath: archive)
                throw error is DatabaseError ? error : ReplicaError.copyFailed(error)
            }
            do {
                try FileManager.default.removeItem(atPath: archive)
            } catch { throw ReplicaError.copyFailed(error) }
        }
        throw ReplicaError.copyOutdated
    }

    private static let maximumCopies = 5

    /// Deletes everything, because whoever runs the hub ordered it. The replica informs the app
    /// first. A task that is cancelled meanwhile does not stop it.
    func wipe() async {
        await Task {
            do {
                guard try await reading({ try !$1.isEmpty($0) }) else { return }
                await options.willWipe?()
                try await access { [seen] db, store in
                    try store.wipe(db)
                    store.journal?.forget()
                    try seen.changed(db, store)
                }
                await recount()
            } catch {
                logger.error("The file could not be emptied; the next contact tries again.")
            }
        }.value
    }
}
