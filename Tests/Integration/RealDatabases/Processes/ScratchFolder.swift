import Foundation
import MoorageTesting

/// Where the databases of the suite lie: in memory, where the system has such a disk with room. What
/// a process had handed to the system when it ended is there either way; nothing waits for a disk
/// that others use too.
enum ScratchFolder {
    private static let neededBytes = 1 << 30

    static let parent: URL = {
        let memory = URL(fileURLWithPath: "/dev/shm")
        let files = FileManager.default
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
