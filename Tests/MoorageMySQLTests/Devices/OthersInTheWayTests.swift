import Foundation
import Moorage
import MoorageCore
import MoorageHub
import TestSupport
import Testing

@testable import MoorageMySQL

/// Deadlocks and lock time-outs are nobody's fault: the whole transaction is tried again. The owner waits and
/// commits on a thread of its own: the hub ends its tries while a busy machine has not resumed a task.
@Suite(.ownThreads, .serialized, .enabled(if: !MySQLServer.all.isEmpty))
struct `A push with others in the way` {
    private static let schema = """
        CREATE TABLE v (id INT PRIMARY KEY, n INT NOT NULL, m INT NOT NULL DEFAULT 0) #;
        INSERT INTO v (id, n) VALUES (1, 0), (2, 0), (3, 0), (4, 0)
        """

    @Test(arguments: MySQLServer.all)
    func `is tried again when a lock was waited for in vain`(server: MySQLServer) async throws {
        try await Devices.run(server, Self.schema, options: .init(lockTimeout: .seconds(1))) {
            devices in
            let a = try await devices.clone("A", ["v"])
            try await a.execute("UPDATE v SET n = 5 WHERE id = 1")
            try devices.owner.plain("BEGIN; UPDATE v SET m = 7 WHERE id = 1")
            let owner = Waiter {
                let first = try devices.subject.awaitLockWait()
                _ = try devices.subject.awaitLockWait(other: first)
                try devices.owner.plain("COMMIT")
            }
            owner.start()
            #expect(await a.beginSync().value == nil)
            try owner.end()
            #expect(try await devices.differences(a) == [])
            #expect(try devices.owner.rows("SELECT n, m FROM v WHERE id = 1") == [["5", "7"]])
            #expect(try await a.refusals() == [])
        }
    }

    @Test(arguments: MySQLServer.all)
    func `is tried again after a deadlock`(server: MySQLServer) async throws {
        try await Devices.run(server, Self.schema) { devices in
            let a = try await devices.clone("A", ["v"])
            try await a.execute("UPDATE v SET n = 5 WHERE id IN (1, 2)")
            // The owner's transaction is the heavier one: the hub's is the victim.
            try devices.owner.plain("BEGIN")
            for id in 2...4 { try devices.owner.plain("UPDATE v SET m = 7 WHERE id = \(id)") }
            let owner = Waiter {
                let first = try devices.subject.awaitLockWait()
                try devices.owner.plain("UPDATE v SET m = 7 WHERE id = 1")
                _ = try devices.subject.awaitLockWait(other: first)
                try devices.owner.plain("COMMIT")
            }
            owner.start()
            #expect(await a.beginSync().value == nil)
            try owner.end()
            #expect(try await devices.differences(a) == [])
            #expect(
                try devices.owner.rows("SELECT n, m FROM v ORDER BY id")
                    == [["5", "7"], ["5", "7"], ["0", "7"], ["0", "7"]])
            #expect(try await a.refusals() == [])
        }
    }
}
