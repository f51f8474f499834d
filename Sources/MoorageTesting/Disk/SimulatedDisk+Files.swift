import CSimulatedDisk

extension SimulatedDisk {
    /// All files of a disk with their bytes: a backup, or a state that tests begin with repeatedly.
    ///
    /// A snapshot of an open database is what a program that copies files would get at that moment.
    package struct Snapshot: Hashable, Sendable {
        package var files: [String: [UInt8]]

        package init(files: [String: [UInt8]] = [:]) { self.files = files }

        /// The snapshot without the write-ahead log and the journal of a database: what a copy of
        /// only the file contains.
        package func mainFileOnly(_ file: String) -> Snapshot {
            Snapshot(files: files.filter { $0.key != file + "-wal" && $0.key != file + "-journal" })
        }
    }

    /// All files as programs see them now.
    package func snapshot() -> Snapshot {
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

    /// Replaces all files with these, synced to the disk. Calls on open files fail as after
    /// ``crash(seed:)``. The clock, counts and failures do not change.
    package func restore(_ snapshot: Snapshot) throws {
        simulated_disk_erase(disk)
        for (name, bytes) in snapshot.files {
            let isDone = bytes.withUnsafeBufferPointer {
                simulated_disk_put(disk, name, $0.baseAddress, $0.count)
            }
            guard isDone else { throw Self.noMemory }
        }
    }

    /// Changes bits of one stored byte, as a failing disk does.
    ///
    /// - Returns: Whether the file has such a byte. A connection may still have the page in its
    ///   cache.
    @discardableResult
    package func flip(_ file: String, at offset: Int, bits: UInt8 = 1) -> Bool {
        simulated_disk_flip(disk, file, Int64(offset), bits)
    }
}
