package import Foundation

extension FileManager {
    /// Removes a folder in which databases may still be closing.
    ///
    /// SQLite deletes its `-wal` and `-shm` files when the last connection closes, and a task that
    /// has ended may keep one open for a moment longer. A file that vanishes during the removal is
    /// therefore no failure: the removal starts again, at most 100 times. It throws what the last
    /// attempt threw.
    package func removeFolder(at folder: URL) throws {
        for _ in 1..<100 {
            do {
                return try removeItem(at: folder)
            } catch let error as CocoaError where error.code == .fileNoSuchFile {
                guard fileExists(atPath: folder.path) else { return }
            }
        }
        try removeItem(at: folder)
    }
}
