import CSimulatedDisk
package import GRDB

/// A disk in memory for SQLite, with its own clock and random numbers. The Nth call can fail, and a
/// crash loses part of what was not synced. All randomness comes from a seed.
///
/// ``queue(_:configuration:)`` and ``pool(_:configuration:)`` open a database on it with GRDB.
/// Journals, write-ahead logs and locks between connections work as on a real disk.
/// ``memory(configuration:)`` opens a database without a file, for tests that need only the clock
/// and the random numbers. It is as fast as SQLite gets.
///
/// The same seed and the same calls give the same rows: `random()`, `randomblob()` and every date
/// come from the disk. Random numbers that SQLite draws for itself, such as the salt of a journal,
/// are not part of that.
///
/// - Note: Decision 0014 says why this is a VFS, and why its files are in memory.
package final class SimulatedDisk: @unchecked Sendable {
    // `@unchecked`: the disk takes its own mutex in every call.
    let disk: OpaquePointer

    /// - Parameter seed: Determines what `random()` and `randomblob()` return.
    /// - Throws: When SQLite has no memory left.
    package init(seed: UInt64) throws {
        guard let disk = simulated_disk_make(seed) else { throw Self.noMemory }
        self.disk = disk
    }

    // Open connections keep in memory what they need of the disk.
    deinit { simulated_disk_release(disk) }

    static var noMemory: DatabaseError { DatabaseError(resultCode: .SQLITE_NOMEM) }

    // MARK: Clock

    /// The time that SQLite sees, in milliseconds since 1970. It does not advance by itself.
    ///
    /// Waiting for a lock advances it by the time that SQLite would have slept.
    package var clock: Int64 {
        get { simulated_disk_clock(disk) }
        set { simulated_disk_set_clock(disk, newValue) }
    }

    // MARK: Opening

    /// The path of a file on this disk. Open it with ``configuration(_:)`` while this object
    /// exists. Open connections outlive the object.
    package func path(_ file: String) -> String { uri(file, "") }

    private func uri(_ file: String, _ more: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var path = "file:"
        for byte in file.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                path.unicodeScalars.append(UnicodeScalar(byte))
            default:
                path += "%"
                path.unicodeScalars.append(UnicodeScalar(digits[Int(byte >> 4)]))
                path.unicodeScalars.append(UnicodeScalar(digits[Int(byte & 15)]))
            }
        }
        return path + "?vfs=" + String(cString: simulated_disk_name(disk)) + more
    }

    /// The app's own configuration, with what connections to this disk need.
    ///
    /// A connection to any other disk fails with `SQLITE_MISUSE`, for example when SQLite does not
    /// accept URIs as paths.
    package func configuration(_ configuration: Configuration = Configuration()) -> Configuration {
        var result = configuration
        // Weak, because GRDB releases a configuration some time after it closes the connection.
        result.prepareDatabase { [weak self] db in
            guard let self, let connection = db.sqliteConnection else {
                throw DatabaseError(resultCode: .SQLITE_MISUSE)
            }
            let code = simulated_disk_adopt(disk, UnsafeMutableRawPointer(connection))
            guard code == 0 else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
        }
        return result
    }

    /// Opens a file, and creates it when it is missing.
    package func queue(
        _ file: String, configuration: Configuration = Configuration()
    ) throws -> DatabaseQueue {
        try DatabaseQueue(path: path(file), configuration: self.configuration(configuration))
    }

    /// Opens a file with a write-ahead log and several readers.
    package func pool(
        _ file: String, configuration: Configuration = Configuration()
    ) throws -> DatabasePool {
        try DatabasePool(path: path(file), configuration: self.configuration(configuration))
    }

    /// Opens a database in SQLite's own memory. Its calls never fail, and a crash does not change
    /// it.
    package func memory(configuration: Configuration = Configuration()) throws -> DatabaseQueue {
        try DatabaseQueue(
            path: uri("memory", "&mode=memory"), configuration: self.configuration(configuration))
    }
}
