import Moorage
import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

@testable import MoorageMySQL

/// After a deadlock or a lock time-out, the hub tries the whole transaction again.
@Suite(.ownThreads, .enabled(if: !MySQLServer.all.isEmpty))
struct `A push with others in the way` {
    private static let schema = """
        CREATE TABLE v (id INT PRIMARY KEY, n INT NOT NULL, m INT NOT NULL DEFAULT 0) #;
        INSERT INTO v (id, n) VALUES (1, 0), (2, 0), (3, 0), (4, 0)
        """

    /// A push whose first tries meet a conflict.
    private static func contest(conflicts: Int) -> Contest {
        Contest(beforeTry: { number, _, _ in
            if number <= conflicts { throw CentralError(.conflict, "Others are in the way.") }
        })
    }

    @Test(arguments: MySQLServer.first)
    func `goes in at its sixth try`(server: MySQLServer) async throws {
        try await Devices.run(server, Self.schema) { devices in
            let contest = Self.contest(conflicts: 5)
            let a = try await devices.through { ContestedConnection($0, contest) }
                .clone("A", ["v"])
            try await a.execute("UPDATE v SET n = 5 WHERE id = 1")
            #expect(await a.beginSync().value == nil)
            #expect(contest.tries == 6)
            #expect(try await devices.differences(a) == [])
            #expect(try devices.owner.rows("SELECT n, m FROM v WHERE id = 1") == [["5", "0"]])
            #expect(try await a.refusals() == [])
        }
    }

    @Test(arguments: MySQLServer.first)
    func `is given up after six tries, and goes in with the next exchange`(server: MySQLServer)
        async throws
    {
        try await Devices.run(server, Self.schema) { devices in
            let contest = Self.contest(conflicts: 6)
            let a = try await devices.through { ContestedConnection($0, contest) }
                .clone("A", ["v"])
            try await a.execute("UPDATE v SET n = 5 WHERE id = 1")
            let error = await #expect(throws: ReplicaError.self) {
                _ = try await a.replica.sync()
            }
            #expect(error?.code == .hub(.busy))
            #expect(contest.tries == 6)
            #expect(try devices.owner.rows("SELECT n, m FROM v WHERE id = 1") == [["0", "0"]])
            #expect(try await devices.differences(a) == [])
            #expect(try devices.owner.rows("SELECT n, m FROM v WHERE id = 1") == [["5", "0"]])
            #expect(try await a.refusals() == [])
        }
    }

    @Test(arguments: MySQLServer.all)
    func `is tried again when a lock was waited for in vain`(server: MySQLServer) async throws {
        try await Devices.run(server, Self.schema, options: .init(lockTimeout: .seconds(1))) {
            devices in
            // The owner commits once the push has waited twice.
            let contest = Contest(afterConflict: { number in
                if number == 2 { try devices.owner.plain("COMMIT") }
            })
            let a = try await devices.through { ContestedConnection($0, contest) }
                .clone("A", ["v"])
            try await a.execute("UPDATE v SET n = 5 WHERE id = 1")
            try devices.owner.plain("BEGIN; UPDATE v SET m = 7 WHERE id = 1")
            #expect(await a.beginSync().value == nil)
            #expect(contest.conflicts == 2)
            #expect(try await devices.differences(a) == [])
            #expect(try devices.owner.rows("SELECT n, m FROM v WHERE id = 1") == [["5", "7"]])
            #expect(try await a.refusals() == [])
        }
    }

    @Test(arguments: MySQLServer.all)
    func `is tried again after a deadlock`(server: MySQLServer) async throws {
        // Longer than anything waits here. The server finds the deadlock, and the owner commits.
        try await Devices.run(server, Self.schema, options: .init(lockTimeout: .seconds(120))) {
            devices in
            let owner = Waiter {
                try devices.owner.plain("UPDATE v SET m = 7 WHERE id = 1; COMMIT")
            }
            // The push locks the first row and asks for the second. The owner does it the other way
            // round. Whoever asks last closes the ring.
            let contest = Contest(beforeTry: { number, _, connection in
                guard number == 1 else { return }
                // By the key alone: `lockRows` may read, and lock, a small table from its first row
                // on.
                _ = try connection.run("SELECT id FROM v WHERE id = 1 FOR UPDATE", [])
                owner.start()
            })
            let a = try await devices.through { ContestedConnection($0, contest) }
                .clone("A", ["v"])
            try await a.execute("UPDATE v SET n = 5 WHERE id IN (1, 2)")
            // The owner's transaction is the heavier one, so the hub's is the victim.
            try devices.owner.plain("BEGIN")
            for id in 2...4 { try devices.owner.plain("UPDATE v SET m = 7 WHERE id = \(id)") }
            #expect(await a.beginSync().value == nil)
            try owner.end()
            #expect(contest.conflicts == 1)
            #expect(try await devices.differences(a) == [])
            #expect(
                try devices.owner.rows("SELECT n, m FROM v ORDER BY id")
                    == [["5", "7"], ["5", "7"], ["0", "7"], ["0", "7"]])
            #expect(try await a.refusals() == [])
        }
    }
}
