import GRDB
import MoorageCore
import MoorageHub
import MoorageSQLite
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

@Suite(.ownThreads) struct `What was not taken` {
    /// A device with the rows i1 and i2 of a real hub, and i1's part.
    private func ready(
        _ rule: MergeRule = .server, part: MergeRule? = nil
    ) throws -> (LawBench, Device) {
        let bench = try LawBench(rule: rule, part: part)
        try bench.central.execute(
            """
            INSERT INTO item(id, code, a, b) VALUES('i1', 1, 'old', 1), ('i2', 2, 'old', 2);
            INSERT INTO part VALUES('i1', 1, 'note')
            """)
        let device = try bench.device()
        for _ in 0..<2 { try device.exchange(bench.hub) }
        return (bench, device)
    }

    private func overruled(_ device: Device) throws -> [OverruledChange] {
        try device.queue.writeWithoutTransaction { try device.store.overruled($0, limit: 10) }
    }

    private func refused(_ device: Device) throws -> [RefusedChange] {
        try device.queue.writeWithoutTransaction { try device.store.refused($0, limit: 10) }
    }

    private func resubmit(_ device: Device, _ change: OverruledChange) throws {
        try device.queue.writeWithoutTransaction { try device.store.resubmit($0, change) }
    }

    private func resubmit(_ device: Device, _ change: RefusedChange) throws {
        try device.queue.writeWithoutTransaction { try device.store.resubmit($0, change) }
    }

    @Test func `a lost update is listed with both sides and the rule`() throws {
        let (bench, device) = try ready()
        try device.run("UPDATE item SET a = 'mine' WHERE id = 'i1'")
        try bench.central.execute("UPDATE item SET a = 'theirs' WHERE id = 'i1'")
        try device.exchange(bench.hub)
        let lost = try #require(try overruled(device).first)
        #expect(lost.table == "item" && lost.key == RowKey([.text("i1")]))
        #expect(lost.kind == .update && lost.rule == "server")
        #expect(lost.base == ["a": .text("old")] && lost.mine == ["a": .text("mine")])
        #expect(lost.theirs == ["a": .text("theirs")] && lost.result == lost.theirs)
        #expect(try device.texts("SELECT a FROM item WHERE id = 'i1'") == ["theirs"])
    }

    @Test func `written once more it is a new change, and goes in`() throws {
        let (bench, device) = try ready()
        try device.run("UPDATE item SET a = 'mine' WHERE id = 'i1'")
        try bench.central.execute("UPDATE item SET a = 'theirs' WHERE id = 'i1'")
        try device.exchange(bench.hub)
        let lost = try overruled(device)[0]
        try resubmit(device, lost)
        // The second time does nothing, because the change is no longer in the list.
        try resubmit(device, lost)
        #expect(try device.localChanges() == ["item i1 update 2:theirs>mine"])
        try device.exchange(bench.hub)
        #expect(try bench.contents()[0][0][2] == .text("mine"))
        #expect(try overruled(device).isEmpty)
    }

    /// A device whose change of i1 was overruled, and that change.
    private func overruledUpdate() throws -> (LawBench, Device, OverruledChange) {
        let (bench, device) = try ready()
        try device.run("UPDATE item SET a = 'mine' WHERE id = 'i1'")
        try bench.central.execute("UPDATE item SET a = 'theirs' WHERE id = 'i1'")
        try device.exchange(bench.hub)
        return (bench, device, try #require(try overruled(device).first))
    }

    private func decide(
        _ device: Device, _ decision: (ReplicaStore, Database) throws -> Void
    ) throws {
        try device.queue.writeWithoutTransaction { try decision(device.store, $0) }
    }

    @Test func `resolved with other values, these are a new change`() throws {
        let (bench, device, lost) = try overruledUpdate()
        for text in ["both", "again"] {
            try decide(device) {
                try $0.resolve($1, lost, with: ["a": .text(text), "b": .integer(7)])
            }
        }
        #expect(try overruled(device).isEmpty)
        #expect(try device.localChanges() == ["item i1 update 2:theirs>both,3:1>7"])
        try device.exchange(bench.hub)
        #expect(try bench.contents()[0][0][2] == .text("both"))
    }

    @Test func `resolved by deleting, the row goes`() throws {
        let (bench, device, lost) = try overruledUpdate()
        try decide(device) { try $0.resolveByDeleting($1, lost) }
        #expect(try overruled(device).isEmpty)
        try device.exchange(bench.hub)
        #expect(try bench.contents()[0].map { $0[0] } == [.text("i2")])
    }

    @Test(arguments: [
        ["a": Value.text("x"), "colour": .null], ["id": .text("i9")], ["b": .text("many")],
        ["b": .real(.nan)],
    ])
    func `resolved with what its table cannot take, it stays listed`(
        values: [String: Value]
    ) throws {
        let (_, device, lost) = try overruledUpdate()
        let error = #expect(throws: ReplicaError.self) {
            try decide(device) { try $0.resolve($1, lost, with: values) }
        }
        #expect(error?.code == .resubmitBlocked)
        #expect(try overruled(device).count == 1)
        #expect(try device.localChanges() == [])
    }

