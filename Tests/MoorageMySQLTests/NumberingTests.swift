import Foundation
import MoorageCore
import MoorageHub
import MoorageTesting
import TestSupport
import Testing

@testable import MoorageMySQL

@Suite(.ownThreads, .enabled(if: !MySQLServer.all.isEmpty)) struct `Numbering` {
    private static func attach(_ subject: MySQLSubject, isScoped: Bool = false) throws {
        let owner = try subject.session()
        try owner.plain(
            "CREATE TABLE t (id INT PRIMARY KEY, area INT, n INT NOT NULL) ENGINE = InnoDB")
        var settings = ScopeSettings()
        if isScoped {
            settings = ScopeSettings(
                rules: ["t": [ScopeRule(.column(kind: "area", "area"))]],
                holdings: ["area": .claim("area")])
        }
        _ = try subject.database.perform {
            try Attachment(on: $0, scopes: settings, makeID: { UUID().uuidString }).attach(
                tables: nil)
        }
    }

    private static func queued(_ subject: MySQLSubject) throws -> Int? {
        try subject.session().cell("SELECT count(*) FROM moorage_queue_1_t").flatMap { Int($0) }
    }

    /// Queue entries between and behind the rows that it takes belong to other transactions.
    @Test(arguments: MySQLServer.all, [false, true])
    func `waits for no transaction that is open`(server: MySQLServer, isScoped: Bool) throws {
        try server.withDatabase(options: .init(lockTimeout: .seconds(1))) { subject in
            try Self.attach(subject, isScoped: isScoped)
            let (early, late, owner) = (
                try subject.session(), try subject.session(), try subject.session()
            )
            try early.plain("BEGIN; INSERT INTO t VALUES (1, 1, 0), (2, 2, 0)")
            try owner.plain("INSERT INTO t VALUES (3, 1, 0), (4, 1, 0), (5, 2, 0)")
            try late.plain("BEGIN; INSERT INTO t VALUES (6, 1, 0), (7, 2, 0)")
            try subject.database.perform { try $0.numberChanges() }
            #expect(try Self.queued(subject) == 0)
            try early.plain("COMMIT")
            try late.plain("COMMIT")
            #expect(try Self.queued(subject) == 4)
            try subject.database.perform { try $0.numberChanges() }
            #expect(try Self.queued(subject) == 0)
            let live = "SELECT count(*) FROM moorage_track_1_t WHERE live"
            #expect(try owner.cell(live) == "7")
        }
    }

    /// TRUNCATE fires no trigger (docs/decisions/0037).
    @Test(arguments: MySQLServer.all, [false, true])
    func `notices that a table was emptied at once`(server: MySQLServer, isScoped: Bool) throws {
        try server.withDatabase { subject in
            try Self.attach(subject, isScoped: isScoped)
            let owner = try subject.session()
            try owner.plain("INSERT INTO t VALUES (1, 1, 0), (2, 2, 0), (3, 1, 0), (9, 1, 0)")
            try subject.database.perform { try $0.numberChanges() }
            let rows = "SELECT k0, live FROM moorage_track_1_t ORDER BY k0"
            // Some rows come again before anybody looks, among them the first and the last.
            try owner.plain("TRUNCATE t")
            try owner.plain("INSERT INTO t VALUES (1, 1, 1), (9, 1, 1), (12, 1, 1)")
            for _ in 0..<3 { try subject.database.perform { try $0.numberChanges() } }
            #expect(
                try owner.rows(rows) == [
                    ["1", "1"], ["2", "0"], ["3", "0"], ["9", "1"], ["12", "1"],
                ])
            let number = try owner.cell("SELECT max(number) FROM moorage_clock")
            // No more rows are lost, so nothing is numbered.
            try subject.database.perform { try $0.numberChanges() }
            #expect(try owner.cell("SELECT max(number) FROM moorage_clock") == number)
        }
    }

    /// The rows that came again explain the oldest tracking rows until they have a number. Until
    /// then, the hub does not notice the missing rows.
    @Test(arguments: MySQLServer.all, [false, true])
    func `tells of all that is gone before the page, whatever came again`(
        server: MySQLServer, isScoped: Bool
    ) throws {
        try server.withDatabase { subject in
            try Self.attach(subject, isScoped: isScoped)
            let owner = try subject.session()
            for id in 1...10 {
                try owner.plain("INSERT INTO t VALUES (\(id), 1, 0)")
                try subject.database.perform { try $0.numberChanges() }
            }
            let mirror = try Mirror(subject)
            try owner.plain("TRUNCATE t; INSERT INTO t VALUES (1, 1, 1), (2, 1, 1), (3, 1, 1)")
            #expect(try mirror.differences() == [])
        }
    }

    /// More rows than a step lists in memory: the list is then a table on the server.
    @Test(arguments: MySQLServer.first, [true, false].sample(every: 2))
    func `takes whatever one transaction wrote under one number`(
        server: MySQLServer, isScoped: Bool
    ) throws {
        try server.withDatabase { subject in
            try Self.attach(subject, isScoped: isScoped)
            let owner = try subject.session()
            let values = (1...1_000).map { "(\($0), \($0 % 3), 0)" }.joined(separator: ", ")
            try owner.plain("BEGIN; INSERT INTO t VALUES \(values)")
            var count = 1_000
            while count <= MySQLConnection.mostInMemory {
                try owner.plain("INSERT INTO t SELECT id + \(count), area, n FROM t")
                count *= 2
            }
            try owner.plain("COMMIT")
            try subject.database.perform { try $0.numberChanges() }
            #expect(try Self.queued(subject) == 0)
            let told = "SELECT count(*), count(DISTINCT version) FROM moorage_track_1_t WHERE live"
            #expect(try owner.rows(told) == [[String(count), "1"]])
            #expect(try owner.cell("SELECT count(*) FROM moorage_taken") == "0")
        }
    }

    /// A push reads in the middle of its own writes, and after whatever the owner has just written.
    @Test(arguments: MySQLServer.first, [false, true])
    func `keeps nobody from asking for some keys, however much waits for a number`(
        server: MySQLServer, isScoped: Bool
    ) throws {
        try server.withDatabase { subject in
            try Self.attach(subject, isScoped: isScoped)
            let values = (1...3_000).map { "(\($0), \($0 % 3), 0)" }.joined(separator: ", ")
            try subject.session().plain("INSERT INTO t VALUES \(values)")
            try subject.database.perform { connection in
                let table = try #require(try connection.attachedTables().first)
                let mine = isScoped ? Scope("area/1") : .everything
                let keys = [1, 4, 3, 9_999].map { RowKey([.integer($0)]) }
                try connection.begin(.write)
                let tracked = try connection.tracked(table, keys: keys, in: [mine])
                #expect(tracked[keys[0]] == true)
                #expect(tracked[keys[2]] == (isScoped ? nil : true))
                #expect(tracked[keys[3]] == nil)
                let rows = try connection.rows(table, keys: keys, in: [mine])
                #expect(rows.count == (isScoped ? 2 : 3))
                let checkpoint = try connection.currentCheckpoint()
                let new = try connection.newcomers(
                    table, among: keys, in: [mine], beyond: checkpoint)
                #expect(new.contains(keys[1]))
                #expect(!new.contains(keys[3]))
                connection.rollback()
            }
        }
    }
}
