import Foundation
import GRDB
import GRDBSQLite
import MoorageCore

/// What the machine under a database provides: time, random numbers, and interruptions of work.
///
/// It replaces SQLite's own `julianday` and `randomblob` on each connection, so that triggers also
/// use its time and its random numbers.
///
/// `@unchecked`: a history runs on one thread, and nothing else reaches its machines.
final class SimulatedMachine: @unchecked Sendable {
    /// Milliseconds since 1970 by this machine's clock.
    var now: Int64 = 0
    /// The same, for a device's machine.
    var deviceTime: DeviceTime { DeviceTime(milliseconds: now) }
    var random = SeededGenerator(seed: 0)
    /// SQLite interrupts the work once, after this many of its steps.
    private var stepsLeft: Int?
    private(set) var interruptions = 0
    private var isPaused = false
    /// Where its files are; without one they are in memory.
    let disk: SimulatedDisk?
    /// Whether a failure or a power cut was planned for the disk since the last repair.
    private(set) var isDiskFailing = false
    private var isPowerCut = false

    /// Whether an interruption or a failure of the disk was planned and may still come. The exchange
    /// that meets it can be another one than the one that planned it.
    var isAboutToFail: Bool { stepsLeft != nil || isDiskFailing }

    /// Whether another program has the database's write lock.
    var isBusy = false

    init(disk: SimulatedDisk? = nil) { self.disk = disk }

    private static let interval: Int32 = 8

    func newID() -> String { UUIDText.random(using: &random) }

    /// Interrupts the next work.
    func interrupt(after steps: Int) { stepsLeft = steps }

    func clearInterruption() { stepsLeft = nil }

    /// Runs work of the harness, which is never interrupted.
    func undisturbed<Result>(_ body: () throws -> Result) rethrows -> Result {
        if isPaused { return try body() }
        isPaused = true
        defer { isPaused = false }
        return try disk?.undisturbed(body) ?? body()
    }

    // MARK: The disk

    /// Makes the disk's next changes or locks fail.
    func fail(_ failure: DiskFailure) throws {
        guard let disk else { return }
        isDiskFailing = true
        switch failure.kind {
        case .full: try disk.fail(.write, number: failure.number, with: .SQLITE_FULL)
        case .broken: try disk.fail(.changes, number: failure.number, with: .SQLITE_IOERR_WRITE)
        case .busy: try disk.fail(.lock, number: failure.number, with: .SQLITE_BUSY)
        case .power:
            isPowerCut = true
            try disk.cutPower(number: failure.number)
        }
    }

    /// Repairs the disk.
    ///
    /// - Returns: Whether the power was cut: open connections no longer work.
    func repairDisk() throws -> Bool {
        guard let disk, isDiskFailing else { return false }
        isDiskFailing = false
        disk.heal()
        guard isPowerCut else { return false }
        isPowerCut = false
        try disk.crash(seed: random.next())
        return true
    }

    // MARK: Opening

    /// Opens a database on this machine: a file on its disk, or one in memory.
    func open(_ file: String = "app.sqlite", journal: Journal = .memory) throws -> DatabaseQueue {
        let queue =
            if let disk, journal != .memory {
                try disk.queue(file, configuration: configuration)
            } else {
                try DatabaseQueue(configuration: configuration)
            }
        // A power cut loses no commit, as with a careful app's settings.
        try queue.writeWithoutTransaction { db in
            switch journal {
            case .memory: break
            case .log:
                // The switch to WAL deletes a journal, and only EXTRA makes that safe.
                try db.execute(
                    sql: """
                        PRAGMA synchronous = EXTRA; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL
                        """)
            case .rollback:
                try db.execute(sql: "PRAGMA journal_mode = DELETE; PRAGMA synchronous = EXTRA")
            }
        }
        // GRDB asks what each statement reads and writes, for observers. Histories have no
        // observers, and asking takes a third of their time.
        queue.writeWithoutTransaction { db in
            _ = sqlite3_set_authorizer(db.sqliteConnection, nil, nil)
        }
        return queue
    }

    private var configuration: Configuration {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = true
        configuration.prepareDatabase { [self] db in
            guard let handle = db.sqliteConnection else { return }
            install(on: handle)
        }
        return configuration
    }

    private func install(on handle: OpaquePointer) {
        // The connection's configuration keeps the machine alive as long as the connection.
        let pointer = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_create_function_v2(
            handle, "julianday", 1, SQLITE_UTF8, pointer,
            { context, _, _ in
                guard let machine = SimulatedMachine.of(context) else { return }
                sqlite3_result_double(
                    context, Double(machine.now) / 86_400_000 + 2_440_587.5)
            }, nil, nil, nil)
        sqlite3_create_function_v2(
            handle, "randomblob", 1, SQLITE_UTF8, pointer,
            { context, _, arguments in
                guard let machine = SimulatedMachine.of(context), let argument = arguments?[0]
                else { return }
                let count = max(1, min(1000, Int(sqlite3_value_int(argument))))
                let bytes = (0..<count).map { _ in
                    UInt8(truncatingIfNeeded: machine.random.next())
                }
                sqlite3_result_blob(
                    context, bytes, Int32(count),
                    unsafeBitCast(-1, to: sqlite3_destructor_type.self))
            }, nil, nil, nil)
        sqlite3_progress_handler(
            handle, Self.interval,
            { pointer in
                guard let pointer else { return 0 }
                let machine = Unmanaged<SimulatedMachine>.fromOpaque(pointer).takeUnretainedValue()
                return machine.isBrokenOff() ? 1 : 0
            }, pointer)
    }

    private static func of(_ context: OpaquePointer?) -> SimulatedMachine? {
        sqlite3_user_data(context).map {
            Unmanaged<SimulatedMachine>.fromOpaque($0).takeUnretainedValue()
        }
    }

    /// How a device keeps its file.
    enum Journal: String, Hashable, Sendable, CaseIterable {
        /// In memory: it never fails.
        case memory
        /// On a disk, with a write-ahead log.
        case log
        /// On a disk, with a journal that is deleted.
        case rollback
    }

    private func isBrokenOff() -> Bool {
        guard !isPaused, let left = stepsLeft else { return false }
        guard left <= Int(Self.interval) else {
            stepsLeft = left - Int(Self.interval)
            return false
        }
        stepsLeft = nil
        interruptions += 1
        return true
    }
}
