import Foundation
import MoorageCore
import MoorageHub
import TestSupport
import Testing

@testable import MoorageMySQL

/// On MariaDB nothing holds a table for a transaction that was prepared and whose session is gone.
@Suite(.ownThreads, .serialized, .enabled(if: !MySQLServer.all.isEmpty))
struct `A prepared transaction` {
    /// - Returns: Its name, for others to end it.
    private static func prepare(_ subject: MySQLSubject) throws -> String {
        let name = "moorage \(UInt32.random(in: 0 ... .max))"
        let session = try subject.session()
        try session.plain(
            """
            XA START '\(name)'; INSERT INTO t VALUES (3, 0); UPDATE t SET n = 1 WHERE id = 1; XA END '\(name)';
            XA PREPARE '\(name)'
            """)
        return name
    }

    @Test(arguments: MySQLServer.all)
    func `is waited for by an attach`(server: MySQLServer) throws {
        try server.withDatabase { subject in
            let owner = try subject.session()
            try owner.plain(
                "CREATE TABLE t (id INT PRIMARY KEY, n INT) ENGINE = InnoDB; INSERT INTO t VALUES (1, 0), (2, 0)"
            )
            let name = try Self.prepare(subject)
            let waiter = Waiter { try subject.attach() }
            waiter.start()
            while try owner.rows("SHOW TABLES LIKE 'moorage_track_1_t'").isEmpty {
                Thread.sleep(forTimeInterval: 0.02)
            }
            Thread.sleep(forTimeInterval: 0.2)
            try owner.plain("XA COMMIT '\(name)'")
            try waiter.end()
            #expect(try Mirror(subject).differences() == [])
        }
    }

    @Test(arguments: MySQLServer.all)
    func `that nobody ends is named as what stands in the way`(server: MySQLServer) throws {
        try server.withDatabase { subject in
            let owner = try subject.session()
            guard try owner.cell("SELECT version()")?.contains("MariaDB") == true else { return }
            try owner.plain(
                "CREATE TABLE t (id INT PRIMARY KEY, n INT) ENGINE = InnoDB; INSERT INTO t VALUES (1, 0)"
            )
            try subject.attach()
            let name = try Self.prepare(subject)
            defer { #expect(throws: Never.self) { try owner.plain("XA ROLLBACK '\(name)'") } }
            try subject.database.perform { connection in
                let table = try #require(try connection.attachedTables().first)
                let error = #expect(throws: CentralError.self) {
                    try connection.fillTracking(table, batch: 10) { _ in }
                }
                #expect(error?.kind == .conflict)
                #expect(error?.message.contains("XA RECOVER") == true)
            }
        }
    }
}
