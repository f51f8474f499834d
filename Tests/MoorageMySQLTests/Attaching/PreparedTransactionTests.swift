import Foundation
import MoorageCore
import MoorageHub
import MoorageTesting
import TestSupport
import Testing

@testable import MoorageMySQL

extension Alone {
    /// On MariaDB, a prepared transaction whose session is gone has no lock on a table.
    ///
    /// Such a transaction is in the way of every attach on its server.
    @Suite(.ownThreads, .serialized, .enabled(if: !MySQLServer.all.isEmpty))
    struct `A prepared transaction` {
        /// `XAER_NOTA`.
        private static let unknownName: UInt32 = 1_397
        private static let impatient = MySQLDatabase.Options(stepLockTimeout: .milliseconds(250))

        /// Makes the table `t`, and a transaction that has written to it and is prepared.
        ///
        /// - Parameter makeReady: What comes before the transaction.
        static func with(
            _ subject: MySQLSubject, before makeReady: () throws -> Void = {},
            _ work: (_ owner: MySQLSession, _ name: String) throws -> Void
        ) throws {
            let owner = try subject.session()
            try owner.plain(
                "CREATE TABLE t (id INT PRIMARY KEY, n INT) ENGINE = InnoDB; INSERT INTO t VALUES (1, 0), (2, 0)"
            )
            try makeReady()
            let name = "moorage \(UInt32.random(in: 0 ... .max))"
            let session = try Self.prepare(name, subject)
            defer {
                do {
                    try owner.plain("XA ROLLBACK '\(name)'")
                } catch {
                    // The work may have ended it already: then no transaction has this name.
                    if owner.lastCode != Self.unknownName {
                        Issue.record("\(name) may still be prepared: \(error)")
                    }
                }
            }
            // Nobody else may end the transaction while its session is still there.
            let deadline = ContinuousClock.now + Hang.limit
            let left = "SELECT count(*) FROM information_schema.processlist WHERE id = \(session)"
            while try owner.cell(left) != "0" {
                guard ContinuousClock.now < deadline else {
                    throw Hang(what: "the session is gone")
                }
                Thread.sleep(forTimeInterval: 0.002)
            }
            try work(owner, name)
        }

        /// Prepares a transaction in a session that ends.
        ///
        /// - Returns: The session's number.
        private static func prepare(_ name: String, _ subject: MySQLSubject) throws -> String {
            let session = try subject.session()
            try session.plain(
                """
                XA START '\(name)'; INSERT INTO t VALUES (3, 0); UPDATE t SET n = 1 WHERE id = 1; XA END '\(name)';
                XA PREPARE '\(name)'
                """)
            return try session.cell("SELECT connection_id()") ?? ""
        }

        /// A connection that reports the first time that others are in the way of an attach.
        private final class HinderedConnection: ForwardingConnection {
            private let hindered: () throws -> Void
            private(set) var conflicts = 0

            init(_ base: any CentralConnection, _ hindered: @escaping () throws -> Void) {
                self.hindered = hindered
                super.init(base)
            }

            private func telling(_ step: () throws -> Void) throws {
                do {
                    try step()
                } catch let error as CentralError where error.kind == .conflict {
                    conflicts += 1
                    if conflicts == 1 { try hindered() }
                    throw error
                }
            }

            override func runStep(_ sql: String) throws { try telling { try super.runStep(sql) } }

            override func fillTracking(
                _ table: AttachedTable, batch: Int, progress: (Int) throws -> Void
            ) throws {
                try telling { try super.fillTracking(table, batch: batch, progress: progress) }
            }
        }

        @Test(arguments: MySQLServer.all)
        func `is waited for by an attach`(server: MySQLServer) throws {
            try server.withDatabase(options: Self.impatient) { subject in
                try Self.with(subject) { owner, name in
                    try subject.mysql.perform { base in
                        let connection = HinderedConnection(base) {
                            try owner.plain("XA COMMIT '\(name)'")
                        }
                        _ = try Attachment(on: connection, makeID: { "an id" }).attach(tables: nil)
                        #expect(connection.conflicts > 0)
                    }
                    #expect(try Mirror(subject).differences() == [])
                    #expect(try owner.cell("SELECT count(*) FROM moorage_track_1_t") == "3")
                }
            }
        }

        @Test(arguments: MySQLServer.all)
        func `that nobody ends is named as what stands in the way`(server: MySQLServer) throws {
            guard try server.session("mysql").cell("SELECT version()")?.contains("MariaDB") == true
            else { return }
            try server.withDatabase(options: Self.impatient) { subject in
                try Self.with(subject, before: { try subject.attach() }) { _, _ in
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
    }
}
