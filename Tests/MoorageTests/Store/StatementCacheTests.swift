import GRDB
import GRDBSQLite
import MoorageCore
import TestSupport
import Testing

@testable import Moorage

/// Statements outlive the transaction that prepared them.
@Suite(.ownThreads) struct `Cached statements` {
    private static let names = "SELECT id FROM customer ORDER BY id"

    private func ready() throws -> (Device, FakeHub) {
        let hub = Shop.hub()
        let device = try Shop.device()
        for _ in 0..<2 { try device.exchange(hub) }
        return (device, hub)
    }

    private func write(_ device: Device, _ body: (Database) throws -> Void) throws {
        try device.queue.writeWithoutTransaction(body)
    }

    @Test func `are the same for one transaction and the next`() throws {
        let (device, _) = try ready()
        try write(device) { db in
            let statementCache = StatementCache()
            for use in 0..<2 {
                let statement = try RawStatements(db, cache: statementCache)(Self.names)
                while try statement.step() {}
                let runs = try sqlite3_stmt_status(
                    db.cachedStatement(sql: Self.names).sqliteStatement, SQLITE_STMTSTATUS_RUN, 0)
                #expect(Int(runs) == use + 1)
            }
        }
    }

    @Test func `start over after a use that was broken off`() throws {
        let (device, _) = try ready()
        try write(device) { db in
            let statementCache = StatementCache()
            for _ in 0..<2 {
                let statement = try RawStatements(db, cache: statementCache)(Self.names)
                #expect(try statement.step())
                #expect(statement.column(0) == .value(.text("a")))
            }
        }
    }

    @Test func `of one text may stand on two rows at once`() throws {
        let (device, _) = try ready()
        try write(device) { db in
            let statements = RawStatements(db, cache: StatementCache())
            let outer = try statements.own(Self.names)
            var seen: [StoredValueForm] = []
            while try outer.step() {
                let inner = try statements.own(Self.names)
                #expect(try inner.step())
                seen.append(outer.column(0))
            }
            #expect(seen == [.value(.text("a")), .value(.text("b"))])
        }
    }

    @Test func `do not keep the app from closing its database`() throws {
        let (device, _) = try ready()
        try device.queue.close()
    }

    @Test func `follow a schema that moves`() throws {
        let (device, hub) = try ready()
        try device.run(
            "ALTER TABLE customer ADD COLUMN more TEXT; CREATE INDEX i ON customer(more)")
        try device.run("UPDATE customer SET name = 'Anne', more = 'x' WHERE id = 'a'")
        hub.put("customer", [.text("c"), .null, .text("Carl"), .null])
        try device.exchange(hub)
        #expect(
            try device.texts("SELECT id, name, more FROM customer") == [
                "a|Anne|x", "b|Bert|∅", "c|Carl|∅",
            ])
        #expect(hub.row("customer", .text("a"))?[2] == .text("Anne"))
    }

    // MARK: Foreign keys off and on again

    @Test func `of the app are not prepared again for a page`() throws {
        let (device, hub) = try ready()
        func prepared(_ body: (OpaquePointer) -> Void) throws {
            try write(device) { db in
                let statement = try db.cachedStatement(sql: Self.names)
                _ = try String.fetchAll(statement)
                body(statement.sqliteStatement)
            }
        }
        var first: OpaquePointer?
        try prepared { first = $0 }
        hub.put("customer", [.text("c"), .null, .text("Carl"), .null])
        try device.exchange(hub)
        try prepared { statement in
            #expect(statement == first)
            #expect(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_REPREPARE, 0) == 0)
        }
    }

    @Test func `of the app obey foreign keys after a page as before`() throws {
        let (device, hub) = try ready()
        let sql = "INSERT INTO orders(customer) VALUES('nobody')"
        func insert() throws {
            try write(device) { db in
                let statement = try db.cachedStatement(sql: sql)
                let error = #expect(throws: DatabaseError.self) { try statement.execute() }
                #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
            }
        }
        try insert()
        hub.remove("line", .integer(1), .integer(1))
        hub.put("customer", [.text("c"), .null, .text("Carl"), .null])
        try device.exchange(hub)
        try insert()
    }

    @Test func `of a page delete no more than the page says`() throws {
        let (device, hub) = try ready()
        // With foreign keys on, the removal of a parent would also remove the child.
        for _ in 0..<2 {
            hub.put("orders", [.integer(1), .text("a"), .null, .null])
            hub.put("line", [.integer(1), .integer(1), .integer(10)])
            try device.exchange(hub)
            try device.run("UPDATE line SET quantity = quantity + 1")
            try write(device) { db in
                try device.store.transaction(db, .applying) { transaction in
                    try transaction.statements("DELETE FROM orders WHERE id = ?1")
                        .run([.integer(1)])
                }
            }
            #expect(try device.texts("SELECT count(*) FROM line") == ["1"])
            #expect(try device.texts("PRAGMA foreign_keys") == ["1"])
        }
    }
}
