import CSimulatedDisk

extension SimulatedDisk {
    /// All files of a disk with their bytes: a backup, or the state to begin with again and again.
    ///
    /// Taken of a database that is open, it is what a copying program would get in that moment.
    public struct Snapshot: Hashable, Sendable {
        public var files: [String: [UInt8]]

        public init(files: [String: [UInt8]] = [:]) { self.files = files }

        /// Without the write-ahead log (and the journal) of a database: what somebody has who copies
        /// the file alone.
        public func mainFileOnly(_ file: String) -> Snapshot {
            Snapshot(files: files.filter { $0.key != file + "-wal" && $0.key != file + "-journal" })
        }
    }

    /// All files as programs see them now.
    public func snapshot() -> Snapshot {
        var result = Snapshot()
        withUnsafeMutablePointer(to: &result.files) { files in
            simulated_disk_each_file(disk, files) { context, name, bytes, count in
                guard let name, let context else { return }
                context.assumingMemoryBound(to: [String: [UInt8]].self)
                    .pointee[String(cString: name)] =
                    Array(UnsafeBufferPointer(start: bytes, count: count))
            }
        }
        return result
    }

    /// Puts these files in place of all that are there, safely on the disk. What is open stands on a
    /// disk that is gone, as after ``crash(seed:)``; clock, counts and failures stay as they are.
    public func restore(_ snapshot: Snapshot) throws {
        simulated_disk_erase(disk)
        for (name, bytes) in snapshot.files {
            let isDone = bytes.withUnsafeBufferPointer {
                simulated_disk_put(disk, name, $0.baseAddress, $0.count)
            }
            guard isDone else { throw Self.noMemory }
        }
    }

    /// Changes bits of one byte where it lies, as a disk does that goes bad.
    ///
    /// - Returns: Whether the file has such a byte. A connection may hold the page in its cache.
    @discardableResult
    public func flip(_ file: String, at offset: Int, bits: UInt8 = 1) -> Bool {
        simulated_disk_flip(disk, file, Int64(offset), bits)
    }
}
