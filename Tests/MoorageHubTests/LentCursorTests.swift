import MoorageCore
import MoorageHub
import MoorageTesting
import MoorageWire
import TestSupport
import Testing

/// Cursors that the hub did not make, or made for another replica. The hub sends no key that their
/// user cannot see.
@Suite(.ownThreads) struct `A cursor from outside` {
    private let bench: HubBench

    init() throws {
        bench = try HubBench(schema: Scopes.schema, scopes: Scopes.settings)
        try bench.sql(
            """
            INSERT INTO project VALUES (1, 'ann', 'A', 'a'), (2, 'bob', 'B', 'b');
            INSERT INTO seat VALUES ('red', 'ann');
            INSERT INTO memo VALUES (1, 'red', 'one'), (2, 'red', 'two'), (3, 'red', 'three');
            """)
    }

    private func ann(_ number: Int) throws -> ScriptedReplica {
        let replica = try ScriptedReplica(bench, number)
        replica.principal = Principal(subject: "ann", claims: ["name": ["ann"]])
        return replica
    }

    private func told(_ replica: ScriptedReplica, _ table: String) -> Set<RowKey> {
        Set(replica.removed.filter { $0.table == table }.map(\.key))
    }

    private func keys(_ ids: Int64...) -> Set<RowKey> { Set(ids.map { RowKey([.integer($0)]) }) }

    /// Deletes the seat, and then inserts a memo that was never hers.
    private func loseRed() throws {
        try bench.sql("DELETE FROM seat; INSERT INTO memo VALUES (5, 'red', 'later')")
    }

    @Test func `hears of no row that came and went in one transaction`() throws {
        let ann = try ann(1)
        try ann.exchange(limits: PageLimits(maximumRows: 1, maximumPages: 3))
        #expect(ann.cursor.partial.contains(Scope("person/ann")))
        try bench.sql(
            """
            BEGIN; INSERT INTO member VALUES (2, 'ann'); DELETE FROM project WHERE id = 2; COMMIT;
            DELETE FROM project WHERE id = 1;
            """)
        ann.cursor = ann.cursor.breakingOff()
        try ann.exchange()
        #expect(ann.beginnings == 0)
        #expect(told(ann, "project") == keys(1))
        #expect(told(ann, "member").isEmpty)
    }

    @Test func `is not compared with such a row either`() async throws {
        let ann = try ann(1)
        try ann.exchange()
        try bench.sql(
            "BEGIN; INSERT INTO member VALUES (2, 'ann'); DELETE FROM project WHERE id = 2; COMMIT")
        let answer = try await bench.hub.asSeen(by: ann.principal!).compare(
            CompareRequest(
                replica: ann.id, table: TableColumns(name: "project", columns: ["id", "name"]),
                after: nil, maximumRows: 100, cursor: ann.cursor, withValues: false))
        #expect(Set(answer.rows.map(\.key)) == keys(1))
    }

    @Test func `starts over when it is put together from two`() throws {
        let (first, second, third) = (try ann(1), try ann(2), try ann(3))
        try first.exchange()
        try second.exchange()
        try loseRed()
        try second.exchange()
        let (old, new) = (first.cursor, second.cursor)
        for signature in [old.signature, new.signature, nil] {
            third.cursor = SyncCursor(
                epoch: new.epoch, checkpoint: new.checkpoint, complete: old.complete,
                tables: new.tables,
                scan: Scan(
                    upperBound: try #require(new.checkpoint), scopes: [.everything], tables: [:],
                    position: nil),
                signature: signature)
            try third.exchange()
            #expect(third.removed.isEmpty)
        }
        #expect(third.beginnings == 3)
    }

    @Test func `starts over when it names rows that were not sent`() throws {
        let ann = try ann(1)
        try ann.exchange()
        let cursor = ann.cursor
        ann.cursor = SyncCursor(
            epoch: cursor.epoch, checkpoint: cursor.checkpoint, complete: cursor.complete,
            tables: cursor.tables, ahead: [RowName(table: "project", key: RowKey([.integer(2)]))],
            signature: cursor.signature)
        try ann.exchange()
        #expect(ann.beginnings == 1)
    }

    @Test func `starts over when another user lent it`() throws {
        let (ann, bob) = (try ann(1), try ScriptedReplica(bench, 2))
        bob.principal = Principal(subject: "bob", claims: ["name": ["bob"]])
        try ann.exchange()
        bob.cursor = ann.cursor
        try bob.exchange()
        #expect(bob.beginnings == 1)
    }

    @Test func `of a copied file gives back what that file holds`() throws {
        let (original, copy) = (try ann(1), try ann(2))
        try original.exchange()
        try loseRed()
        copy.cursor = original.cursor
        try copy.exchange()
        #expect(copy.beginnings == 0)
        #expect(told(copy, "memo") == keys(1, 2, 3))
    }

    @Test func `of a file that was copied while it gave rows back says so`() throws {
        let (original, copy) = (try ann(1), try ann(2))
        try original.exchange()
        try loseRed()
        let one = PageLimits(maximumRows: 3, maximumPages: 1)
        try original.exchange(limits: one)
        #expect(original.cursor.partial.contains(Scope("team/red")))
        #expect(original.cursor.signature?.lost.count == 1)
        copy.cursor = original.cursor
        for _ in 0..<10 { try copy.exchange(limits: one) }
        #expect(copy.beginnings == 0)
        #expect(copy.cursor.named == [Scope("person/ann")])
        #expect(!told(copy, "memo").contains(RowKey([.integer(5)])))
        #expect(told(original, "memo").union(told(copy, "memo")) == keys(1, 2, 3))
    }

