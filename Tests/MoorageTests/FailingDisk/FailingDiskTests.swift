import GRDB
import MoorageTesting
import TestSupport
import Testing

@testable import Moorage

/// Each call to the disk fails in turn, at each step of a replica.
@Suite(.ownThreads) struct `A replica on a failing disk` {
    struct Failure: CustomTestStringConvertible, Sendable {
        let calls: SimulatedDisk.Calls
        let code: ResultCode
        let duration: SimulatedDisk.Duration
        let expected: ReplicaError.Code

        init(
            _ calls: SimulatedDisk.Calls, _ code: ResultCode,
            _ duration: SimulatedDisk.Duration = .once,
            _ expected: ReplicaError.Code = .database
        ) {
            self.calls = calls
            self.code = code
            self.duration = duration
            self.expected = expected
        }

        var testDescription: String { "\(code) \(duration)" }
    }

    static let failures = [
        Failure(.write, .SQLITE_FULL, .once, .diskFull),
        Failure(.write, .SQLITE_FULL, .lasting, .diskFull),
        Failure(.write, .SQLITE_IOERR_WRITE),
        Failure(.read, .SQLITE_IOERR_READ),
        Failure(.sync, .SQLITE_IOERR_FSYNC),
        Failure([.truncate, .delete], .SQLITE_IOERR),
        Failure(.lock, .SQLITE_IOERR_LOCK),
        Failure(.lock, .SQLITE_BUSY, .lasting),
    ]

    @Test(arguments: DiskStage.Kind.allCases, failures)
    func `has done a step or not, and goes on`(kind: DiskStage.Kind, failure: Failure) throws {
        for journal in ["delete", "wal"] {
            let bench = try DiskBench(
                DiskBench.Safety(journal: journal, synchronous: "FULL"))
            let stage = try DiskStage(kind, on: bench)
            try bench.restore(stage.state)
            let count = try bench.disk.count(failure.calls) {
                for step in stage.steps { try step(bench) }
            }
            var met = 0
            for number in DiskBench.numbers(count, atMost: 2) {
                try bench.restore(stage.state)
                try bench.disk.fail(
                    failure.calls, number: number, with: failure.code, failure.duration)
                met += try fails(stage, bench, failure, "\(journal), call \(number)") ? 1 : 0
                try goesOn(stage, bench, "\(journal), call \(number)")
            }
            // In WAL mode a failure may have no effect: the log stays untruncated, or its index
            // saves a look at the file.
            #expect(met > 0 || count == 0 || journal == "wal", "\(journal), \(count) calls")
        }
    }

    private func fails(
        _ stage: DiskStage, _ bench: DiskBench, _ failure: Failure, _ place: String
    ) throws -> Bool {
        var error: (any Error)?
        do {
            for step in stage.steps { try step(bench) }
        } catch let found {
            error = found
        }
        bench.disk.heal()
        // Waiting for a lock moves the disk's clock, and the log would show that.
        bench.disk.clock = DiskBench.now
        guard let error else {
            #expect(try bench.dump() == stage.dumps.last, "\(place): nothing was said")
            return false
        }
        let typed = SyncDriver.readable(error) as? ReplicaError
        #expect(typed?.code == failure.expected, "\(place): \(error)")
        return true
    }

    private func goesOn(_ stage: DiskStage, _ bench: DiskBench, _ place: String) throws {
        // The test uses the same connection, as an app does.
        let keys = try bench.write { try Int.fetchOne($0, sql: "PRAGMA foreign_keys") }
        #expect(keys == 1, "\(place)")
        #expect(try bench.damage() == [], "\(place)")
        guard let done = try stage.dumps.lastIndex(of: bench.dump()) else {
            Issue.record("\(place): something is half done")
            return
        }
        for step in stage.steps[done...] { try step(bench) }
        #expect(try bench.dump() == stage.dumps.last, "\(place)")
        try bench.reopen()
        try bench.openReplica()
        try bench.converge()
        #expect(try bench.rowsHere() == stage.expected, "\(place)")
        #expect(try bench.rowsAtHub() == stage.expected, "\(place)")
    }
}