    @Test func `resolved after the row went, it stays listed`() throws {
        let (bench, device, lost) = try overruledUpdate()
        try bench.central.execute("DELETE FROM part; DELETE FROM item WHERE id = 'i1'")
        try device.exchange(bench.hub)
        #expect(throws: ReplicaError.self) {
            try decide(device) { try $0.resolve($1, lost, with: ["a": .text("x")]) }
        }
        #expect(try overruled(device).count == 1)
    }

    @Test func `their values are written only where the merge left them out`() throws {
        let (bench, device, lost) = try overruledUpdate()
        func like(_ result: [String: Value]) -> OverruledChange {
            OverruledChange(
                id: lost.id, table: "item", key: lost.key, kind: .update, mine: lost.mine,
                theirs: ["id": .text("i1"), "a": .text("theirs"), "b": .integer(4)],
                result: result, at: lost.at)
        }
        // Somebody changed b since, and the merge had taken their b.
        try bench.central.execute("UPDATE item SET b = 5 WHERE id = 'i1'")
        try device.exchange(bench.hub)
        try decide(device) {
            try $0.keepTheirs($1, like(["a": .text("mixed"), "b": .integer(4)]))
        }
        #expect(try overruled(device).isEmpty)
        #expect(try device.texts("SELECT a, b FROM item WHERE id = 'i1'") == ["theirs|5"])
    }

    @Test func `of a change that lost in part, only that part is listed`() throws {
        let (bench, device) = try ready()
        try device.run("UPDATE item SET a = 'mine', b = 9 WHERE id = 'i1'")
        try bench.central.execute("UPDATE item SET a = 'theirs' WHERE id = 'i1'")
        try device.exchange(bench.hub)
        #expect(try overruled(device).map(\.mine) == [["a": .text("mine")]])
        #expect(try device.texts("SELECT a, b FROM item WHERE id = 'i1'") == ["theirs|9"])
    }

    @Test func `of a row that was kept beside another, only the edit is written once more`() throws
    {
        let (bench, device) = try ready(.keepBoth, part: .server)
        try device.run("UPDATE item SET a = 'mine', code = 9 WHERE id = 'i1'")
        try bench.central.execute("UPDATE item SET a = 'theirs' WHERE id = 'i1'")
        try device.exchange(bench.hub)
        let kept = try #require(try overruled(device).first)
        #expect(kept.mine == ["a": .text("mine"), "code": .integer(9)])
        #expect(kept.theirs?["b"] == .integer(1))
        // The row that was kept beside it is deleted, so its code is free.
        try bench.central.execute("DELETE FROM item WHERE id NOT IN ('i1', 'i2')")
        try device.exchange(bench.hub)
        try resubmit(device, kept)
        #expect(try device.texts("SELECT code, a, b FROM item WHERE id = 'i1'") == ["9|mine|1"])
    }

    @Test func `a lost deletion has no values of its own, and can be made again`() throws {
        let (bench, device) = try ready()
        try device.run("DELETE FROM part")
        try bench.central.execute("UPDATE part SET note = 'theirs'")
        try device.exchange(bench.hub)
        let lost = try overruled(device)[0]
        #expect(lost.kind == .delete && lost.mine == nil)
        #expect(lost.base?["note"] == .text("note") && lost.result?["note"] == .text("theirs"))
        #expect(try device.texts("SELECT note FROM part") == ["theirs"])
        try resubmit(device, lost)
        try device.exchange(bench.hub)
        #expect(try bench.contents()[1] == [])
    }

    @Test func `of two inserts of one key the loser can be written over the other`() throws {
        let (bench, device) = try ready()
        try device.run("INSERT INTO item(id, a) VALUES('i3', 'mine')")
        try bench.central.execute("INSERT INTO item(id, a, b) VALUES('i3', 'theirs', 3)")
        try device.exchange(bench.hub)
        let lost = try overruled(device)[0]
        #expect(lost.kind == .insert && lost.base == nil)
        #expect(lost.mine?["a"] == .text("mine") && lost.theirs?["b"] == .integer(3))
        try resubmit(device, lost)
        try device.exchange(bench.hub)
        #expect(try bench.contents()[0][2][2] == .text("mine"))
    }

    @Test func `an answer that was lost lists nothing twice`() throws {
        let (bench, device) = try ready()
        try device.run("UPDATE item SET a = 'mine' WHERE id = 'i1'")
        try bench.central.execute("UPDATE item SET a = 'theirs' WHERE id = 'i1'")
        try device.exchange(bench.hub, apply: { _, _, _ in })
        #expect(try overruled(device).isEmpty)
        try device.exchange(bench.hub)
        #expect(try overruled(device).map(\.result) == [["a": .text("theirs")]])
    }

    @Test func `conflicts are forgotten with the batches that brought them`() throws {
        let (bench, device) = try ready()
        try device.run("UPDATE item SET a = 'mine' WHERE id = 'i1'")
        try bench.central.execute("UPDATE item SET a = 'theirs' WHERE id = 'i1'")
        try device.exchange(bench.hub)
        device.now += 91 * 86_400_000
        try device.run("UPDATE item SET b = 5 WHERE id = 'i2'")
        try device.exchange(bench.hub)
        #expect(try overruled(device).isEmpty)
    }

    @Test func `a row that an update found gone can be inserted again, whole`() throws {
        let (bench, device) = try ready()
        try device.run("UPDATE item SET a = 'mine' WHERE id = 'i2'")
        try bench.central.execute("DELETE FROM item WHERE id = 'i2'")
        try device.exchange(bench.hub)
        let gone = try refused(device)[0]
        #expect(gone.code == .gone && gone.row?["code"] == .integer(2))
        #expect(try device.texts("SELECT id FROM item") == ["i1"])
        try resubmit(device, gone)
        try device.exchange(bench.hub)
        #expect(
            try bench.contents()[0][1] == [
                .text("i2"), .integer(2), .text("mine"), .integer(2), .null,
            ])
        #expect(try refused(device).isEmpty)
    }

    @Test func `a group that was refused is written once more as one`() throws {
        let (bench, device) = try ready()
        try bench.central.execute("INSERT INTO item(id, code) VALUES('i3', 7)")
        try device.queue.write { db in
            try device.store.group(db) {
                try db.execute(
                    sql: """
                        UPDATE item SET a = 'mine' WHERE id = 'i1';
                        INSERT INTO item(id, code, a) VALUES('i4', 7, 'mine');
                        INSERT INTO part VALUES('i4', 1, 'mine')
                        """)
            }
        }
        try device.exchange(bench.hub)
        let listed = try refused(device)
        #expect(listed.count == 3 && listed[0].group != nil)
        #expect(Set(listed.map(\.group)).count == 1)
        #expect(try device.texts("SELECT a FROM item WHERE id = 'i1'") == ["old"])

        try bench.central.execute("UPDATE item SET code = 8 WHERE id = 'i3'")
        try device.exchange(bench.hub)
        try resubmit(device, try #require(listed.first { $0.code == .group }))
        #expect(try refused(device).isEmpty)
        try device.exchange(bench.hub)
        #expect(try refused(device).isEmpty)
        #expect(
            try device.texts("SELECT a FROM item WHERE id IN ('i1', 'i4')") == ["mine", "mine"])
        #expect(try bench.contents()[1].count == 2)
    }

    @Test func `what a constraint forbids here stays on the list`() throws {
        let (bench, device) = try ready()
        try bench.central.execute("INSERT INTO item(id, code) VALUES('i3', 7)")
        try device.run("INSERT INTO item(id, code) VALUES('i4', 7)")
        try device.exchange(bench.hub)
        let refusal = try refused(device)[0]
        #expect(refusal.code == .unique)
        let error = #expect(throws: ReplicaError.self) { try resubmit(device, refusal) }
        #expect(error?.code == .resubmitBlocked && error?.recovery == .changeCall)
        #expect(try refused(device).count == 1)
        try device.run("UPDATE item SET code = 8 WHERE id = 'i3'")
        try resubmit(device, refusal)
        try device.exchange(bench.hub)
        #expect(try bench.contents()[0].count == 4)
    }

    @Test func `what a constraint forbids at the commit stays on the list, too`() throws {
        let bench = try LawBench(rule: .server)
        try bench.central.execute("INSERT INTO item(id, code) VALUES('i1', 1)")
        let device = try bench.device(
            schema: LawBench.schema.replacing(
                "ON DELETE CASCADE", with: "ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED"))
        for _ in 0..<2 { try device.exchange(bench.hub) }
        try device.run("INSERT INTO part VALUES('i1', 1, 'mine')")
        try bench.central.execute("DELETE FROM item")
        for _ in 0..<2 { try device.exchange(bench.hub) }
        let refusal = try #require(try refused(device).first)
        #expect(try device.texts("SELECT id FROM item") == [])
        let error = #expect(throws: ReplicaError.self) { try resubmit(device, refusal) }
        #expect(error?.code == .resubmitBlocked && error?.recovery == .changeCall)
        #expect(try refused(device) == [refusal])
        #expect(try device.texts("SELECT note FROM part") == [])
    }
}

