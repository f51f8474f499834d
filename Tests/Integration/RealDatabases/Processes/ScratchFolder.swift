import Foundation
import MoorageTesting

/// Where the suite keeps its databases. `Scripts/test` makes a folder for each run, in memory where
/// there is room. Without that folder the suite uses `/dev/shm`, if it has room. Either place keeps
/// what a process handed to the system before it ended.
enum ScratchFolder {
    private static let neededBytes = 1 << 30

    static let parent: URL = {
        let files = FileManager.default
        guard ProcessInfo.processInfo.environment["MOORAGE_RUN"] == nil else {
            return files.temporaryDirectory
        }
        let memory = URL(fileURLWithPath: "/dev/shm")
        let facts = try? files.attributesOfFileSystem(forPath: memory.path)
        let free = (facts?[.systemFreeSize] as? NSNumber)?.intValue ?? 0
        let isUsable = files.isWritableFile(atPath: memory.path) && free >= neededBytes
        return isUsable ? memory : files.temporaryDirectory
    }()

    /// Makes a new folder.
    static func make(_ name: String) throws -> URL {
        try FileManager.makeTemporaryFolder(name, in: parent)
    }
}
