import CSimulatedDisk
package import GRDB

extension SimulatedDisk {
    /// Kinds of calls that SQLite makes to a disk.
    package struct Calls: OptionSet, Hashable, Sendable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }

        private init(_ kind: simulated_call) { rawValue = 1 << kind.rawValue }

        package static let open = Calls(SIMULATED_OPEN)
        package static let read = Calls(SIMULATED_READ)
        package static let write = Calls(SIMULATED_WRITE)
        package static let truncate = Calls(SIMULATED_TRUNCATE)
        package static let sync = Calls(SIMULATED_SYNC)
        /// Locks on a file, and on the shared memory of a write-ahead log.
        package static let lock = Calls(SIMULATED_LOCK)
        package static let delete = Calls(SIMULATED_DELETE)
        /// Calls that create or open shared memory.
        package static let sharedMemory = Calls(SIMULATED_SHARED_MEMORY)
        package static let all = Calls(rawValue: (1 << SIMULATED_CALL_KINDS.rawValue) - 1)
        /// Calls that change the disk: the places where a crash makes a difference.
        package static let changes: Calls = [.write, .truncate, .sync, .delete]
    }

    /// How often an error occurs.
    package enum Duration: Hashable, Sendable {
        case once
        /// Until ``SimulatedDisk/heal()``.
        case lasting
    }

    /// How many calls there were since the disk was made.
    package func count(_ calls: Calls = .all) -> Int {
        (0..<Int32(SIMULATED_CALL_KINDS.rawValue))
            .filter { calls.contains(Calls(rawValue: 1 << UInt32($0))) }
            .reduce(0) { $0 + Int(simulated_disk_calls(disk, $1)) }
    }

    /// How many such calls the work makes, so that a test can fail each of them in turn.
    package func count(_ calls: Calls, during work: () throws -> Void) rethrows -> Int {
        let before = count(calls)
        try work()
        return count(calls) - before
    }

    /// Makes a call fail.
    ///
    /// A write that fails has written the first half of its bytes. `SQLITE_IOERR_SHORT_READ`
    /// returns half of what a read asks for and zeros for the rest. SQLite takes that for the end
    /// of the file.
    ///
    /// - Parameters:
    ///   - number: Which of these calls, counted from now on; the first is 1.
    ///   - code: The code that SQLite gets, such as `SQLITE_FULL`, `SQLITE_IOERR_FSYNC` or
    ///     `SQLITE_BUSY`.
    package func fail(
        _ calls: Calls, number: Int = 1, with code: ResultCode, _ duration: Duration = .once
    ) throws {
        let isDone = simulated_disk_fail(
            disk, calls.rawValue, Int64(number), code.rawValue, duration == .lasting)
        guard isDone else { throw Self.noMemory }
    }

    /// Cuts the power during a call. Every call fails from then on, until ``crash(seed:)``.
    ///
    /// - Parameter number: Which of these calls, counted from now on; the first is 1.
    package func cutPower(_ calls: Calls = .changes, number: Int) throws {
        guard simulated_disk_cut_power(disk, calls.rawValue, Int64(number)) else {
            throw Self.noMemory
        }
    }

    /// Runs what a test does beside the work that must fail. Its calls are not counted, and do not
    /// fail while there is power. Only for one thread at a time.
    package func undisturbed<Result>(_ work: () throws -> Result) rethrows -> Result {
        simulated_disk_pause(disk, true)
        defer { simulated_disk_pause(disk, false) }
        return try work()
    }

    /// Ends failures and cancels planned ones. After a power cut, the disk still needs
    /// ``crash(seed:)``.
    package func heal() { simulated_disk_heal(disk) }

    /// Cuts the power and restores it.
    ///
    /// The disk keeps what was synced. Of later writes it keeps either the first few, with the last
    /// one torn, or random sectors of 512 bytes. A file that was created or deleted since may exist
    /// or not. Every call on a file that is open fails with `SQLITE_IOERR` from then on, so the
    /// test must release its connections.
    ///
    /// - Parameter seed: Determines what the disk keeps.
    package func crash(seed: UInt64) throws {
        guard simulated_disk_crash(disk, seed) else { throw Self.noMemory }
    }
}
