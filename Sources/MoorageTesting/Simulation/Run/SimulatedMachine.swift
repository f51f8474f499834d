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
    var random = SeededGenerator(seed: 0)
    /// After so many of SQLite's steps the work is broken off, once.
    private var stepsLeft: Int?
    private(set) var interruptions = 0
    private var isPaused = false
    /// Another program holds the database's write lock.
    var isBusy = false

    private static let interval: Int32 = 8

    func newID() -> String { UUIDText.random(using: &random) }

    /// Breaks the next work off.
    func interrupt(after steps: Int) { stepsLeft = steps }

    func clearInterruption() { stepsLeft = nil }

    /// The harness itself is never broken off.
    func undisturbed<Result>(_ body: () throws -> Result) rethrows -> Result {
        let before = isPaused
        isPaused = true
        defer { isPaused = before }
        return try body()
    }

    /// Opens a database in memory on this machine.
    func open() throws -> DatabaseQueue {
        let queue = try DatabaseQueue(configuration: configuration)
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