@Suite(.ownThreads) struct `A replica's conflicts` {
    /// A replica that has synced, of a hub where every change loses.
    private func replica() async throws -> (Replica, DatabaseQueue) {
        let hub = Shop.hub()
        hub.overruling = { _ in
            Outcome(
                kind: .overruled,
                overruling: Overruling(
                    rule: "server", theirs: [StoredValue(column: 2, value: .integer(10))],
                    result: [StoredValue(column: 2, value: .integer(10))]))
        }
        let queue = try DatabaseQueue()
        try await queue.write { try $0.execute(sql: Shop.sql) }
        let replica = try await Replica(
            database: queue, hub: .direct(hub), tables: Shop.tables(), clock: ManualClock())
        try await replica.sync()
        return (replica, queue)
    }

    @Test func `are told when they come, and when they are dismissed`() async throws {
        let (replica, queue) = try await replica()
        var told = replica.overruledChanges.values().makeAsyncIterator()
        #expect(try await told.next() == [])
        try await queue.write { try $0.execute(sql: "UPDATE line SET quantity = 11") }
        try await replica.sync()
        let lost = try #require(try await told.another(than: []))
        #expect(lost.map(\.mine) == [["quantity": .integer(11)]])
        #expect(replica.status.overruledCount == 1)
        try await replica.dismiss(lost[0])
        #expect(try await told.another(than: lost) == [])
        #expect(replica.status.overruledCount == 0)
    }

    @Test func `are dismissed although the status cannot be read`() async throws {
        let (replica, queue) = try await replica()
        try await queue.write { try $0.execute(sql: "UPDATE line SET quantity = 11") }
        try await replica.sync()
        let lost = try #require(try await replica.overruledChanges.fetch().first)
        try await queue.write { try $0.execute(sql: "DROP TABLE _moorage_withheld") }
        try await replica.dismiss(lost)
        #expect(try await replica.overruledChanges.fetch().isEmpty)
    }
}
