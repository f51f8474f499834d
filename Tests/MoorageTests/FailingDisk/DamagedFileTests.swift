import GRDB
import MoorageCore
import MoorageTesting
import TestSupport
import Testing

@testable import Moorage

/// A file without its log, and a file with a bad byte.
@Suite(.ownThreads) struct `A replica on a damaged file` {
    @Test func `without its write-ahead log is an older one, and loses nothing that the hub has`()
        throws
    {
        let bench = try DiskBench(DiskBench.Safety(journal: "wal", synchronous: "FULL"))
        try bench.openReplica()
        try bench.converge()
        // Everything until here is in the main file.
        try bench.write { _ = try $0.checkpoint(.truncate) }
        try bench.queue.write { try $0.execute(sql: DiskStage.edits) }
        try bench.exchange()
        try bench.restore(device: bench.disk.snapshot().mainFileOnly("app.sqlite"))
        #expect(try !bench.rowsHere().contains("1|a|edited"))
        try bench.openReplica()
        try bench.queue.write { try $0.execute(sql: "UPDATE orders SET note = 'new' WHERE id = 4") }
        try bench.converge()
        #expect(bench.forks == 1)
        let rows = try bench.rowsHere()
        #expect(try rows == bench.rowsAtHub())
        #expect(rows.contains("1|a|edited") && rows.contains("4|d|new"))
        #expect(rows.contains("3|c|third") && !rows.contains("1|2|20"))
    }

    /// A replica with rows, a log and an in-flight batch, all in one file.
    private func filled() throws -> (DiskBench, DiskBench.State) {
        let bench = try DiskBench()
        try bench.openReplica()
        try bench.converge()
        try bench.queue.write { try $0.execute(sql: DiskStage.edits) }
        try bench.prepare(nonce: "nonce")
        try bench.queue.write { try $0.execute(sql: "UPDATE orders SET note = 'x' WHERE id = 4") }
        return (bench, bench.state())
    }

    @Test func `goes on, or says with a typed error what is wrong`() throws {
        let (bench, state) = try filled()
        let count = try #require(state.device.files["app.sqlite"]?.count)
        var random = SeededGenerator(seed: 5)
        var noticed: [ReplicaError.Code: Int] = [:]
        for round in 0..<(isNightly ? 1500 : 40) {
            // In round 0 SQLite reads that the schema's page has a type that does not exist.
            let offset = round == 0 ? 100 : Int.random(in: 0..<count, using: &random)
            let bits = round == 0 ? 1 : UInt8(1) << UInt8.random(in: 0..<8, using: &random)
            try bench.restore(state)
            #expect(bench.disk.flip("app.sqlite", at: offset, bits: bits))
            do {
                try bench.reopen()
                try bench.openReplica()
                try bench.exchange()
            } catch {
                let typed = SyncDriver.readable(error) as? ReplicaError
                #expect(typed != nil, "round \(round), byte \(offset), bits \(bits): \(error)")
                if let typed { noticed[typed.code, default: 0] += 1 }
            }
        }
        #expect(noticed[.corrupt, default: 0] > 0)
    }

    @Test func `says that a file is no database`() throws {
        let cause = DatabaseError(resultCode: .SQLITE_NOTADB)
        let error = try #require(SyncDriver.readable(cause) as? ReplicaError)
        #expect(error.code == .corrupt && error.recovery == .choose)
        #expect(error.message.contains("no SQLite database"))
        let damaged = SyncDriver.readable(DatabaseError(resultCode: .SQLITE_CORRUPT))
        #expect((damaged as? ReplicaError)?.message.contains("is damaged") == true)
    }

    @Test func `finds a value that went bad when it is verified`() async throws {
        let (bench, _) = try filled()
        try bench.converge()
        try bench.queue.close()
        let state = bench.state()
        let bytes = try #require(state.device.files["app.sqlite"])
        // Finds the row itself by its consecutive values, and not the acknowledged batch.
        let row = Array("cc@xCleo".utf8)
        let place = try #require(bytes.indices.first { bytes[$0...].starts(with: row) }) + 7
        #expect(bench.disk.flip("app.sqlite", at: place))
        try bench.reopen()
        #expect(try bench.damage() == [])
        let replica = try await Replica(
            database: bench.queue, hub: .direct(bench.hub),
            tables: ["customer", "orders", "line"].map { .table($0) })
        let found = try await replica.verify()
        #expect(found.map(\.table) == ["customer"])
        #expect(found.map(\.key) == [RowKey([.text("c")])])
    }
}
