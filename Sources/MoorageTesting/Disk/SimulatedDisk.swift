import CSimulatedDisk
public import GRDB

/// A disk in memory for SQLite, with a clock and randomness of its own: calls fail on the Nth time,
/// and a crash takes a part of what was not synced, all from a seed.
///
/// A database is opened on it with GRDB through ``queue(_:configuration:)`` or
/// ``pool(_:configuration:)``; journals, write-ahead logs and locks between connections work as on a
/// real disk. ``memory(configuration:)`` opens a database without a file, where clock and randomness
/// are all that is wanted: that is as fast as SQLite gets.
///
/// The same seed and the same calls give the same rows: `random()`, `randomblob()` and every date
/// come from the disk. What SQLite draws for itself, as the salt of a journal, is not part of that.
///
/// - Note: Decision 0014 says why this is a VFS, and why its files are in memory.
public final class SimulatedDisk: @unchecked Sendable {
    // `@unchecked`: the disk takes its own mutex in every call.
    let disk: OpaquePointer

    /// - Parameter seed: What `random()` and `randomblob()` answer follows from it.
    /// - Throws: When SQLite has no memory left.
    public init(seed: UInt64) throws {
        guard let disk = simulated_disk_make(seed) else { throw Self.noMemory }
        self.disk = disk
    }

    // Connections that are open keep in memory what they need of it.
    deinit { simulated_disk_release(disk) }

    static var noMemory: DatabaseError { DatabaseError(resultCode: .SQLITE_NOMEM) }

    // MARK: Clock

    /// The time that SQLite sees, in milliseconds since 1970; it stands still until it is set.
    ///
    /// Waiting for a lock moves it by as long as SQLite would have slept.
    public var clock: Int64 {
        get { simulated_disk_clock(disk) }
        set { simulated_disk_set_clock(disk, newValue) }
    }

    // MARK: Opening

    /// The path of a file on this disk, to be opened with ``configuration(_:)`` while somebody holds
    /// the disk. Connections that are open outlive it.
    public func path(_ file: String) -> String { uri(file, "") }

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

    /// What connections to this disk need, on top of the app's own configuration.
    ///
    /// A connection that turns out to be elsewhere is refused with `SQLITE_MISUSE`, as where an
    /// SQLite takes no URIs for paths.
    public func configuration(_ configuration: Configuration = Configuration()) -> Configuration {
        var result = configuration
        // Weak: GRDB lets go of a configuration some time after its connection is closed.
        result.prepareDatabase { [weak self] db in
            guard let self, let connection = db.sqliteConnection else {
                throw DatabaseError(resultCode: .SQLITE_MISUSE)
            }
            let code = simulated_disk_adopt(disk, UnsafeMutableRawPointer(connection))
            guard code == 0 else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
        }
        return result
    }

    /// Opens a file, which is made when it is missing.
    public func queue(
        _ file: String, configuration: Configuration = Configuration()
    ) throws -> DatabaseQueue {
        try DatabaseQueue(path: path(file), configuration: self.configuration(configuration))
    }

    /// Opens a file with a write-ahead log and several readers.
    public func pool(
        _ file: String, configuration: Configuration = Configuration()
    ) throws -> DatabasePool {
        try DatabasePool(path: path(file), configuration: self.configuration(configuration))
    }

    /// Opens a database in SQLite's own memory: nothing of it ever fails, and a crash does not touch
    /// it.
    public func memory(configuration: Configuration = Configuration()) throws -> DatabaseQueue {
        try DatabaseQueue(
            path: uri("memory", "&mode=memory"), configuration: self.configuration(configuration))
    }
}