    @Test func `names no row that came and went, not as its place either`() async throws {
        let ann = try ann(1)
        try bench.sql("INSERT INTO project VALUES (77, 'bob', 'C', 'c')")
        try ann.exchange()
        try bench.sql(
            """
            BEGIN; INSERT INTO member VALUES (77, 'ann'); DELETE FROM project WHERE id = 77; COMMIT;
            UPDATE project SET name = 'again'; UPDATE memo SET body = 'again';
            """)
        let compared = CompareRequest(
            replica: ann.id, table: TableColumns(name: "project", columns: ["id", "name"]),
            after: RowKey([.integer(1)]), maximumRows: 1, cursor: ann.cursor, withValues: false)
        let answer = try await bench.hub.asSeen(by: ann.principal!).compare(compared)
        #expect(answer.rows.isEmpty && answer.next == nil)
        for _ in 0..<10 {
            for page in ann.pages(
                try ann.exchange(limits: PageLimits(maximumRows: 1, maximumPages: 1)))
            {
                #expect(page.cursor.scan?.position?.key != RowKey([.integer(77)]))
                #expect(page.removals.isEmpty)
            }
        }
        #expect(ann.rows["memo"]?.values.allSatisfy { $0[2] == .text("again") } == true)
    }

    /// A device that lost its triggers would delete what the hub has not sent it yet.
    @Test func `is not compared with scopes that it has not read`() async throws {
        let bob = try ScriptedReplica(bench, 2)
        bob.principal = Principal(subject: "bob", claims: ["name": ["bob"]])
        try bob.exchange()
        try bench.sql("INSERT INTO seat VALUES ('red', 'bob')")
        let compared = CompareRequest(
            replica: bob.id, table: TableColumns(name: "memo", columns: ["id", "team"]),
            after: nil, maximumRows: 10, cursor: bob.cursor, withValues: true)
        let answer = try await bench.hub.asSeen(by: bob.principal!).compare(compared)
        #expect(answer.rows.count == 3 && answer.rows.allSatisfy(\.isBeyondCursor))
        try bob.exchange()
        let again = CompareRequest(
            replica: bob.id, table: compared.table, after: nil, maximumRows: 10,
            cursor: bob.cursor, withValues: true)
        let read = try await bench.hub.asSeen(by: bob.principal!).compare(again)
        #expect(read.rows.count == 3 && read.rows.allSatisfy { !$0.isBeyondCursor })
    }

    @Test func `of a copied file outlives the original's`() throws {
        let (original, copy) = (try ann(1), try ann(2))
        try original.exchange()
        copy.cursor = original.cursor
        try copy.exchange()
        try loseRed()
        for _ in 0..<3 { try original.exchange() }
        try copy.exchange()
        #expect(copy.beginnings == 0)
        #expect(told(copy, "memo") == keys(1, 2, 3))
    }

    @Test func `starts over when a scan is made up`() throws {
        let ann = try ann(1)
        try ann.exchange(limits: PageLimits(maximumRows: 1, maximumPages: 1))
        let cursor = ann.cursor
        let scan = try #require(cursor.scan)
        for other in [
            Scan(
                upperBound: scan.upperBound, scopes: scan.scopes, tables: scan.tables,
                position: ScanPosition(
                    table: 9_999, scope: .everything, version: 0, key: RowKey([.integer(1)]))),
            Scan(
                upperBound: scan.upperBound, scopes: [], tables: scan.tables,
                position: scan.position),
        ] {
            ann.cursor = SyncCursor(
                epoch: cursor.epoch, checkpoint: cursor.checkpoint, complete: cursor.complete,
                partial: cursor.partial, tables: cursor.tables, scan: other,
                signature: cursor.signature)
            try ann.exchange()
        }
        ann.cursor = SyncCursor(
            epoch: cursor.epoch, complete: [.everything],
            ahead: [RowName(table: "project", key: RowKey([.integer(2)]))])
        try ann.exchange()
        #expect(ann.beginnings == 3)
    }

    @Test func `of one of two files with a name gives back what that one holds`() throws {
        let (one, other) = (try ann(1), try ann(1))
        try one.exchange()
        other.cursor = one.cursor
        try bench.sql("INSERT INTO memo VALUES (4, 'red', 'four')")
        try other.exchange()
        try loseRed()
        try one.exchange(limits: PageLimits(maximumRows: 1, maximumPages: 1))
        try other.exchange()
        #expect(told(other, "memo") == keys(1, 2, 3, 4))
    }

    @Test func `that a device broke off is still the hub's`() throws {
        let ann = try ann(1)
        let one = PageLimits(maximumRows: 1, maximumPages: 1)
        try ann.exchange(limits: one)
        ann.cursor = ann.cursor.breakingOff()
        try ann.exchange(limits: one)
        ann.cursor = ann.cursor.breakingOff(readingAgain: "project")
        for _ in 0..<20 { try ann.exchange(limits: one) }
        #expect(ann.beginnings == 0)
        #expect(ann.rows["memo"]?.count == 3)
    }
}
