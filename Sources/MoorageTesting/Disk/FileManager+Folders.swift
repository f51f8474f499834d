package import Foundation

extension FileManager {
    /// Runs work with a new folder, and removes the folder at the end, also after a failure.
    ///
    /// - Parameters:
    ///   - name: A part of the folder's name that says who made it.
    ///   - parent: The folder's parent; without one, the system's folder for temporary files.
    package static func withTemporaryFolder<Result>(
        _ name: String, in parent: URL? = nil, _ body: (URL) async throws -> Result
    ) async throws -> Result {
        let folder = try makeTemporaryFolder(name, in: parent)
        let result: Result
        do {
            result = try await body(folder)
        } catch {
            try FileManager.default.removeFolder(at: folder)
            throw error
        }
        try FileManager.default.removeFolder(at: folder)
        return result
    }

    /// Makes a folder with a unique name.
    ///
    /// - Parameters:
    ///   - name: A part of the folder's name that says who made it.
    ///   - parent: The folder's parent; without one, the system's folder for temporary files.
    package static func makeTemporaryFolder(_ name: String, in parent: URL? = nil) throws -> URL {
        let folder = (parent ?? FileManager.default.temporaryDirectory)
            .appending(path: "moorage-\(name)-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

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
