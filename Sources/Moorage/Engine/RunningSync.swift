import GRDB
import MoorageCore
import MoorageSupport
import MoorageWire

/// A machine at work: each event is one access to the database.
///
/// Events come one after the other: the caller waits for each before it reports the next.
final class RunningSync: Sendable {
    private let state: Locked<SyncMachine>
    private let driver: SyncDriver

    init(_ machine: SyncMachine, _ driver: SyncDriver) {
        state = Locked(machine)
        self.driver = driver
    }

    var machine: SyncMachine { state.withLock { $0 } }

    func proceed(_ event: SyncMachine.Event) async throws -> SyncMachine.Step {
        try await work { [driver] machine, db, now, newID in
            let step = try machine.proceed(event, db, at: now, newID: newID)
            if case .send = step { try driver.seen.advance(db, driver.store) }
            return step
        }
    }

    func receive(_ frame: Frame) async throws -> SyncMachine.Received {
        try await work { [driver] machine, db, now, newID in
            let received = try machine.receive(frame, db, at: now, newID: newID)
            if case .applied = received { try driver.seen.changed(db, driver.store) }
            return received
        }
    }

    private func work<Result: Sendable>(
        _ body:
            @escaping @Sendable (inout SyncMachine, Database, DeviceTime, () -> String) throws ->
            Result
    ) async throws -> Result {
        let before = machine
        let (clock, random) = (driver.clock, driver.random)
        let (after, result) = try await driver.database.writeWithoutTransaction { db in
            var machine = before
            let result = try body(&machine, db, clock.time) {
                var generator = random.generator
                return UUIDText.random(using: &generator)
            }
            return (machine, result)
        }
        state.withLock { $0 = after }
        return result
    }
}
