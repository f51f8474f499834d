import GRDB
import MoorageCore
import MoorageTesting
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

/// Work that grows with a file's rows grows no faster than they do.
@Suite(.ownThreads) struct `What a replica's work costs` {
    private static let schema = SchemaDescription(tables: [
        TableDescription(
            name: "place",
            columns: [.column("shelf", .integer), .column("number", .integer)],
            primaryKey: [0, 1], foreignKeys: []),
        TableDescription(
            name: "thing",
            columns: [
                .column("id", .integer), .column("shelf", .integer), .column("number", .integer),
            ], primaryKey: [0],
            foreignKeys: [
                ForeignKey(
                    columns: [1, 2], referencedTable: "place",
                    referencedColumns: ["shelf", "number"])
            ]),
    ])

    private static let sql = """
        CREATE TABLE place(shelf INTEGER, number INTEGER, PRIMARY KEY(shelf, number));
        CREATE TABLE thing(
          id INTEGER PRIMARY KEY, shelf INTEGER, number INTEGER,
          FOREIGN KEY(shelf, number) REFERENCES place(shelf, number));
        CREATE INDEX thing_place ON thing(shelf, number);
        """

    /// A device with so many things, each in a place of its own.
    private func filled(_ count: Int) throws -> (Device, FakeHub) {
        let device = try Device(Self.sql, tables: [.table("place"), .table("thing")])
        try device.adopt(Self.schema)
        let hub = FakeHub(Self.schema)
        for number in 0..<Int64(count) {
            hub.put("place", [.integer(1), .integer(number)])
            hub.put("thing", [.integer(number), .integer(1), .integer(number)])
        }
        try device.exchange(hub)
        return (device, hub)
    }

    @Test func `a comparison`() throws {
        func steps(_ count: Int) throws -> Int {
            let (device, hub) = try filled(count)
            return try StepCounter.steps(of: device.queue) {
                try device.queue.writeWithoutTransaction { db in
                    let table = try #require(try device.store.load(db).table(named: "thing"))
                    try device.store.beginComparing(db, table: table)
                    let request = try device.store.compareRequest(
                        db, table: table, after: nil, rows: count, withValues: false)
                    let answer = hub.comparing(request)
                    #expect(try device.store.verify(db, table: table, answer).isEmpty)
                    #expect(try device.store.unmet(db, table: table, limit: 10).isEmpty)
                }
            }
        }
        let (few, many) = (try steps(50), try steps(500))
        #expect(many < 15 * few, "\(few), then \(many)")
    }

    @Test func `a page with rows whose references are of two columns`() throws {
        func steps(_ count: Int) throws -> Int {
            let (device, hub) = try filled(count)
            for number in 0..<Int64(count / 2) {
                hub.remove("thing", .integer(number))
                hub.remove("place", .integer(1), .integer(number))
            }
            return try StepCounter.steps(of: device.queue) { try device.exchange(hub) }
        }
        let (few, many) = (try steps(50), try steps(500))
        #expect(many < 15 * few, "\(few), then \(many)")
    }

    @Test func `a comparison beside as many pending changes`() throws {
        func steps(_ count: Int) throws -> Int {
            let (device, hub) = try filled(count)
            try device.run("UPDATE thing SET number = 0")
            return try StepCounter.steps(of: device.queue) {
                try device.queue.writeWithoutTransaction { db in
                    let table = try #require(try device.store.load(db).table(named: "thing"))
                    try device.store.beginComparing(db, table: table)
                    let request = try device.store.compareRequest(
                        db, table: table, after: nil, rows: count, withValues: false)
                    let answer = hub.comparing(request)
                    // The comparison skips pending changes.
                    #expect(try device.store.verify(db, table: table, answer).isEmpty)
                    #expect(try device.store.unmet(db, table: table, limit: 10).isEmpty)
                }
            }
        }
        let (few, many) = (try steps(50), try steps(500))
        #expect(many < 15 * few, "\(few), then \(many)")
    }

    @Test func `a file of many tables, opened again`() throws {
        func steps(_ count: Int) throws -> Int {
            let names = (0..<count).map { "thing\($0)" }
            let sql = names.map { "CREATE TABLE \($0)(id INTEGER PRIMARY KEY, note TEXT);" }
            let device = try Device(sql.joined(), tables: names.map { .table($0) })
            try device.adopt(
                SchemaDescription(
                    tables: names.map {
                        TableDescription(
                            name: $0, columns: [.column("id", .integer), .column("note", .text)],
                            primaryKey: [0], foreignKeys: [])
                    }))
            return try StepCounter.steps(of: device.queue) { try device.open() }
        }
        let (few, many) = (try steps(10), try steps(100))
        #expect(many < 15 * few, "\(few), then \(many)")
    }

    @Test func `looking which of many tables have rows`() throws {
        let queue = try DatabaseQueue()
        let names = (0..<250).map { "thing \($0)" }
        try queue.write { db in
            for name in names { try db.execute(sql: "CREATE TABLE \"\(name)\"(id)") }
            for name in [names[0], names[99], names[100], names[249]] {
                try db.execute(sql: "INSERT INTO \"\(name)\" VALUES(1)")
            }
        }
        let filled = try queue.read { db in
            try RawStatements(db, cache: StatementCache()).filled(names) { $0 }
        }
        #expect(filled == [names[0], names[99], names[100], names[249]])
    }
}
