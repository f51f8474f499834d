import GRDB
import MoorageCore
import MoorageSQLite
import MoorageTesting
import TestSupport
import Testing

@testable import Moorage

/// The power goes at each change of the disk during an exchange.
@Suite(.ownThreads) struct `A replica whose device loses its power` {
    static let safeties = [
        DiskBench.Safety(journal: "wal", synchronous: "FULL"),
        DiskBench.Safety(journal: "wal", synchronous: "NORMAL"),
        DiskBench.Safety(journal: "truncate", synchronous: "FULL"),
        DiskBench.Safety(journal: "delete", synchronous: "FULL"),
    ]

    /// The log has edits. `converges, and loses no edit that was safe` adds one while the batch is
    /// in flight.
    private func bench(_ safety: DiskBench.Safety) throws -> (DiskBench, DiskBench.State) {
        let bench = try DiskBench(safety)
        try bench.openReplica()
        try bench.converge()
        try bench.queue.write { try $0.execute(sql: DiskStage.edits) }
        try bench.central.execute(DiskStage.office)
        return (bench, bench.state())
    }

    @Test(arguments: safeties)
    func `converges, and loses no edit that was safe`(safety: DiskBench.Safety) throws {
        let (bench, state) = try bench(safety)
        // Returns whether the edit in flight was committed, and whether the exchange ended.
        func work() throws -> (isCommitted: Bool, isDone: Bool) {
            var isCommitted = false
            do {
                try bench.exchange {
                    try bench.queue.write {
                        try $0.execute(sql: "UPDATE orders SET note = 'later' WHERE id = 1")
                    }
                    isCommitted = true
                }
                return (isCommitted, true)
            } catch let error as DatabaseError {
                #expect(error.resultCode == .SQLITE_IOERR)
                return (isCommitted, false)
            }
        }
        try bench.restore(state)
        let count = try bench.disk.count(.changes) { _ = try work() }
        try bench.converge()
        let expected = try bench.rowsAtHub()
        #expect(count > 20 && expected.contains("1|a|later"))
        let keepsCommits = ["wal FULL", "truncate FULL"].contains(safety.description)
        var interrupted = 0
        let numbers = DiskBench.numbers(count, atMost: 8)
        for number in numbers {
            try bench.restore(state)
            try bench.disk.cutPower(number: number)
            let (isCommitted, isDone) = try work()
            interrupted += isDone ? 0 : 1
            bench.disk.heal()
            try bench.disk.crash(seed: UInt64(number))
            try bench.reopen()
            #expect(try bench.damage() == [], "change \(number)")
            try bench.openReplica()
            try bench.converge()
            let hub = try bench.rowsAtHub()
            #expect(try bench.rowsHere() == hub, "change \(number)")
            if keepsCommits && isCommitted {
                #expect(hub == expected, "change \(number)")
            } else {
                let earlier = expected.map { $0 == "1|a|later" ? "1|a|edited" : $0 }
                #expect(hub == expected || hub == earlier, "change \(number)")
            }
        }
        #expect(interrupted * 12 > numbers.count * 5)
    }

    @Test(arguments: [
        DiskBench.Safety(journal: "delete", synchronous: "FULL"),
        DiskBench.Safety(journal: "delete", synchronous: "NORMAL"),
        DiskBench.Safety(journal: "truncate", synchronous: "OFF"),
        DiskBench.Safety(journal: "persist", synchronous: "NORMAL"),
        DiskBench.Safety(journal: "wal", synchronous: "NORMAL"),
        DiskBench.Safety(journal: "wal", synchronous: "OFF"),
    ])
    func `never forgets a batch that may have been sent`(safety: DiskBench.Safety) throws {
        let (bench, state) = try bench(safety)
        for seed in 1...UInt64(isNightly ? 50 : 10) {
            try bench.restore(state)
            try bench.prepare(nonce: "sent")
            try bench.disk.crash(seed: seed)
            try bench.reopen()
            let kept = try bench.write { try Metadata(db: $0).inFlightBatch() }
            #expect(kept?.batch.nonce == "sent", "seed \(seed)")
            // The app's own setting has not changed.
            let level = try bench.write { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
            #expect(level == ["OFF", "NORMAL", "FULL"].firstIndex(of: safety.synchronous))
        }
    }
}
