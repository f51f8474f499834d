import Foundation
import GRDB
import GRDBSQLite
import MoorageCore

/// What the machine under a database gives it: time, random numbers, and that work is broken off.
///
/// SQLite's own `julianday` and `randomblob` are replaced on each connection, so that triggers, too,
/// live in the simulated world.
///
/// `@unchecked`: a history is one thread, and nothing else reaches its machines.
final class SimulatedMachine: @unchecked Sendable {
    /// Milliseconds since 1970 by this machine's clock.
    var now: Int64 = 0
    /// The same, for a device's machine.
    var deviceTime: DeviceTime { DeviceTime(milliseconds: now) }
    var random = SeededGenerator(seed: 0)
    /// After so many of SQLite's steps the work is broken off, once.
    private var stepsLeft: Int?
    private(set) var interruptions = 0
    private var isPaused = false
    /// Where its files are; without one they are in memory.
    let disk: SimulatedDisk?
    /// Whether something was to fail on the disk, or its power to go, since it was whole.
    private(set) var isDiskFailing = false
    private var isPowerCut = false

    /// Another program holds the database's write lock.
    var isBusy = false

    init(disk: SimulatedDisk? = nil) { self.disk = disk }

    private static let interval: Int32 = 8

    func newID() -> String { UUIDText.random(using: &random) }

    /// Breaks the next work off.
    func interrupt(after steps: Int) { stepsLeft = steps }

    func clearInterruption() { stepsLeft = nil }

    /// The harness itself is never broken off.
    func undisturbed<Result>(_ body: () throws -> Result) rethrows -> Result {
        if isPaused { return try body() }
        isPaused = true
        defer { isPaused = false }
        return try disk?.undisturbed(body) ?? body()
    }

    // MARK: The disk

    /// The disk's next changes, or locks, go wrong.
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

    /// The disk is whole again.
    ///
    /// - Returns: Whether the power was gone: what is open stands on a disk that is no more.
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
        // A power cut takes no commit, as a careful app has it.
        try queue.writeWithoutTransaction { db in
            switch journal {
            case .memory: break
            case .log:
                // Becoming one deletes a journal, which EXTRA alone makes safe.
                try db.execute(
                    sql: """
                        PRAGMA synchronous = EXTRA; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL
                        """)
            case .rollback:
                try db.execute(sql: "PRAGMA journal_mode = DELETE; PRAGMA synchronous = EXTRA")
            }
        }
        // GRDB asks what each statement reads and writes, for observers that there are none of: a third
        // of a history's time.
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
        // The connection's configuration holds the machine for as long as the connection lives.
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
        /// In memory: nothing of it ever fails.
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
